import { describe, expect, it } from '@jest/globals';
import { Viewport } from '../../../lib/view/inspector/viewport.ts';

const moment = (x: number, at = x) => ({ x, at });
const END = moment(10_000);

function viewportOf(): Viewport {
  return Object.assign(new Viewport(), { width: 1_000, height: 300, margin: 100 });
}

describe('a viewport', () => {
  it('begins at its own size, with the first event beside the names', () => {
    const view = viewportOf();
    expect([view.xOf(moment(0)), view.xOf(moment(10)), view.unitAt(150)]).toEqual([140, 150, 10]);
  });

  it('fits all of a run, and makes a short one no larger than it is', () => {
    const view = viewportOf();
    view.showAll(END);
    expect([view.xOf(moment(0)), Math.round(view.xOf(END))]).toEqual([140, 960]);
    view.showAll(moment(100));
    expect([view.xOf(moment(0)), view.xOf(moment(100))]).toEqual([140, 240]);
    view.axis = 'time';
    view.showAll(moment(100));
    expect([view.xOf(moment(0)), Math.round(view.xOf(moment(100)))]).toEqual([140, 960]);
  });

  it('keeps what is under the pointer where it is, as it comes closer and goes away', () => {
    const view = viewportOf();
    view.pan(2_000, 0, END, 0);
    const unit = view.unitAt(500);
    for (const factor of [2, 1.5, 0.4]) {
      view.zoom(factor, 500, END);
      expect(view.unitAt(500)).toBeCloseTo(unit);
    }
  });

  it('has a bound for coming closer and for going away', () => {
    const view = viewportOf();
    for (let times = 0; times < 100; times++) view.zoom(2, 500, END);
    expect(view.scale).toBe(6);
    for (let times = 0; times < 100; times++) view.zoom(0.5, 500, END);
    expect(view.scale).toBe(0.002);
    expect(view.xOf(moment(0))).toBe(140);
  });

  it('ends where the run does, and where its lanes do', () => {
    const view = viewportOf();
    view.pan(-50, -50, END, 500);
    expect([view.xOf(moment(0)), view.top]).toEqual([140, 0]);
    view.pan(1e6, 1e6, END, 500);
    expect([view.xOf(END), view.top]).toEqual([960, 200]);
    view.pan(0, 1e6, END, 100);
    expect(view.top).toBe(0);
  });

  it('follows the end until it is moved away from it, and again from there on', () => {
    const view = viewportOf();
    view.follow(END);
    expect(view.xOf(END)).toBe(960);
    view.pan(-100, 0, END, 0);
    view.follow(moment(20_000));
    expect(view.xOf(END)).toBe(1_060);
    view.pan(1e6, 0, moment(20_000), 0);
    view.follow(moment(30_000));
    expect(view.xOf(moment(30_000))).toBe(960);
  });

  it('brings a moment and its lane into view, and moves no more than it has to', () => {
    const view = viewportOf();
    view.reveal(moment(300), 0, 50);
    expect([view.xOf(moment(0)), view.top]).toEqual([140, 0]);
    view.reveal(moment(5_000), 400, 50);
    expect([view.xOf(moment(5_000)), view.top, view.isFollowing]).toEqual([550, 150, false]);
    view.reveal(moment(5_000), 0, 50);
    expect(view.top).toBe(0);
  });

  it('has a scale of its own for each axis', () => {
    const view = viewportOf();
    view.zoom(2, 140, END);
    view.axis = 'time';
    expect([view.scale, view.xOf(moment(0, 100))]).toEqual([0.2, 160]);
    view.axis = 'even';
    expect(view.scale).toBe(2);
  });
});

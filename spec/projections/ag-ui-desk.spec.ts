import { describe, expect, it } from '@jest/globals';
import { AgUiDesk } from '../../lib/projections/ag-ui-desk.ts';
import type { AgUiEvent } from '../../lib/projections/ag-ui.ts';

const start: AgUiEvent = { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' };

describe('a desk', () => {
  it('hands out what was said since the last time, and keeps it in its messages', () => {
    const desk = new AgUiDesk([], true);
    desk.say(start);
    desk.snapshot();
    const messages = [{ id: 'm', role: 'assistant', content: '' }];
    expect(desk.take()).toEqual([start, { type: 'MESSAGES_SNAPSHOT', messages }]);
    expect(desk.take()).toEqual([]);
  });

  it('reveals only where nothing is masked', () => {
    const said = (mask: boolean): number => {
      const desk = new AgUiDesk([], mask);
      desk.reveal(() => start);
      return desk.take().length;
    };
    expect([said(true), said(false)]).toEqual([0, 1]);
  });

  it('makes an id that no message has', () => {
    const desk = new AgUiDesk([{ id: 'a', role: 'user', content: '' }, { id: 'a~2', role: 'user', content: '' }], true);
    expect([desk.newId('a'), desk.newId('b')]).toEqual(['a~3', 'b']);
  });
});

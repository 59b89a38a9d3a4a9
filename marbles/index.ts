/** The published test kit: runs drawn as marble diagrams. It holds no test framework. */

// The diagrams
export { loopMarbles } from './loop-marbles.ts';
export type { Binding, DrawnTool, DrawnToolOptions, LoopMarbles, Turn } from './loop-marbles.ts';
export type { EventExpectation, EventLetters, ExpectedError } from './expect-events.ts';
export type { Subscribed, SubscriptionFrames } from './expect-subscriptions.ts';

// The letters
export { call, deltaLetters, finish, reasoning, refusal, text, usage } from './alphabet.ts';
export type { CallOptions, DeltaLetters } from './alphabet.ts';
export { eventLetters } from './event-letters.ts';
export type { LetterKind } from './event-letters.ts';

// Fakes, for tests without diagrams too
export { script } from './script.ts';
export type { ScriptModel } from './script.ts';
export { fakeTool } from './fake-tool.ts';
export type { FakeTool, FakeToolOptions } from './fake-tool.ts';

// The drawing
export { labeller } from './label.ts';
export type { Label } from './label.ts';
export { onLane } from './lanes.ts';
export type { Lane } from './lanes.ts';
export { draw } from './draw.ts';
export type { DrawOptions, Mark } from './draw.ts';

// Recorded bytes
export { cut } from './cut.ts';

// The grammar
export { verifyEvents } from './verify-events.ts';
export { VerifyEventsError } from './verify-events-error.ts';
export type { Clash } from './verify-events-error.ts';

// Tapes: runs with their times
export { readTape } from './read-tape.ts';
export { replay } from './replay.ts';
export type { ReplayOptions } from './replay.ts';
export type { Tape, TapeHeader, TapeLine } from './tape.ts';
export { toMarbleSvg } from './marble-svg.ts';
export type { MarbleSvgOptions } from './marble-svg.ts';

import { expect, it } from '@jest/globals';
import { isoTime } from '../../../lib/view/inspector/iso-time.ts';

it('isoTime writes a time as a tape has it', () => expect(isoTime(Date.UTC(2026, 0, 5, 5, 3, 9))).toBe('2026-01-05T05:03:09.000Z'));

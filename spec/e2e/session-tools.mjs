// Tools that give back what was recorded: SESSION_RESULTS is { "<call id>": "<content>" }, SESSION_TOOLS their names.
import { defineTool } from 'rx-tool-loop';
import * as z from 'zod';

const results = JSON.parse(process.env.SESSION_RESULTS ?? '{}');
const names = (process.env.SESSION_TOOLS ?? '').split(',').filter(Boolean);

export default names.map((name) =>
  defineTool({ name, description: `The recorded ${name}.`, input: z.looseObject({}), run: (_args, { callId }) => results[callId] }),
);

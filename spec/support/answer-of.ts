import type { Delta } from '../../lib/delta.ts';
import type { ModelError } from '../../lib/errors.ts';
import type { Model, ModelRequest } from '../../lib/model.ts';
import { modelRequest } from './model-request.ts';

/** All that a model says to one request, and the error that it ends in, if it does. */
export function answerOf(model: Model, change?: Partial<ModelRequest>): Promise<{ deltas: Delta[]; error: ModelError | undefined }> {
  const deltas: Delta[] = [];
  return new Promise((resolve) => {
    model.stream(modelRequest(change)).subscribe({
      next: (delta) => deltas.push(delta),
      error: (error: ModelError) => resolve({ deltas, error }),
      complete: () => resolve({ deltas, error: undefined }),
    });
  });
}

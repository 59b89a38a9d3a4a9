// A transform for jest: packages that are published as modules only, as the CommonJS that the tests run as.
import { transformSync } from 'esbuild';

export default {
  process: (text, file) => transformSync(text, { format: 'cjs', target: 'es2022', sourcefile: file }),
};

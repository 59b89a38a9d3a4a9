// Measures one import in a fresh process: node import-child.mjs <specifier>
// Prints { ms } as JSON.
const [specifier] = process.argv.slice(2);
const start = performance.now();
await import(specifier);
console.log(JSON.stringify({ ms: performance.now() - start }));

/** Of this run of the properties: `PROPERTY_SEED` of the environment, or a new one each time. */
export const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 1_000_000_000);

/** How to see the same runs again. */
export const again = `PROPERTY_SEED=${seed} npx jest spec/properties`;

/** The largest of many numbers, or `least`: `Math.max(...)` takes no more arguments than the stack holds. */
export const largest = (values: readonly number[], least = 0): number => values.reduce((a, b) => Math.max(a, b), least);

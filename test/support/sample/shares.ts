/**
 * The share of the tests of a file that a sample keeps: all, unless the file is listed here because its tests are
 * generated (ops, gradients, laws, records, documents) or take seconds. A share of 0 keeps one test.
 */
const shares: readonly (readonly [files: RegExp, share: number])[] = [
  [/^test\/(laws|types|oracle|examples)\b/, 0],
  [/^test\/(ops|autograd|docs)\b/, 0.05],
  [/^src\/backends\//, 0.06],
  [/^src\/(io|draw|expr)\/(tensor-files|watch|fuzz|bombs|limits|laws|inflate|compile)\./, 0],
  [
    /^src\/(ops|tensor)\/.*\/?(blocked|program-cache|transform|predicated|copy|copy-cooperative|fourier|mixed-dtypes|user-kernel|repeated)\./,
    0.1,
  ],
  [/^test\/(optim|nn|errors|expr-growth|support)\b/, 0.2],
];

/**
 * Files of which one test already takes seconds: they run tools and other programs, read the whole project with the
 * compiler, or fill the memory. `npm test` runs them.
 */
export const notSampled: readonly string[] = [
  "test/{checks,end-to-end}/**",
  "test/golden/{ops-page,method-types}.test.ts",
  "test/types/hover.test.ts",
  "test/{ops/leaks,autograd/leak}.test.ts",
];

export const shareOf = (file: string): number => shares.find(([files]) => files.test(file))?.[1] ?? 1;

/** The results of `small` of `kernels.ts`, the same on every platform. */
export const right = {
  clone: [
    [1, 4],
    [2, 5],
    [3, 6],
  ],
  fill: [
    [7, 7],
    [7, 7],
  ],
  cast: [1, -2, 300],
  formula: [
    [12, 24, 36],
    [18, 30, 42],
  ],
};

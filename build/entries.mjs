/**
 * The entry points of the package: the name of each file in `dist/` and the source file that it is made from.
 * `package.json` exports them; `test/checks/package.test.ts` checks that both lists agree.
 */
export const entries = {
  index: "index.ts",
  layout: "layout/index.ts",
  explain: "layout/explain.ts",
  tuple: "layout/int-tuple.ts",
  notation: "layout/notation.ts",
  expr: "expr/index.ts",
  cute: "cute.ts",
  storage: "storage/index.ts",
  io: "io/index.ts",
  draw: "draw/index.ts",
  nn: "nn/index.ts",
  optim: "optim/index.ts",
  data: "data/index.ts",
  kernel: "kernel/index.ts",
  module: "module/index.ts",
  onnx: "onnx/index.ts",
  webgpu: "backends/webgpu/index.ts",
};

/** The command, which is no entry point: it has no types. */
export const command = "cli/main";

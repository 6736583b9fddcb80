/**
 * The cost of new kernels: a thousand distinct kernels of several kinds, each called once, in a separate process for
 * each kind. Prints the total time, the number of compiled programs, the median call and the slowest call.
 *
 *   npm run bench kernels
 *   npm run bench kernels chains          only these
 */
import { spawnSync } from "node:child_process";
import { configure, elementwise, kernelStatistics, ones, scope, type Tensor } from "../src/index.ts";
import { describeMachine, median } from "./harness.ts";

interface NewKernel {
  readonly formula: string;
  readonly operands: Readonly<Record<string, Tensor>>;
}

const count = 1000;
const deep = ["exp", "log", "sin", "cos", "tanh", "sqrt", "abs", "erf", "floor", "neg"];
const signs = ["+", "-", "*"];
const types = [
  "float32",
  "float64",
  "int32",
  "int16",
  "uint8",
  "int64",
  "int8",
  "float16",
  "complex64",
  "uint16",
] as const;
const single = ["x + y", "x * y", "x == y", "x != y", "x - y", "x + 1", "x * 3", "x ** 2", "x * x", "x / y"];

const line = (size: number): { x: Tensor; y: Tensor } => ({ x: ones([size]), y: ones([size]) });
const combination = (k: number, operands: NewKernel["operands"]): NewKernel => ({
  formula: `${deep[Math.floor(k / 100)]}(x) * ${deep[Math.floor(k / 10) % 10]}(y) + ${k % 10}.5`,
  operands,
});

/** A thousand kernels by kind, over 64 elements unless the name says otherwise. */
const kinds: Readonly<Record<string, () => NewKernel[]>> = {
  chains: () => {
    const operands = line(64);
    return Array.from({ length: count }, (_, k) => ({
      formula: `(x ${signs[k % 3]} ${k}.5) ${signs[Math.floor(k / 3) % 3]} y`,
      operands,
    }));
  },
  functions: () => {
    const operands = line(64);
    return Array.from({ length: count }, (_, k) => combination(k, operands));
  },
  "functions of 100,000": () => {
    const operands = line(100_000);
    return Array.from({ length: count }, (_, k) => combination(k, operands));
  },
  "one function each": () =>
    types.flatMap((dtype) => {
      const layouts = [
        ones([8, 8], { dtype }),
        ones([8, 8], { dtype }).transpose(0, 1),
        ones([8, 8, 2], { dtype }).select(2, 0),
        ones([8, 1], { dtype }).expand([8, 8]),
        ones([1, 8], { dtype }).expand([8, 8]),
      ];
      // Ten pairs of layouts. Functions of one operand add 1 or 2, so that they are distinct.
      const pairs = layouts.flatMap((x) => layouts.slice(0, 2).map((y) => ({ x, y })));
      return pairs.flatMap(({ x, y }, k) =>
        single.map((formula) =>
          formula.includes("y")
            ? { formula, operands: { x, y } }
            : { formula: `${formula} + ${1 + (k % 2)}`, operands: { x } },
        ),
      );
    }),
};

function measure(kind: string): void {
  configure({ threads: 1 });
  const kernels = (kinds[kind] as () => NewKernel[])();
  elementwise("x + y", line(16));
  const before = kernelStatistics();
  const times: number[] = [];
  const begun = performance.now();
  for (const { formula, operands } of kernels) {
    const start = performance.now();
    scope(() => {
      elementwise(formula, operands);
    });
    times.push(performance.now() - start);
  }
  const all = performance.now() - begun;
  const { compiled } = kernelStatistics();
  console.log(
    `${kind.padEnd(22)} ${kernels.length} in ${all.toFixed(0).padStart(5)} ms, ${String(compiled - before.compiled).padStart(4)} compiled, ` +
      `median ${(median(times) * 1000).toFixed(0).padStart(4)} us, slowest ${Math.max(...times).toFixed(1)} ms`,
  );
}

const [requested, isChild] = process.argv.slice(2);
if (isChild === "here") measure(requested as string);
else {
  console.log(describeMachine());
  for (const kind of Object.keys(kinds))
    if (requested === undefined || kind === requested)
      for (let round = 0; round < 3; round++)
        spawnSync(process.execPath, [process.argv[1] as string, kind, "here"], { stdio: "inherit" });
}

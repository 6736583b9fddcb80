/**
 * The command that shows kernels: the loop program of a formula over operands with dtypes and layouts, and its WebAssembly.
 */
import { elementwise, empty, makeTensor } from "../../api.ts";
import { kernelModule } from "../../backends/wasm/compile-kernel.ts";
import { printModule } from "../../backends/wasm/encoder/text.ts";
import { printKernel } from "../../kernel/ir/print.ts";
import { cosize, size } from "../../layout/index.ts";
import { parseLayout } from "../../layout/notation.ts";
import { parseFormula } from "../../ops/formula/parse.ts";
import type { FormulaOperand } from "../../ops/formula-variant.ts";
import { checkDType, type DType } from "../../storage/dtype.ts";
import { type OptionValues, UsageError } from "../arguments.ts";
import { type Command, command } from "../command.ts";
import { word } from "../operands.ts";

/** The largest number of elements of an operand, which is allocated. */
const maxElements = 2 ** 24;

function tensorOf(dtype: DType, text: string): FormulaOperand {
  const layout = parseLayout(text);
  if (!(size(layout) <= maxElements && cosize(layout) <= maxElements))
    throw new UsageError(
      `--operand takes layouts over at most ${maxElements} elements, got ${text} over ${cosize(layout)}.`,
    );
  return makeTensor(empty([cosize(layout)], { dtype }), layout as never);
}

/** "x=float32 (4,8):(8,1)" is a tensor, "a=2" a number. */
function readOperand(text: string): readonly [name: string, FormulaOperand] {
  const [, name, rest] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(text) ?? [];
  if (name === undefined || rest === undefined)
    throw new UsageError(
      `--operand must be NAME=DTYPE LAYOUT or NAME=NUMBER, such as 'x=float32 (4,8):(8,1)', got "${text}".`,
    );
  if (/^-?[\d.]+(e-?\d+)?$/.test(rest)) return [name, Number(rest)];
  const [dtype, ...layout] = rest.split(/\s+/);
  return [name, tensorOf(checkDType("--operand", dtype), layout.join(" ") || "1000")];
}

/** The operands of a formula; by default each is a row of 1000 float32 elements. */
function operandsFor(names: readonly string[], options: OptionValues): Record<string, FormulaOperand> {
  const known = new Map((options.get("operand") ?? []).map(readOperand));
  for (const name of known.keys())
    if (!names.includes(name))
      throw new UsageError(`--operand ${name}: the formula has the operands ${names.join(", ") || "none"}.`);
  return Object.fromEntries(names.map((name) => [name, known.get(name) ?? tensorOf("float32", "1000")]));
}

const showKernel = command({
  name: "kernel",
  operands: [word("FORMULA", "an elementwise formula: 'max(a * x + b, 0)'")],
  summary: "show the kernel of a formula, and its WebAssembly",
  options: {
    operand: {
      value: "'NAME=DTYPE LAYOUT'",
      about: "an operand of the formula, or NAME=NUMBER (default: a row of 1000 float32 elements)",
      repeats: true,
    },
    wasm: { about: "print the text of the WebAssembly module too" },
  },
  examples: [
    { line: "kernel 'a * x + b' --operand a=2 --operand b=1", about: "one pass over a row" },
    {
      line: "kernel 'x + y' --operand 'y=float32 (40,25):(25,1)' --operand 'x=float32 (40,25):(1,40)'",
      about: "two operands, one transposed",
    },
    { line: "kernel 'x + 1' --operand 'x=int32 64' --wasm", about: "with the WebAssembly text" },
  ],
  run: ([formula], options) => {
    const operands = operandsFor(parseFormula(formula).operands, options);
    const kernel = elementwise(formula).kernel(operands);
    const text = printKernel(kernel);
    const { module, bytes } = kernelModule(kernel, { relaxedSimd: false, shared: true });
    const wasm = options.has("wasm") ? printModule(module) : null;
    return {
      lines: wasm === null ? text.split("\n") : [...text.split("\n"), `${bytes.length} bytes:`, ...wasm.split("\n")],
      data: { kernel: text, bytes: bytes.length, ...(wasm === null ? {} : { wasm }) },
    };
  },
});

export const kernelCommands: readonly Command[] = [showKernel];

/**
 * The printer of kernels, one line for each parameter and statement; `parse.ts` is its inverse.
 * Promises: parseKernel(printKernel(k)) is k, with the same values shared within each statement: a call, cast or load that a statement uses
 * more than once has its own line before it, `%1 = exp(x[i])`, and is %1 there.
 */
import type { Kernel, Statement } from "./kernel.ts";
import { printDefinition, printExpr, printScalar, sharedIn } from "./print-scalar.ts";
import type { Scalar } from "./scalar.ts";
import { rootsOf } from "./visit.ts";

/** The lines of a kernel, and the line of each parameter and statement. */
interface KernelText {
  readonly lines: readonly string[];
  readonly lineOf: ReadonlyMap<object, number>;
}

/** Returns the kernel as text. */
export function printKernel(kernel: Kernel): string {
  return kernelText(kernel).lines.join("\n");
}

/** Returns the lines of the text, for messages that refer to them. */
export function kernelText(kernel: Kernel): KernelText {
  const lines: string[] = [];
  const lineOf = new Map<object, number>();
  const put = (of: object, text: string): void => {
    lineOf.set(of, lines.length);
    lines.push(text);
  };
  put(kernel, `kernel ${kernel.name}`);
  for (const buffer of kernel.buffers) put(buffer, `  buffer ${buffer.name}: ${buffer.dtype} ${buffer.access}`);
  for (const scalar of kernel.scalars) put(scalar, `  scalar ${scalar.name}: ${scalar.dtype}`);
  for (const size of kernel.sizes) put(size, `  size ${size.name}: ${size.min}..${size.max}`);
  for (const modes of kernel.modes) put(modes, `  modes ${modes.name}: ${modes.buffers.join(", ")}`);
  let count = 0;
  const block = (list: readonly Statement[], indent: string): void => {
    for (const statement of list) {
      const names = new Map<Scalar, string>();
      for (const value of sharedIn(rootsOf(statement))) {
        const text = printDefinition(value, names);
        names.set(value, `%${++count}`);
        lines.push(`${indent}%${count} = ${text}`);
      }
      put(statement, indent + printStatement(statement, names));
      if (statement.kind !== "loop") continue;
      block(statement.body, `${indent}  `);
      lines.push(`${indent}}`);
    }
  };
  lines.push("{");
  block(kernel.body, "  ");
  lines.push("}");
  return { lines, lineOf };
}

function printStatement(statement: Statement, names: ReadonlyMap<Scalar, string>): string {
  const text = (value: Scalar): string => printScalar(value, names);
  switch (statement.kind) {
    case "loop": {
      const { mode, index, from, to, by } = statement;
      const step = mode === "vector" ? ` by ${by}` : "";
      return `${mode} ${index} in ${printExpr(from)}..${printExpr(to)}${step} {`;
    }
    case "index":
      return `index ${statement.name} = ${printExpr(statement.value)}`;
    case "fetch":
      return `fetch ${statement.name} = ${text(statement.value)}`;
    case "walk":
      return `walk ${statement.modes} at ${printExpr(statement.position)} -> ${statement.offsets.join(", ")}`;
    case "let":
      return `let ${statement.name}: ${statement.value.dtype} = ${text(statement.value)}`;
    case "store": {
      const mask = statement.mask === undefined ? "" : ` where ${text(statement.mask)}`;
      return `${statement.buffer}[${printExpr(statement.index)}] = ${text(statement.value)}${mask}`;
    }
    case "accumulator":
      return `accumulator ${statement.name}: ${statement.initial.dtype} = ${text(statement.initial)}`;
    case "accumulate":
      return `${statement.into} ${statement.fn}= ${text(statement.value)}`;
    case "allocate":
      return `allocate ${statement.name}: ${statement.dtype}[${statement.length}] in ${statement.space}`;
    case "barrier":
      return "barrier";
    default:
      return statement satisfies never;
  }
}

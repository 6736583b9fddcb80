/**
 * A lowered kernel as a WebAssembly module with one function, `run(args, begin, end)`: it computes the units begin <= u < end of the
 * kernel's parallel loop, with the arguments at the address `args` (see `arguments.ts`). `compile-kernel.ts` lowers kernels.
 *
 * The module imports the memory as env.memory; if the kernel allocates, the address of the thread's scratch bytes as env.scratch;
 * and the Math functions that it calls.
 *
 * `unrollKernel` repeats the body of an unrolled loop for each index, which is a constant in it. Promises: the result has no unrolled
 * loop and computes the same. Names bound in a body get the index appended, so that each name is still bound once.
 */
import { substitute } from "../../../expr/evaluate.ts";
import { constant, type Expr, sym } from "../../../expr/expr.ts";
import { KernelError } from "../../../kernel/ir/error.ts";
import type { Kernel, LoopStatement, Statement } from "../../../kernel/ir/kernel.ts";
import type { Scalar } from "../../../kernel/ir/scalar.ts";
import { scalarRewriter } from "../../../kernel/lower/rewrite.ts";
import type { WasmImport, WasmModule } from "../encoder/module.ts";
import { openEmission } from "./emission.ts";
import { emitStatements } from "./emit-loops.ts";

export interface EmitOptions {
  /** Whether to use instructions whose results differ between machines in the last bit. */
  readonly relaxedSimd: boolean;
  /** Whether the memory is shared. */
  readonly shared: boolean;
  /** The maximum size of the memory in pages; 65536 by default. */
  readonly maximumPages?: number;
}

export interface EmittedKernel {
  readonly module: WasmModule;
  /** The number of scratch bytes that the kernel uses. */
  readonly scratchBytes: number;
}

/** The module of a lowered kernel. */
export function emitKernel(kernel: Kernel, { relaxedSimd, shared, maximumPages = 65536 }: EmitOptions): EmittedKernel {
  const emission = openEmission(unrollKernel(kernel), relaxedSimd);
  emitStatements(emission, emission.kernel.body);
  const { builder, scratchBytes } = emission;
  const imports: WasmImport[] = [
    { module: "env", name: "memory", kind: "memory", shared, initial: 1, maximum: maximumPages },
  ];
  if (scratchBytes > 0) imports.push({ module: "env", name: "scratch", kind: "global", type: "i32", mutable: false });
  const functions = builder.imports;
  const module: WasmModule = {
    name: kernel.name,
    imports: [...imports, ...functions],
    functions: [builder.finish(kernel.name)],
    exports: [{ name: "run", function: functions.length }],
  };
  return { module, scratchBytes };
}

/** Returns the kernel with its unrolled loops expanded; the same kernel if it has none. */
export function unrollKernel(kernel: Kernel): Kernel {
  return hasUnrolled(kernel.body) ? { ...kernel, body: unrollList(kernel.body) } : kernel;
}

const hasUnrolled = (list: readonly Statement[]): boolean =>
  list.some((each) => each.kind === "loop" && (each.mode === "unrolled" || hasUnrolled(each.body)));

function unrollList(list: readonly Statement[]): readonly Statement[] {
  return list.flatMap((statement) => {
    if (statement.kind !== "loop") return [statement];
    const loop = { ...statement, body: unrollList(statement.body) };
    return loop.mode === "unrolled" ? copiesOf(loop) : [loop];
  });
}

function copiesOf({ index, from, to, body }: LoopStatement): readonly Statement[] {
  if (from.value === undefined || to.value === undefined)
    throw new KernelError(`unrolled ${index}: the bounds must be constants, got ${from}..${to}. Use a serial loop.`);
  const copies: Statement[] = [];
  for (let value = from.value; value < to.value; value++) copies.push(...copyOf(body, index, value));
  return copies;
}

/** The statements with `index` replaced by a constant and their own names numbered. */
function copyOf(body: readonly Statement[], index: string, value: number): readonly Statement[] {
  const own = new Set<string>();
  namesIn(body, own);
  const rename = (name: string): string => (own.has(name) ? `${name}__${value}` : name);
  const expr = (of: Expr): Expr => {
    const replacements = new Map<string, Expr>();
    for (const { name, min, max, divisor } of of.symbols.values())
      if (name === index) replacements.set(name, constant(value));
      else if (own.has(name)) replacements.set(name, sym(rename(name), { min, max, divisibleBy: divisor }));
    return substitute(of, replacements);
  };
  const scalar = scalarRewriter((node): Scalar | undefined => {
    if (node.kind === "load") return { ...node, buffer: rename(node.buffer), index: expr(node.index) };
    if (node.kind === "index") return { ...node, value: expr(node.value) };
    return node.kind === "named" ? { ...node, name: rename(node.name) } : undefined;
  });
  const copy = (statement: Statement): Statement => {
    switch (statement.kind) {
      case "loop": {
        const { from, to } = statement;
        const name = rename(statement.index);
        return { ...statement, index: name, from: expr(from), to: expr(to), body: statement.body.map(copy) };
      }
      case "index":
        return { ...statement, name: rename(statement.name), value: expr(statement.value) };
      case "fetch":
      case "let":
        return { ...statement, name: rename(statement.name), value: scalar(statement.value) };
      case "walk":
        return { ...statement, position: expr(statement.position), offsets: statement.offsets.map(rename) };
      case "store": {
        const { mask } = statement;
        const changed = {
          buffer: rename(statement.buffer),
          index: expr(statement.index),
          value: scalar(statement.value),
        };
        return mask === undefined ? { ...statement, ...changed } : { ...statement, ...changed, mask: scalar(mask) };
      }
      case "accumulator":
        return { ...statement, name: rename(statement.name), initial: scalar(statement.initial) };
      case "accumulate":
        return { ...statement, into: rename(statement.into), value: scalar(statement.value) };
      case "allocate":
        return { ...statement, name: rename(statement.name) };
      case "barrier":
        return statement;
      default:
        return statement satisfies never;
    }
  };
  return body.map(copy);
}

function namesIn(list: readonly Statement[], names: Set<string>): void {
  for (const statement of list) {
    if (statement.kind === "loop") {
      names.add(statement.index);
      namesIn(statement.body, names);
    } else if (statement.kind === "walk") for (const name of statement.offsets) names.add(name);
    else if ("name" in statement) names.add(statement.name);
  }
}

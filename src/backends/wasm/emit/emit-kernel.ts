/**
 * A lowered kernel as a WebAssembly module with one function, `run(args, begin, end)`: it computes the units begin <= u < end of the
 * kernel's parallel loop, with the arguments at the address `args` (see `arguments.ts`). `compile-kernel.ts` lowers kernels.
 *
 * The module imports the memory as env.memory; if the kernel allocates, the address of the thread's scratch bytes as env.scratch;
 * and the Math functions that it calls.
 *
 * `unrollKernel` repeats the body of an unrolled loop for each index, which is a constant in it. Postconditions: the result has no unrolled
 * loop and computes the same. Names bound in a body get the index appended, so that each name is still bound once.
 */
import { substitute } from "../../../expr/evaluate.ts";
import { constant, type Expr, sym } from "../../../expr/expr.ts";
import { statementBindings } from "../../../kernel/ir/bindings.ts";
import { KernelError } from "../../../kernel/ir/error.ts";
import type { Kernel, LoopStatement, Statement } from "../../../kernel/ir/kernel.ts";
import { statementsOf } from "../../../kernel/ir/visit.ts";
import { renamingRules } from "../../../kernel/lower/rename.ts";
import { type RewriteRules, rewriteKernel } from "../../../kernel/lower/rewrite.ts";
import type { WasmImport, WasmModule } from "../encoder/module.ts";
import { openEmission } from "./emission.ts";
import { emitStatements } from "./emit-loops.ts";

export interface EmitOptions {
  /** The kernels that use instructions whose results differ between machines in the last bit: all, none, or those that allow it. */
  readonly relaxedSimd: boolean | "products";
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
  const isRelaxed = relaxedSimd === "products" ? kernel.mayFuseProducts === true : relaxedSimd;
  const emission = openEmission(unrollKernel(kernel), isRelaxed);
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
  return rewriteKernel(kernel, {
    statement: (statement) =>
      statement.kind === "loop" && statement.mode === "unrolled" ? copiesOf(kernel, statement) : undefined,
  });
}

function copiesOf(kernel: Kernel, { index, from, to, body }: LoopStatement): readonly Statement[] {
  if (from.value === undefined || to.value === undefined)
    throw new KernelError(`unrolled ${index}: the bounds must be constants, got ${from}..${to}. Use a serial loop.`);
  const own = new Set(
    statementsOf({ body }).flatMap(({ statement }) => statementBindings(statement).map(([name]) => name)),
  );
  const copies: Statement[] = [];
  for (let value = from.value; value < to.value; value++)
    copies.push(...rewriteKernel({ ...kernel, body }, copyRules(own, index, value)).body);
  return copies;
}

/** The rules that replace `index` by a constant and number the names bound in the body. */
function copyRules(own: ReadonlySet<string>, index: string, value: number): RewriteRules {
  const rename = (name: string): string => (own.has(name) ? `${name}__${value}` : name);
  const expr = (of: Expr): Expr => {
    const replacements = new Map<string, Expr>();
    for (const { name, min, max, divisor } of of.symbols.values())
      if (name === index) replacements.set(name, constant(value));
      else if (own.has(name)) replacements.set(name, sym(rename(name), { min, max, divisibleBy: divisor }));
    return substitute(of, replacements);
  };
  return renamingRules({ name: rename, expr });
}

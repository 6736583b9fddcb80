/**
 * The vector loops of a kernel that are printed with vectors of four elements, and the buffers that are declared as arrays of vectors for them.
 *
 * A loop has vectors if the number of its iterations is a constant multiple of four, its body stores values of functions that work on vectors,
 * and each load or store is either the same for all iterations or of four adjacent elements, the first at a multiple of four. An array of vectors
 * that threads share is never stored to by single elements, because WGSL may write the whole vector then.
 */
import { substitute } from "../../expr/evaluate.ts";
import { constant, type Expr, sym } from "../../expr/expr.ts";
import type { Kernel, LoopStatement, StoreStatement } from "../../kernel/ir/kernel.ts";
import type { LoadScalar, Scalar } from "../../kernel/ir/scalar.ts";
import { operandsOf, scalarsOf, statementsOf } from "../../kernel/ir/visit.ts";
import { dtypes } from "../../storage/dtype.ts";
import { isVectored } from "./wgsl-functions.ts";

export interface Vectors {
  readonly loops: ReadonlySet<LoopStatement>;
  /** The buffers that are arrays of vectors. */
  readonly packed: ReadonlySet<string>;
}

export const vectorLanes = 4;

/** Returns the loops and the buffers with vectors. `resolve` replaces names by values with known bounds. */
export function vectorsOf(kernel: Kernel, resolve: (expr: Expr) => Expr): Vectors {
  const statements = statementsOf(kernel);
  const lengths = new Map<string, number>();
  const own = new Set<string>();
  for (const { statement } of statements)
    if (statement.kind === "allocate") {
      lengths.set(statement.name, statement.length);
      if (statement.space === "rmem") own.add(statement.name);
    }
  let loops = new Map<LoopStatement, ReadonlySet<string>>();
  for (const { statement } of statements) {
    const buffers = statement.kind === "loop" ? adjacentIn(statement, resolve) : undefined;
    if (buffers !== undefined) loops.set(statement as LoopStatement, buffers);
  }
  for (;;) {
    // Single elements that are stored to, outside of the loops with vectors.
    const single = new Set(
      statements.flatMap(({ statement, loops: around }) =>
        statement.kind === "store" && !around.some((loop) => loops.has(loop)) && !own.has(statement.buffer)
          ? [statement.buffer]
          : [],
      ),
    );
    const canPack = (name: string): boolean => !single.has(name) && (lengths.get(name) ?? 0) % vectorLanes === 0;
    const kept = new Map([...loops].filter(([, buffers]) => [...buffers].every(canPack)));
    if (kept.size === loops.size)
      return { loops: new Set(kept.keys()), packed: new Set([...kept.values()].flatMap((each) => [...each])) };
    loops = kept;
  }
}

/** Returns the buffers of which a loop accesses adjacent elements; undefined if it cannot have vectors. */
function adjacentIn(loop: LoopStatement, resolve: (expr: Expr) => Expr): ReadonlySet<string> | undefined {
  const { mode, by, from, to, index } = loop;
  const isWhole = from.value === 0 && to.value !== undefined && to.value % vectorLanes === 0;
  if (mode !== "vector" || by % vectorLanes !== 0 || !isWhole) return undefined;
  const buffers = new Set<string>();
  const isAccess = ({ buffer, index: at, mask }: LoadScalar | StoreStatement): boolean => {
    if (mask !== undefined) return false;
    if (!at.symbols.has(index)) return true;
    buffers.add(buffer);
    return isAdjacent(at, index, resolve);
  };
  for (const statement of loop.body) {
    if (statement.kind !== "store" || !isAccess(statement) || !statement.index.symbols.has(index)) return undefined;
    if (!scalarsOf(statement).every((value) => hasVector(value, index) && (value.kind !== "load" || isAccess(value))))
      return undefined;
  }
  return buffers;
}

/** True if the iterations access adjacent elements, of which those of a vector are in one vector of the buffer. */
function isAdjacent(at: Expr, index: string, resolve: (expr: Expr) => Expr): boolean {
  const bounds = at.symbols.get(index);
  const own = sym(index, { min: bounds?.min ?? 0 });
  const next = substitute(at, new Map([[index, own.add(1)]]));
  const first = substitute(at, new Map([[index, constant(0)]]));
  return next.sub(at).value === 1 && resolve(first).proveDivisible(vectorLanes) === true;
}

function hasVector(value: Scalar, index: string): boolean {
  if (value.dtype !== "float32" && value.dtype !== "int32" && value.dtype !== "uint32" && value.dtype !== "float16")
    return false;
  if (value.kind === "index") return !value.value.symbols.has(index);
  if (value.kind === "call")
    return (
      dtypes[value.dtype].category === "float" &&
      isVectored(value.fn) &&
      operandsOf(value).every(({ dtype }) => dtype === value.dtype)
    );
  return value.kind !== "cast";
}

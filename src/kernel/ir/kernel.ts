/**
 * The kernel IR: one loop program over buffers, as plain readonly data that is independent of backends.
 *
 * Parameters: buffers (an address in gmem; indices count elements from it), scalars, sizes (integers), and mode lists (any number of rows of
 * (size, stride for each buffer): axes whose number is unknown when the kernel is built). Index expressions are those of `expr`, over
 * sizes, loop indices, and names bound by `index`, `fetch` and `walk`.
 *
 * The body is some `index` statements, then one `parallel` loop from 0, whose iterations are called units: workers share them, they run in any
 * order, and none depends on another. The iterations of an inner `vector` loop are independent too, and may run `by` at a time. A name is
 * bound once in a kernel, and is in scope to the end of the statement list that binds it.
 *
 * A unit may be a block of threads: then its list ends with a `threads` loop, whose iterations run at the same time. Threads meet at barriers:
 * all of them arrive at a barrier before one leaves it, and see all that was stored before. Between two barriers no thread accesses an element
 * that another one stores. What is bound before the loop is the same for all threads; smem is shared by them, rmem belongs to one.
 */
import type { Expr } from "../../expr/expr.ts";
import type { DType } from "../../storage/dtype.ts";
import type { Scalar } from "./scalar.ts";

/** Memory of the call; memory that the threads of a unit share; memory of one thread. A unit without a threads loop has one thread. */
export type KernelSpace = "gmem" | "smem" | "rmem";

export interface BufferParameter {
  readonly name: string;
  readonly dtype: DType;
  readonly access: "read" | "write" | "readwrite";
}

export interface ScalarParameter {
  readonly name: string;
  readonly dtype: DType;
}

/** An integer argument and its inclusive bounds. */
export interface SizeParameter {
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

/** Any number of rows of (size, stride in each of these buffers). */
export interface ModesParameter {
  readonly name: string;
  readonly buffers: readonly string[];
}

export interface Kernel {
  readonly name: string;
  /** True if a product may be added to a sum with one rounding, where the machine can do that. */
  readonly mayFuseProducts?: boolean;
  readonly buffers: readonly BufferParameter[];
  readonly scalars: readonly ScalarParameter[];
  readonly sizes: readonly SizeParameter[];
  readonly modes: readonly ModesParameter[];
  readonly body: readonly Statement[];
}

export type Statement =
  | LoopStatement
  | IfStatement
  | IndexStatement
  | FetchStatement
  | WalkStatement
  | LetStatement
  | StoreStatement
  | AccumulatorStatement
  | AccumulateStatement
  | AllocateStatement
  | BarrierStatement;

/** For each integer from <= index < to. An unrolled loop has constant bounds, and so has a threads loop, which starts at 0. */
export interface LoopStatement {
  readonly kind: "loop";
  readonly mode: "serial" | "parallel" | "vector" | "unrolled" | "threads";
  readonly index: string;
  readonly from: Expr;
  readonly to: Expr;
  /** The number of iterations at a time of a vector loop, a power of two; 1 for other loops. */
  readonly by: number;
  readonly body: readonly Statement[];
}

/** Runs the body if the condition is true. */
export interface IfStatement {
  readonly kind: "if";
  readonly condition: Scalar;
  readonly body: readonly Statement[];
}

/** Names an integer. */
export interface IndexStatement {
  readonly kind: "index";
  readonly name: string;
  readonly value: Expr;
}

/** Names an integer that is computed or loaded, such as an element of an index tensor. */
export interface FetchStatement {
  readonly kind: "fetch";
  readonly name: string;
  readonly value: Scalar;
}

/** Names the offset, in each buffer of a mode list, of coordinate number `position`, the first mode the fastest. */
export interface WalkStatement {
  readonly kind: "walk";
  readonly modes: string;
  readonly position: Expr;
  readonly offsets: readonly string[];
}

/** Names a value. */
export interface LetStatement {
  readonly kind: "let";
  readonly name: string;
  readonly value: Scalar;
}

/** Writes an element, if there is a mask only where it is true. */
export interface StoreStatement {
  readonly kind: "store";
  readonly buffer: string;
  readonly index: Expr;
  readonly value: Scalar;
  readonly mask?: Scalar;
}

/** A value that later statements, including those in inner loops, combine with others. */
export interface AccumulatorStatement {
  readonly kind: "accumulator";
  readonly name: string;
  readonly initial: Scalar;
}

export type Combination = "add" | "mul" | "min" | "max" | "smaller" | "larger" | "and" | "or";

/**
 * accumulator = fn(accumulator, value).
 *
 * In a vector loop by L of `count` iterations the order is fixed, so that every backend and number of threads computes the same bits: L
 * partial results, each starting at the identity of fn, take iterations k mod L of the first floor(count / L) * L iterations; they are folded
 * in halves (partial l with l + L/2, then L/4, ...); the accumulator takes the result, then the remaining iterations one by one.
 */
export interface AccumulateStatement {
  readonly kind: "accumulate";
  readonly into: string;
  readonly fn: Combination;
  readonly value: Scalar;
}

/** Memory of one unit or thread, used like a buffer under this name; its initial contents are unspecified. */
export interface AllocateStatement {
  readonly kind: "allocate";
  readonly name: string;
  readonly dtype: DType;
  readonly length: number;
  readonly space: Exclude<KernelSpace, "gmem">;
}

/** All threads of a unit wait for each other; stores before it are visible after it. Each thread reaches it, or none. */
export interface BarrierStatement {
  readonly kind: "barrier";
}

/**
 * The state while one kernel becomes one function: its names and its open loops.
 *
 * The open loops are numbered from 1; a value has the depth of the innermost one that it depends on (0: arguments alone). A value of
 * depth d that loop D > d uses is computed in the preheader of loop d + 1: inside loop d, where loop d + 1 is known to have an
 * iteration. This hoists everything that is invariant in a loop out of it.
 */
import { roundUp } from "../../../base/ints.ts";
import type { Expr } from "../../../expr/expr.ts";
import type { Polynomial } from "../../../expr/polynomial.ts";
import { KernelError } from "../../../kernel/ir/error.ts";
import type { Kernel, StoreStatement } from "../../../kernel/ir/kernel.ts";
import type { LoadScalar, Scalar } from "../../../kernel/ir/scalar.ts";
import type { DType } from "../../../storage/dtype.ts";
import { type ArgumentLayout, argumentLayout } from "../arguments.ts";
import type { Instruction } from "../encoder/instructions.ts";
import { Builder, type Code } from "./builder.ts";
import { representation, type Step } from "./representation.ts";

/** A size, a loop index, or a name bound by `index`, `fetch` or `walk`. */
interface IntegerName {
  readonly local: number;
  readonly depth: number;
  /** Added to the local: the iterations that precede this copy of a loop's body. */
  shift: number;
}

/** A name bound by `let` or `accumulator`; the local is a vector inside the vector form of a loop. */
export interface ValueName {
  readonly local: number;
  readonly depth: number;
  readonly changes: boolean;
}

/** A buffer parameter or allocated elements: the local of the address, and the element. */
interface BufferName {
  readonly local: number;
  readonly dtype: DType;
  readonly bytes: number;
}

/** The address of an element in an innermost loop: a pointer that advances with the iterations, and a byte offset from it. */
export interface Access {
  readonly pointer: Pointer;
  readonly offset: number;
  /** The access to the adjacent element, if both advance two elements per iteration. */
  readonly partner?: LoadScalar | StoreStatement;
}

export interface Pointer {
  readonly local: number;
  /** Bytes per iteration, if known. */
  readonly step: number | undefined;
  /** Elements per iteration, invariant in the loop. */
  readonly stride: Polynomial;
  readonly bytes: number;
}

/** Values that only one branch of some selects with the same condition needs; they are computed if a lane takes that branch. */
export interface Guard {
  readonly condition: Scalar;
  /** The value of the condition at which the values are needed. */
  readonly runsIf: boolean;
  /** The values that the selects choose. */
  readonly results: Set<Scalar>;
  /** Values that are computed before the guard, because others need them too. */
  readonly inputs: Set<Scalar>;
  /** True while its code is being written. */
  isOpen: boolean;
}

/** The form in which the iterations of a vector loop around other loops are lanes. */
export interface LaneForm {
  /** The loop's index, which is that of lane 0. */
  readonly index: string;
  readonly lanes: number;
  /** The values that are vectors, and their names. */
  readonly values: ReadonlySet<Scalar>;
  readonly names: ReadonlySet<string>;
  /** The stride in elements from lane to lane, of all loads and stores that depend on the index. */
  readonly strides: ReadonlyMap<LoadScalar | StoreStatement, Polynomial>;
}

/** Code, and the locals of the values that it computes. */
export interface CodeBlock {
  readonly code: Code;
  readonly values: Map<Scalar, number>;
  readonly atoms: Map<string, number>;
  /** Splats of scalar locals, by local and dtype. */
  readonly inLanes: Map<number, number>;
}

/** One emission of a loop's statements: a vector form, an unrolled copy, or the scalar form. */
export interface Body extends CodeBlock {
  readonly lanes: number;
  /** The first iteration of this body, counted from the loop's index. */
  readonly shift: number;
  /** Elements loaded into every lane. */
  readonly splats: Map<Scalar, number>;
}

/** The state of an open loop. */
export interface Scope {
  readonly depth: number;
  readonly index: string;
  /** The preheader. */
  readonly before: CodeBlock;
  readonly depths: Map<Scalar, number>;
  /** Buffers stored to, and accumulators added to, anywhere in the loop. */
  readonly changed: ReadonlySet<string>;
  /** Those of them that are also read there: values computed from them are valid until they change. */
  readonly unsteady: ReadonlySet<string>;
  /** Names bound by `index` in an innermost loop, which are substituted into the expressions that use them. */
  readonly definitions: Map<string, Expr>;
  readonly accesses: Map<LoadScalar | StoreStatement, Access>;
  /** The number of uses of each value in the loop. */
  readonly uses: Map<Scalar, number>;
  /** The innermost guard of each value that has one. */
  readonly guards: Map<Scalar, Guard>;
  /** In a vector loop: the partial results that `accumulate` adds to in the current body. */
  partials: ReadonlyMap<string, number> | undefined;
  body: Body;
}

export interface Emission {
  readonly builder: Builder;
  readonly kernel: Kernel;
  readonly layout: ArgumentLayout;
  readonly relaxedSimd: boolean;
  readonly integers: Map<string, IntegerName>;
  readonly named: Map<string, ValueName>;
  readonly buffers: Map<string, BufferName>;
  readonly scopes: Scope[];
  /** The form of the open vector loop around other loops, while its vectors are emitted. */
  lane: LaneForm | undefined;
  scratchBytes: number;
}

/** The locals of the function's three parameters. */
export const parameters = { args: 0, begin: 1, end: 2 } as const;

export function openEmission(kernel: Kernel, relaxedSimd: boolean): Emission {
  const builder = new Builder({ args: "i32", begin: "i32", end: "i32" });
  const emission: Emission = {
    builder,
    kernel,
    layout: argumentLayout(kernel),
    relaxedSimd,
    integers: new Map(),
    named: new Map(),
    buffers: new Map(),
    scopes: [],
    lane: undefined,
    scratchBytes: 0,
  };
  openScope(emission, "", new Set(), new Set());
  return emission;
}

const newBody = (code: Code, lanes = 1, shift = 0): Body => ({
  code,
  values: new Map(),
  atoms: new Map(),
  inLanes: new Map(),
  lanes,
  shift,
  splats: new Map(),
});

/** Opens the loop over `index`, or the function itself. */
export function openScope(e: Emission, index: string, changed: ReadonlySet<string>, read: ReadonlySet<string>): Scope {
  const unsteady = new Set<string>();
  for (const name of changed) if (read.has(name)) unsteady.add(name);
  const scope: Scope = {
    depth: e.scopes.length,
    index,
    before: { code: [], values: new Map(), atoms: new Map(), inLanes: new Map() },
    depths: new Map(),
    changed,
    unsteady,
    definitions: new Map(),
    accesses: new Map(),
    uses: new Map(),
    guards: new Map(),
    partials: undefined,
    body: newBody(e.scopes.length === 0 ? e.builder.code : []),
  };
  e.scopes.push(scope);
  return scope;
}

/** The innermost open loop. */
export const innermost = (e: Emission): Scope => e.scopes[e.scopes.length - 1];

/** The number of iterations that the current code computes at once. */
export const lanesNow = (e: Emission): number => e.lane?.lanes ?? innermost(e).body.lanes;

/** The block in which values of a depth are computed. */
export function blockOf(e: Emission, depth: number): CodeBlock {
  const scope = innermost(e);
  return depth >= scope.depth ? scope.body : e.scopes[depth + 1].before;
}

/** Emits a body of the innermost loop that computes `lanes` iterations, beginning `shift` after the loop's index. */
export function writeBody(e: Emission, lanes: number, shift: number, write: () => void): void {
  const scope = innermost(e);
  const before = scope.body;
  scope.body = newBody(e.builder.code, lanes, shift);
  const index = e.integers.get(scope.index) as IntegerName;
  const shiftBefore = index.shift;
  index.shift = shift;
  write();
  index.shift = shiftBefore;
  scope.body = before;
}

/** Drops the values of the open bodies that may depend on a buffer or accumulator that changes now. */
export function invalidate({ scopes }: Emission, name: string): void {
  for (const { unsteady, body } of scopes) {
    if (!unsteady.has(name)) continue;
    body.values.clear();
    body.splats.clear();
  }
}

/** The integer of this name; a size is loaded at the start of the function. */
export function integerName(e: Emission, name: string): IntegerName {
  const known = e.integers.get(name);
  if (known) return known;
  const at = e.kernel.sizes.findIndex((size) => size.name === name);
  if (at < 0) throw new KernelError(`wasm: the kernel ${e.kernel.name} has no integer ${name}. Verify it first.`);
  const size = { local: argumentWord(e, name, e.layout.sizes + 4 * at), depth: 0, shift: 0 };
  e.integers.set(name, size);
  return size;
}

/** The buffer of this name, its address loaded at the start of the function. */
export function bufferName(e: Emission, name: string): BufferName {
  const known = e.buffers.get(name);
  if (known) return known;
  const at = e.kernel.buffers.findIndex((buffer) => buffer.name === name);
  const dtype = e.kernel.buffers[at]?.dtype;
  if (dtype === undefined)
    throw new KernelError(`wasm: the kernel ${e.kernel.name} has no buffer ${name}. Verify it first.`);
  const { bytes } = representation(dtype);
  const buffer = { local: argumentWord(e, name, e.layout.buffers + 4 * at), dtype, bytes };
  e.buffers.set(name, buffer);
  return buffer;
}

/** A local with a 32-bit word of the argument block. */
export function argumentWord(e: Emission, name: string, offset: number): number {
  const { builder } = e;
  const push = (): void => builder.emit(parameters.args, ["i32.load", 2, offset]);
  return builder.hoist("i32", `argument ${offset}`, push, name);
}

/** A local with a scalar argument. */
export function scalarArgument(e: Emission, name: string): number {
  const at = e.kernel.scalars.findIndex((scalar) => scalar.name === name);
  const dtype = e.kernel.scalars[at]?.dtype;
  if (dtype === undefined)
    throw new KernelError(`wasm: the kernel ${e.kernel.name} has no scalar ${name}. Verify it first.`);
  const { builder } = e;
  const { type } = representation(dtype);
  const load: Instruction = [`${type}.load`, type === "i64" || type === "f64" ? 3 : 2, e.layout.slots[at]];
  return builder.hoist(type, `scalar ${name}`, () => builder.emit(parameters.args, load), name);
}

/** A local with the address of fresh scratch bytes, a multiple of 16. */
export function scratchLocal(e: Emission, bytes: number, name: string): number {
  const { builder } = e;
  const at = e.scratchBytes;
  e.scratchBytes += roundUp(bytes, 16);
  return builder.compute(builder.entry, "i32", name, () =>
    builder.emit(["global.get", 0], ["i32.const", at], "i32.add"),
  );
}

/** A local with the end of the innermost loop minus what a step pushes, computed before the loop. */
export function endLess(e: Emission, end: number, name: string, step: Step): number {
  const { builder } = e;
  return builder.compute(innermost(e).before.code, "i32", name, () => builder.emit(end, step, "i32.sub"));
}

/** The last index at which this many iterations are left. */
export const lastStart = (e: Emission, end: number, iterations: number): number =>
  endLess(e, end, "last_start", ["i32.const", iterations]);

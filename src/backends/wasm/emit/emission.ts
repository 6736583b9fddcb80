/**
 * The state while one kernel becomes one function: what its names are, and which loops are open.
 *
 * The open loops are numbered from 1; a thing has the depth of the innermost one that it depends on (0: arguments alone). What is
 * asked for in loop D and has a smaller depth d is computed in the preheader of loop d + 1: inside loop d, where loop d + 1 is sure
 * to have a round. This is how everything that does not change in a loop leaves it.
 */
import type { Expr } from "../../../expr/expr.ts";
import type { Polynomial } from "../../../expr/polynomial.ts";
import { KernelError } from "../../../kernel/ir/error.ts";
import type { Kernel, StoreStatement } from "../../../kernel/ir/kernel.ts";
import type { LoadScalar, Scalar } from "../../../kernel/ir/scalar.ts";
import type { DType } from "../../../storage/dtype.ts";
import { type ArgumentLayout, argumentLayout } from "../arguments.ts";
import type { Instruction } from "../encoder/instructions.ts";
import { Builder, type Code } from "./builder.ts";
import { representation } from "./representation.ts";

/** A size, a loop index, or what `index`, `fetch` and `walk` bind. */
export interface IntegerName {
  readonly local: number;
  readonly depth: number;
  /** Added to the local: the place of a copy of a loop's body among its copies. */
  shift: number;
}

/** What `let` and `accumulator` bind; the local is a vector inside the vector form of a loop. */
export interface ValueName {
  readonly local: number;
  readonly depth: number;
  readonly changes: boolean;
}

/** A buffer parameter or allocated elements: the local of the address, the element. */
export interface BufferName {
  readonly local: number;
  readonly dtype: DType;
  readonly bytes: number;
}

/** Where an element lies in an innermost loop: a pointer that moves with the rounds, and bytes after it. */
export interface Access {
  readonly pointer: Pointer;
  readonly offset: number;
  /** The access to the element after this one, or before it, where both are two elements a round. */
  readonly partner?: LoadScalar | StoreStatement;
}

export interface Pointer {
  readonly local: number;
  /** Bytes that a round moves it, if they are known. */
  readonly step: number | undefined;
  /** The same where they are not known: a polynomial that does not change in the loop, in elements. */
  readonly stride: Polynomial;
  readonly bytes: number;
}

/** Values that only one side of some selects with the same condition needs: they are computed where a lane takes that side. */
export interface Guard {
  readonly condition: Scalar;
  /** What the condition is where the values are needed. */
  readonly wanted: boolean;
  /** The values that the selects choose, and what is computed before because others need it too. */
  readonly results: Set<Scalar>;
  readonly inputs: Set<Scalar>;
  /** Whether its code is being written. */
  isOpen: boolean;
}

/** How the rounds of a vector loop around other loops become lanes. */
export interface LaneForm {
  /** The loop's index: it is that of lane 0. */
  readonly index: string;
  readonly lanes: number;
  /** The values that are vectors, and the names of such. */
  readonly values: ReadonlySet<Scalar>;
  readonly names: ReadonlySet<string>;
  /** How many elements the next lane is away, of all loads and stores that depend on the index. */
  readonly strides: ReadonlyMap<LoadScalar | StoreStatement, Polynomial>;
}

/** Code, and the locals of what it has computed. */
export interface Place {
  readonly code: Code;
  readonly values: Map<Scalar, number>;
  readonly atoms: Map<string, number>;
  /** Locals that are in every lane of another one, by local and dtype. */
  readonly inLanes: Map<number, number>;
}

/** One emission of a loop's statements: a vector form, a copy, or the plain one. */
export interface Body extends Place {
  readonly lanes: number;
  /** Which round of the present ones this body does, or begins with. */
  readonly shift: number;
  /** Elements that were loaded into every lane. */
  readonly splats: Map<Scalar, number>;
}

/** What is known while a loop is open. */
export interface Scope {
  readonly depth: number;
  readonly index: string;
  /** In front of the loop. */
  readonly before: Place;
  readonly depths: Map<Scalar, number>;
  /** Buffers stored to, and accumulators added to, anywhere in the loop. */
  readonly changed: ReadonlySet<string>;
  /** Those of them that are also read there: a value made of them holds until they change. */
  readonly unsteady: ReadonlySet<string>;
  /** Names bound by `index` in an innermost loop, which are put into the expressions that use them. */
  readonly definitions: Map<string, Expr>;
  readonly accesses: Map<LoadScalar | StoreStatement, Access>;
  /** How often a value occurs in the loop. */
  readonly uses: Map<Scalar, number>;
  /** The innermost guard of each value that has one. */
  readonly guards: Map<Scalar, Guard>;
  /** Of a vector loop: where `accumulate` adds to instead, for the present body. */
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
  /** The form of the open vector loop around other loops, while its vectors are written. */
  lane: LaneForm | undefined;
  scratchBytes: number;
}

/** The three parameters of the function, as locals. */
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

export const newBody = (code: Code, lanes = 1, shift = 0): Body => ({
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

/** How many rounds are done at once where code is written now. */
export const lanesNow = (e: Emission): number => e.lane?.lanes ?? innermost(e).body.lanes;

/** Where things of a depth are computed, and what is known there already. */
export function placeOf(e: Emission, depth: number): Place {
  const scope = innermost(e);
  return depth >= scope.depth ? scope.body : e.scopes[depth + 1].before;
}

/** Writes a body of the innermost loop that does `lanes` rounds, from number `shift` of the present ones on. */
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

/** Writes something for one of the rounds that the present body does. */
export const atRound = (e: Emission, round: number, write: () => void): void => writeBody(e, 1, round, write);

/** Forgets what the open bodies have computed, if it may be made of what changes now. */
export function forget({ scopes }: Emission, name: string): void {
  for (const { unsteady, body } of scopes) {
    if (!unsteady.has(name)) continue;
    body.values.clear();
    body.splats.clear();
  }
}

/** The integer of this name; a size is loaded at the start of the function when it is first asked for. */
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
  return builder.hoist(
    "i32",
    `argument ${offset}`,
    () => {
      builder.get(parameters.args);
      builder.op("i32.load", 2, offset);
    },
    name,
  );
}

/** A local with a scalar argument. */
export function scalarArgument(e: Emission, name: string): number {
  const at = e.kernel.scalars.findIndex((scalar) => scalar.name === name);
  const dtype = e.kernel.scalars[at]?.dtype;
  if (dtype === undefined)
    throw new KernelError(`wasm: the kernel ${e.kernel.name} has no scalar ${name}. Verify it first.`);
  const { builder } = e;
  const { type } = representation(dtype);
  return builder.hoist(
    type,
    `scalar ${name}`,
    () => {
      builder.get(parameters.args);
      builder.op(`${type}.load`, type === "i64" || type === "f64" ? 3 : 2, e.layout.slots[at]);
    },
    name,
  );
}

/** A local with the end of the innermost loop less what an instruction gives, computed in front of it. */
export function endLess(e: Emission, end: number, name: string, what: Instruction): number {
  const { builder } = e;
  const local = builder.local("i32", name);
  builder.into(innermost(e).before.code, () => {
    builder.get(end);
    builder.put(what);
    builder.op("i32.sub");
    builder.set(local);
  });
  return local;
}

/** The last index at which so many rounds are left. */
export const lastStart = (e: Emission, end: number, rounds: number): number =>
  endLess(e, end, "last_start", ["i32.const", rounds]);

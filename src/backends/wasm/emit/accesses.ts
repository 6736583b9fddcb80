/**
 * The elements that an innermost loop accesses, as pointers that advance with its iterations.
 *
 * An index stride * i + rest, whose stride and rest are invariant in the loop, becomes a byte pointer that is set before the loop and
 * advanced after each iteration. Accesses to one buffer with the same stride share a pointer if their rests differ by a small constant.
 * An index of a different form has no entry: its address is computed in each iteration.
 */
import { getOrCompute } from "../../../base/lazy.ts";
import { substitute } from "../../../expr/evaluate.ts";
import { exprOf } from "../../../expr/expr.ts";
import {
  type Atom,
  collectTerms,
  type Polynomial,
  polynomialKey,
  type Term,
  withoutAtoms,
} from "../../../expr/polynomial.ts";
import type { StoreStatement } from "../../../kernel/ir/kernel.ts";
import type { LoadScalar } from "../../../kernel/ir/scalar.ts";
import { type Access, blockOf, bufferName, type Emission, innermost, type Pointer } from "./emission.ts";
import { depthOfAtom, depthOfIndex, multiplyBy, pushIndex } from "./emit-index.ts";

/** A load or a store whose address changes with the loop. */
export type MemoryAccess = LoadScalar | StoreStatement;

interface Candidate {
  readonly accessing: MemoryAccess;
  readonly index: Polynomial;
  readonly stride: Polynomial;
}

/** The largest distance in bytes at which accesses share a pointer: the heap reserves its first 64 kB, so no address wraps around. */
const farthest = 65535;

/** Substitutes the names that the innermost loop defines into an expression. */
export function expanded(e: Emission, index: Polynomial): Polynomial {
  const { definitions } = innermost(e);
  return definitions.size === 0 ? index : substitute(exprOf(index), definitions);
}

/** The elements by which one iteration of the innermost loop moves the index; undefined if that varies between iterations. */
export function strideOf(e: Emission, { terms }: Polynomial): Polynomial | undefined {
  const scope = innermost(e);
  const strides: Term[] = [];
  for (const term of terms) {
    let own: Atom | undefined;
    for (const atom of term.atoms) {
      if (atom.kind === "symbol" && atom.name === scope.index && own === undefined && term.den === 1) own = atom;
      else if (depthOfAtom(e, atom) >= scope.depth) return undefined;
    }
    if (own !== undefined) strides.push(withoutAtoms(term, [own]) as Term);
  }
  return collectTerms(strides);
}

/** Opens the pointers of the innermost loop for all accesses that can have one. */
export function planAccesses(e: Emission, all: readonly MemoryAccess[]): void {
  const groups = new Map<string, Candidate[]>();
  for (const accessing of all) {
    const index = expanded(e, accessing.index);
    const stride = strideOf(e, index);
    if (stride === undefined) continue;
    const key = `${accessing.buffer} ${polynomialKey(stride)} ${polynomialKey({ ...index, constant: 0 })}`;
    getOrCompute(groups, key, () => []).push({ accessing, index, stride });
  }
  for (const group of groups.values()) planGroup(e, group);
}

function planGroup(e: Emission, group: Candidate[]): void {
  const { accesses } = innermost(e);
  group.sort((a, b) => a.index.constant - b.index.constant);
  let base = group[0];
  let pointer = openPointer(e, base);
  let last: MemoryAccess | undefined;
  for (const candidate of group) {
    const { bytes } = pointer;
    if ((candidate.index.constant - base.index.constant) * bytes > farthest) {
      base = candidate;
      pointer = openPointer(e, base);
      last = undefined;
    }
    const { accessing } = candidate;
    const offset = (candidate.index.constant - base.index.constant) * bytes;
    const before = last && accesses.get(last);
    accesses.set(accessing, { pointer, offset });
    if (before && last?.kind === accessing.kind && pointer.step === 2 * bytes && before.offset === offset - bytes) {
      accesses.set(last, { ...before, partner: accessing });
      accesses.set(accessing, { pointer, offset, partner: last });
      last = undefined;
    } else last = accessing;
  }
}

function openPointer(e: Emission, { accessing: { buffer: name }, index, stride }: Candidate): Pointer {
  const { builder } = e;
  const { bytes } = bufferName(e, name);
  const local = builder.compute(innermost(e).before.code, "i32", `${name}_at`, () => pushAddress(e, name, index));
  const step = stride.terms.length === 0 ? stride.constant * bytes : undefined;
  return { local, step, stride, bytes };
}

/** Pushes the address of an element. */
function pushAddress(e: Emission, name: string, index: Polynomial): void {
  const { builder } = e;
  const { local, bytes } = bufferName(e, name);
  if (index.terms.length === 0 && index.constant === 0) {
    builder.get(local);
    return;
  }
  pushIndex(e, index);
  multiplyBy(e, bytes);
  builder.emit(local, "i32.add");
}

/** Pushes an address, and returns the byte offset from it to the element of this iteration. */
export function pushElement(e: Emission, accessing: MemoryAccess): number {
  const { accesses, body } = innermost(e);
  const access = accesses.get(accessing);
  if (access !== undefined) return pushAccess(e, access, body.shift);
  pushAddress(e, accessing.buffer, expanded(e, accessing.index));
  return 0;
}

/** The same for an access with a pointer, a number of iterations later. */
export function pushAccess(e: Emission, { pointer, offset }: Access, iterations: number): number {
  const moved = (pointer.step ?? -1) * iterations;
  if (moved >= 0) {
    e.builder.get(pointer.local);
    return offset + moved;
  }
  pushMoved(e, pointer, iterations);
  return offset;
}

/** Pushes the address of a pointer a number of iterations later. */
export function pushMoved(e: Emission, { local, step, stride, bytes }: Pointer, iterations: number): void {
  const { builder } = e;
  builder.get(local);
  if (iterations === 0 || step === 0) return;
  if (step !== undefined) builder.op("i32.const", step * iterations);
  else builder.get(strideLocal(e, stride, bytes * iterations));
  builder.op("i32.add");
}

/** A local with a stride times a constant, computed before the loops in which it is invariant. */
function strideLocal(e: Emission, stride: Polynomial, times: number): number {
  const { code, atoms } = blockOf(e, depthOfIndex(e, stride));
  return getOrCompute(atoms, `${polynomialKey(stride)} times ${times}`, () =>
    e.builder.compute(code, "i32", "step", () => {
      pushIndex(e, stride);
      multiplyBy(e, times);
    }),
  );
}

/** Advances the pointers of the innermost loop by a number of iterations. */
export function advancePointers(e: Emission, iterations: number): void {
  const moved = new Set<Pointer>();
  for (const { pointer } of innermost(e).accesses.values()) {
    if (moved.has(pointer) || pointer.step === 0) continue;
    moved.add(pointer);
    pushMoved(e, pointer, iterations);
    e.builder.set(pointer.local);
  }
}

/**
 * The elements that an innermost loop touches, as pointers that move with its rounds.
 *
 * An index that is stride * i + rest, with a stride and a rest that do not change in the loop, becomes a byte pointer, set in front
 * of the loop and advanced after each round. Accesses to one buffer with the same stride whose rests differ by a small constant
 * share a pointer. An index of another form has no entry: its address is computed in each round.
 */
import { substitute } from "../../../expr/evaluate.ts";
import { exprOf } from "../../../expr/expr.ts";
import {
  type Atom,
  collect,
  type Polynomial,
  polynomialKey,
  type Term,
  withoutAtoms,
} from "../../../expr/polynomial.ts";
import type { StoreStatement } from "../../../kernel/ir/kernel.ts";
import type { LoadScalar } from "../../../kernel/ir/scalar.ts";
import { type Access, bufferName, type Emission, innermost, type Pointer, placeOf } from "./emission.ts";
import { depthOfAtom, depthOfIndex, multiplyBy, pushIndex } from "./emit-index.ts";

/** A load or a store whose place moves with the loop. */
export type Accessing = LoadScalar | StoreStatement;

interface Candidate {
  readonly accessing: Accessing;
  readonly index: Polynomial;
  readonly stride: Polynomial;
}

/** Pointers are shared up to this distance: the first 64 kB of the heap are kept back, so none of them wraps around. */
const farthest = 65535;

/** An expression with the names that the innermost loop defines put in. */
export function expanded(e: Emission, index: Polynomial): Polynomial {
  const { definitions } = innermost(e);
  return definitions.size === 0 ? index : substitute(exprOf(index), definitions);
}

/** How many elements a round of the innermost loop moves the index: undefined if that is not the same for all rounds. */
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
  return collect(strides);
}

/** Gives the innermost loop a pointer for each of these where it can be. */
export function planAccesses(e: Emission, all: readonly Accessing[]): void {
  const groups = new Map<string, Candidate[]>();
  for (const accessing of all) {
    const index = expanded(e, accessing.index);
    const stride = strideOf(e, index);
    if (stride === undefined) continue;
    const key = `${accessing.buffer} ${polynomialKey(stride)} ${polynomialKey({ ...index, constant: 0 })}`;
    const group = groups.get(key);
    if (group) group.push({ accessing, index, stride });
    else groups.set(key, [{ accessing, index, stride }]);
  }
  for (const group of groups.values()) planGroup(e, group);
}

function planGroup(e: Emission, group: Candidate[]): void {
  const { accesses } = innermost(e);
  group.sort((a, b) => a.index.constant - b.index.constant);
  let base = group[0];
  let pointer = openPointer(e, base);
  let last: Accessing | undefined;
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
  const { code } = innermost(e).before;
  const buffer = bufferName(e, name);
  const local = builder.local("i32", `${name}_at`);
  builder.into(code, () => {
    pushAddress(e, name, index);
    builder.set(local);
  });
  const step = stride.terms.length === 0 ? stride.constant * buffer.bytes : undefined;
  return { local, step, stride, bytes: buffer.bytes };
}

/** Pushes the address of an element. */
export function pushAddress(e: Emission, name: string, index: Polynomial): void {
  const { builder } = e;
  const { local, bytes } = bufferName(e, name);
  if (index.terms.length === 0 && index.constant === 0) {
    builder.get(local);
    return;
  }
  pushIndex(e, index);
  multiplyBy(e, bytes);
  builder.get(local);
  builder.op("i32.add");
}

/** Pushes an address, and gives the bytes after it where the element of this round lies. */
export function pushElement(e: Emission, accessing: Accessing): number {
  const { accesses, body } = innermost(e);
  const access = accesses.get(accessing);
  if (access !== undefined) return pushPlace(e, access, body.shift);
  pushAddress(e, accessing.buffer, expanded(e, accessing.index));
  return 0;
}

/** The same for a place that is known, some rounds later. */
export function pushPlace(e: Emission, { pointer, offset }: Access, round: number): number {
  const moved = (pointer.step ?? -1) * round;
  if (moved >= 0) {
    e.builder.get(pointer.local);
    return offset + moved;
  }
  pushMoved(e, pointer, round);
  return offset;
}

/** Pushes where the pointer is some rounds later. */
export function pushMoved(e: Emission, { local, step, stride, bytes }: Pointer, rounds: number): void {
  const { builder } = e;
  builder.get(local);
  if (rounds === 0 || step === 0) return;
  if (step !== undefined) builder.op("i32.const", step * rounds);
  else builder.get(strideLocal(e, stride, bytes * rounds));
  builder.op("i32.add");
}

/** A local with a stride times a constant, computed in front of the loops that it does not change in. */
function strideLocal(e: Emission, stride: Polynomial, times: number): number {
  const { builder } = e;
  const { code, atoms } = placeOf(e, depthOfIndex(e, stride));
  const key = `${polynomialKey(stride)} times ${times}`;
  let local = atoms.get(key);
  if (local === undefined) {
    local = builder.local("i32", "step");
    const result = local;
    builder.into(code, () => {
      pushIndex(e, stride);
      multiplyBy(e, times);
      builder.set(result);
    });
    atoms.set(key, local);
  }
  return local;
}

/** Moves the pointers of the innermost loop on. */
export function advancePointers(e: Emission, rounds: number): void {
  const moved = new Set<Pointer>();
  for (const { pointer } of innermost(e).accesses.values()) {
    if (moved.has(pointer) || pointer.step === 0) continue;
    moved.add(pointer);
    pushMoved(e, pointer, rounds);
    e.builder.set(pointer.local);
  }
}

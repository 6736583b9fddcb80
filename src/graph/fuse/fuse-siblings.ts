/**
 * Maps over the same elements that do not depend on each other become one kernel with several outputs, so that common inputs are read once.
 */

import { MapKernel } from "../../kernel/map/map.ts";
import { maxOperands } from "../../kernel/map/spec.ts";
import type { ElementStorage, Operand } from "../../kernel/operand.ts";
import type { MapWork } from "../../kernel/program/builder.ts";
import { dtypes } from "../../storage/dtype.ts";
import { nodesOf } from "../lower/tasks.ts";
import { fusedKernel, nameOf, numberOf } from "./fused-kernels.ts";
import { isEqual, isInPlaceSafe, mayShareBytes } from "./overlap.ts";
import { bodyOf, functionsOf } from "./spec-values.ts";
import type { TaskList } from "./task-list.ts";

/** The largest number of functions that such a kernel computes for an element: its values stay in registers. */
const maxFunctions = 32;

/** True if an operand reads more than a few elements. */
const isLarge = ({ shape, stride }: Operand): boolean => shape.some((size, d) => size > 1 && stride[d] !== 0);

/** True if a map may be computed together with another one. */
const isPlain = ({ kernel: { spec }, operands }: MapWork): boolean =>
  spec.isMasked !== true && spec.isCopy !== true && operands.outputs.every(isLarge);

/** Returns one map that computes two; null if that is not possible, or saves no reads. */
export function fuseSiblings(one: MapWork, other: MapWork): MapWork | null {
  const [a, b] = [one.operands, other.operands];
  const [first, second] = [bodyOf(one.kernel), bodyOf(other.kernel)];
  if (first === null || second === null || !isPlain(one) || !isPlain(other)) return null;
  if (`${a.outputs[0].shape}` !== `${b.outputs[0].shape}` || one.idempotent !== other.idempotent) return null;
  if (functionsOf(one) + functionsOf(other) > maxFunctions) return null;
  const outputs = [...a.outputs, ...b.outputs];
  const sizes = new Set(outputs.map(({ dtype }) => dtypes[dtype].itemsize));
  if (sizes.size > 1 || !areApart(a.outputs, b.outputs)) return null;
  if (!b.inputs.some((input) => isLarge(input) && a.inputs.some((each) => isEqual(each, input)))) return null;
  const inputs = [...a.inputs];
  const wiring = b.inputs.map((input) => {
    const index = inputs.findIndex((each) => isEqual(each, input));
    return index >= 0 ? index : inputs.push(input) - 1;
  });
  if (inputs.length + outputs.length > maxOperands || !isInPlaceSafe(outputs, inputs)) return null;
  const [{ spec }, { spec: otherSpec }] = [one.kernel, other.kernel];
  const kernel = fusedKernel(
    `siblings ${numberOf(one.kernel)} ${numberOf(other.kernel)} ${wiring} ${inputs.map(({ dtype }) => dtype)}`,
    () =>
      new MapKernel({
        name: nameOf(spec.name, otherSpec.name),
        outputs: outputs.map(({ dtype }) => dtype),
        inputs: inputs.map(({ dtype }) => dtype),
        scalars: [...spec.scalars, ...otherSpec.scalars],
        body: (values, scalars) => [
          ...first(values.slice(0, a.inputs.length), scalars.slice(0, spec.scalars.length)),
          ...second(
            wiring.map((k) => values[k]),
            scalars.slice(spec.scalars.length),
          ),
        ],
      }),
  );
  return { ...one, kernel, operands: { outputs, inputs, scalars: [...a.scalars, ...b.scalars] } };
}

const areApart = (some: readonly Operand[], others: readonly Operand[]): boolean =>
  some.every((a) => others.every((b) => !mayShareBytes(a.storage, b.storage)));

type Storages = NonNullable<ReturnType<TaskList["storagesAt"]>>;

/** True if two lists of storages may share bytes. */
const meet = (some: readonly ElementStorage[], others: readonly ElementStorage[]): boolean =>
  some.some((a) => others.some((b) => mayShareBytes(a, b)));

/** True if task k may be moved past the tasks between `from` and `to`, whose reads and writes do not conflict with its own. */
function canPass(list: TaskList, k: number, from: number, to: number): boolean {
  const { reads, writes } = list.storagesAt(k) as Storages;
  for (let other = from + 1; other < to; other++) {
    const theirs = list.storagesAt(other);
    if (theirs === null) continue;
    if (meet(writes, theirs.reads) || meet(writes, theirs.writes) || meet(reads, theirs.writes)) return false;
  }
  return true;
}

/** The largest number of tasks between siblings. */
const reach = 24;

/** Fuses siblings in a list of tasks. */
export function fuseAllSiblings(list: TaskList): void {
  for (let at = 0; at < list.length; at++) {
    for (let to = at + 1; to < Math.min(list.length, at + reach); to++) {
      const [one, other] = [list.at(at), list.at(to)];
      if (one?.kind !== "map") break;
      if (other?.kind !== "map") continue;
      const both = fuseSiblings(one, other);
      if (both === null) continue;
      if (meet((list.storagesAt(at) as Storages).writes, (list.storagesAt(to) as Storages).reads)) continue;
      // The later one is moved up, or else the earlier one down.
      const isUp = canPass(list, to, at, to);
      if (!isUp && !canPass(list, at, at, to)) continue;
      const fused = { ...both, nodes: nodesOf(one, other) };
      list.set(at, isUp ? fused : null);
      list.set(to, isUp ? null : fused);
    }
  }
}

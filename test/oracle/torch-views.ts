/**
 * Chains of views: a base over a float32 storage 0, 1, 2, ..., operations one after the other, and after each what the tensor is.
 * A chain with an error passes when ours is refused at the same operation.
 */
import { isDeepStrictEqual } from "node:util";
import { StridewiseError } from "../../src/base/errors.ts";
import { boot } from "../../src/boot.ts";
import { Storage } from "../../src/storage/storage.ts";
import { axesOf } from "../../src/tensor/axes.ts";
import { emptyFor } from "../../src/tensor/clone.ts";
import { type Tensor, tensorOver } from "../../src/tensor/tensor.ts";
import { failed, passed, type Verdict } from "./judge.ts";
import { knownView } from "./known-differences.ts";
import { elementsOf } from "./torch-values.ts";
import { type Json, UnknownFormError } from "./values.ts";

type Numbers = readonly number[];
type Op = readonly [name: string, ...args: Json[]];

interface Chain {
  readonly base: {
    readonly shape: Numbers;
    readonly stride: Numbers;
    readonly offset: number;
    readonly storage: number;
  };
  readonly ops: readonly Op[];
  readonly steps: readonly Readonly<Record<string, Json>>[];
  readonly values: Numbers;
  readonly error?: { readonly at: number; readonly msg: string };
}

/** A float32 tensor 0, 1, 2, ... that owns its storage. */
export function counted(size: number): Tensor {
  boot();
  const storage = Storage.allocate(size * 4);
  const t = tensorOver(storage, "float32", 0, [size], [1]);
  for (let i = 0; i < size; i++) t.set(i, i);
  return t;
}

const n = (recorded: Json | undefined): number => recorded as number;
const ns = (recorded: Json | undefined): Numbers => recorded as Numbers;

const operations: Readonly<Record<string, (t: Tensor, args: readonly Json[]) => Tensor | undefined>> = {
  permute: (t, [order]) => t.permute(ns(order)),
  transpose: (t, [a, b]) => t.transpose(n(a), n(b)),
  movedim: (t, [from, to]) => t.movedim(ns(from), ns(to)),
  narrow: (t, [axis, start, length]) => t.narrow(n(axis), n(start), n(length)),
  slice: (t, [axis, start, stop, step]) => t.slice(n(axis), n(start), n(stop), n(step)),
  select: (t, [axis, index]) => t.select(n(axis), n(index)),
  expand: (t, [shape]) => t.expand(ns(shape)),
  unsqueeze: (t, [axis]) => t.unsqueeze(n(axis)),
  squeeze: (t) => t.squeeze(),
  squeeze_dim: (t, [axis]) => t.squeeze(n(axis)),
  reshape: (t, [shape]) => t.reshape(ns(shape)),
  view: (t, [shape]) => t.view(ns(shape)),
  flip: (t, [axes]) => flipped(t, ns(axes)),
  diagonal: (t, [offset, a, b]) => t.diagonal(n(offset), n(a), n(b)),
  unfold: (t, [axis, size, step]) => t.unfold(n(axis), n(size), n(step)),
  split: (t, [size, axis, piece]) => t.split(n(size), n(axis))[n(piece)],
  as_strided: (t, [sizes, strides, offset]) =>
    t.asStrided(ns(sizes), ns(strides), offset === null ? undefined : n(offset)),
};

/** PyTorch's flip: a copy in the strides that a copy of the source would have, its axes read backwards. */
export function flipped(t: Tensor, axes: Numbers): Tensor {
  const copy = emptyFor("flip", t, "preserve");
  let backwards = t;
  for (const axis of axesOf("flip", t, axes)) backwards = backwards.slice(axis, null, null, -1);
  return copy.copy_(backwards);
}

const overlaps = ["no", "yes", "unknown"];

/** The recorded facts of one step that ours has otherwise. */
function differences(t: Tensor, root: Tensor, step: Readonly<Record<string, Json>>): string[] {
  const ours: Readonly<Record<string, Json>> = {
    shape: [...t.shape],
    stride: [...t.stride],
    offset: t.storageOffset,
    contig: t.isContiguous(),
    cl: t.isContiguous("channelsLast"),
    cl3d: t.isContiguous("channelsLast3d"),
    shares: t.storage === root.storage,
    overlap: overlaps.indexOf(t.overlap),
    like_stride: [...emptyFor("emptyLike", t, "preserve").stride],
    dense: t.size === 0 ? null : t.isNonOverlappingAndDense,
  };
  const unknown = Object.keys(step).filter((fact) => !(fact in ours));
  if (unknown.length > 0) throw new UnknownFormError(`the facts ${unknown.join(", ")} of a view`);
  return Object.keys(step)
    .filter((fact) => !isDeepStrictEqual(ours[fact], step[fact]))
    .map((fact) => `${fact} ${JSON.stringify(ours[fact])}, recorded ${JSON.stringify(step[fact])}`);
}

/** Runs the chain and compares every step. */
export function judgeViews(fields: unknown): Verdict {
  const { base, ops, steps, values, error } = fields as Chain;
  const root = counted(base.storage);
  let t: Tensor = root.asStrided(base.shape, base.stride, base.offset);
  for (let at = 0; ; at++) {
    const where = at === 0 ? "the base" : `after op ${at - 1}, ${JSON.stringify(ops[at - 1])}`;
    const wrong = differences(t, root, steps[at] as Readonly<Record<string, Json>>);
    if (wrong.length > 0) return failed(`the recorded facts of ${where}`, wrong.join("; "));
    if (at === ops.length) break;
    const [name, ...args] = ops[at] as Op;
    const run = operations[name];
    if (run === undefined) throw new UnknownFormError(`the view ${name}`);
    try {
      t = run(t, args) as Tensor;
    } catch (refusal) {
      if (!(refusal instanceof StridewiseError)) throw refusal;
      if (error?.at === at) return passed("refused too");
      return failed(error ? `a refusal at op ${error.at}` : "no refusal", `at op ${at}: ${refusal.message}`);
    }
    if (error?.at === at)
      return knownView(name, args) ?? failed(`a refusal: ${error.msg}`, `a tensor of shape [${t.shape.join(", ")}]`);
  }
  const elements = elementsOf(t, 64);
  return isDeepStrictEqual(elements, [...values]) ? passed("equal") : failed(values.join(" "), elements.join(" "));
}

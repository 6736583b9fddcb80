/**
 * Gradients inside `vmap`. Calls are recorded on the values below batched tensors, so gradients are found there, for all samples at once:
 * each sample's outputs depend on its own inputs only. What is not batched, and differentiated by inside, would get the sum over the
 * samples; it is repeated for each of them before (`leafOf`), or its gradients are found sample after sample.
 */

import { listOf } from "../../base/list-of.ts";
import { stack } from "../../ops/movement/join.ts";
import { fullLike } from "../../tensor/create/create.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { detach, expand, select, unsqueeze } from "../../tensor/views/view-ops.ts";
import { checkImplicit, grad } from "../api.ts";
import { AutogradError } from "../error.ts";
import { enableGrad } from "../scopes.ts";
import { type GraphFlags, installWrapping, type Wrapping } from "../wrapped.ts";
import { mapTensors, tensorsOf } from "./arguments.ts";
import { BatchedTensor, below, currentLevel, isBatched, type Level, wrap } from "./batched.ts";
import { beside } from "./loop.ts";

/** Puts gradients of batched tensors into autograd. */
export function installBatchedGradients(): void {
  installWrapping(batchedGradients);
}

function levelOf(tensors: readonly (Tensor | null | undefined)[]): Level | null {
  let found: Level | null = null;
  for (const t of tensors)
    if (t instanceof BatchedTensor && (found === null || t.level.depth > found.depth)) found = t.level;
  return found;
}

/** A tensor with the batch in front, recorded if it takes part. */
const spread = (t: Tensor, level: Level): Tensor =>
  isBatched(t, level) ? t.value : enableGrad(() => expand(unsqueeze(t, 0), [level.size, ...sizesOf(t)]));

/** The gradient that an output starts from: for all samples. */
function startOf(t: Tensor, given: Tensor | null | undefined, level: Level, k: number): Tensor {
  if (given == null) {
    checkImplicit("grad", t, "Sum it up first");
    return fullLike(detach(spread(t, level)), 1);
  }
  const [shape, wanted] = [sizesOf(given).join(", "), sizesOf(t).join(", ")];
  if (shape !== wanted || given.rank !== t.rank)
    throw new AutogradError(`grad: the gradient of output ${k} has shape [${shape}], and the output [${wanted}]`);
  return spread(given, level);
}

function gradients(
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  given: readonly (Tensor | null | undefined)[],
  { retainGraph, createGraph }: GraphFlags,
): (Tensor | null)[] | null {
  const level = levelOf([...outputs, ...inputs]);
  const outer = levelOf(given);
  // Of a graph without batches, the way back runs as it is, and its ops see that the gradients are batched.
  if (level === null) return null;
  if (outer !== null && outer.depth > level.depth)
    return eachStart(outputs, inputs, given, { retainGraph, createGraph }, outer);
  return below(level, () => {
    const all = outputs.map((t) => spread(t, level));
    const starts = outputs.map((t, k) => startOf(t, given[k], level, k));
    const own = inputs.filter((t): t is BatchedTensor => isBatched(t, level));
    const shared = inputs.filter((t) => !isBatched(t, level));
    const flags = { createGraph, allowUnused: true as const };
    const bySample = shared.length === 0 ? [] : sampleBySample(all, shared, starts, flags, level);
    const ofOwn =
      own.length === 0
        ? []
        : grad(
            all,
            own.map((t) => t.value),
            { ...flags, gradOutputs: starts, retainGraph },
          );
    return inputs.map((t) => {
      const found = isBatched(t, level) ? ofOwn[own.indexOf(t)] : bySample[shared.indexOf(t)];
      return found == null ? null : wrap(found, level);
    });
  });
}

/** Gradients that start from a batch inside the one that outputs belong to: sample after sample of the inner one. */
function eachStart(
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  given: readonly (Tensor | null | undefined)[],
  { retainGraph, createGraph }: GraphFlags,
  level: Level,
): (Tensor | null)[] {
  const rows = below(level, () =>
    listOf(level.size, (sample) =>
      grad(outputs, inputs, {
        gradOutputs: given.map((t) => (isBatched(t, level) ? select(t.value, 0, sample) : (t ?? null))),
        createGraph,
        retainGraph: retainGraph || sample < level.size - 1,
        allowUnused: true,
      }),
    ),
  );
  return inputs.map((_, k) => {
    const each = rows.map((row) => row[k]);
    if (each.includes(null)) return null;
    return wrap(
      below(level, () => stack(each as Tensor[])),
      level,
    );
  });
}

/** The gradients of tensors that all samples share, for each sample. The graph stays. */
function sampleBySample(
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  starts: readonly Tensor[],
  flags: { readonly createGraph: boolean; readonly allowUnused: true },
  { size }: Level,
): (Tensor | null)[] {
  const rows = listOf(size, (sample) =>
    grad(
      outputs.map((t) => enableGrad(() => select(t, 0, sample))),
      inputs,
      { ...flags, gradOutputs: starts.map((t) => select(t, 0, sample)), retainGraph: true },
    ),
  );
  return inputs.map((_, k) => {
    const each = rows.map((row) => row[k]);
    return each.includes(null) ? null : stack(each as Tensor[]);
  });
}

const batchedGradients: Wrapping = {
  under(tensors, fn) {
    const level = levelOf(tensors);
    if (level === null) return null;
    const result = below(level, () => fn(...tensors.map((t) => spread(t, level))));
    return mapTensors(result, (t) => wrap(t, level));
  },
  grad: gradients,
  leafOf(t) {
    const level = currentLevel();
    if (level === null) return t;
    const value = isBatched(t, level) ? t.value : null;
    return below(level, () => {
      const inner = batchedGradients.leafOf(value ?? t);
      if (value !== null && inner === value) return t;
      return wrap(value === null ? spread(inner, level) : inner, level);
    });
  },
  each(name, args, call) {
    const level = levelOf(tensorsOf(args));
    if (level === null) return null;
    const results = below(level, () =>
      listOf(level.size, (sample) =>
        call(mapTensors([...args], (t) => (isBatched(t, level) ? select(t.value, 0, sample) : t))),
      ),
    );
    const result = below(level, () => beside(name, results));
    return { result: mapTensors(result, (t) => wrap(t, level)) };
  },
};

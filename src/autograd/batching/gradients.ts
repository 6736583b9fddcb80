/**
 * Gradients inside `vmap`. Calls are recorded on the values of batched tensors, so gradients are computed there, for all samples at once: the
 * outputs of a sample depend on its own inputs only. An unbatched tensor that is differentiated by inside would get the sum over the samples;
 * it is repeated for each sample before (`leafOf`), or its gradients are computed sample by sample.
 */
import { listOf } from "../../base/list-of.ts";
import { stack } from "../../ops/movement/join.ts";
import { fullLike } from "../../tensor/create/create-ops.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { detach, expand, select, unsqueeze } from "../../tensor/views/view-ops.ts";
import { checkImplicit, grad } from "../api.ts";
import { AutogradError } from "../error.ts";
import { enableGrad } from "../scopes.ts";
import { type GraphFlags, installWrapping, type Wrapping } from "../wrapped.ts";
import { atOuterLevels, BatchedTensor, currentLevel, isBatched, type Level, wrap } from "./batched.ts";
import { stackResults } from "./loop.ts";
import { mapTensors, tensorsOf } from "./rule.ts";

/** Installs gradients of batched tensors in autograd. */
export function installBatchedGradients(): void {
  installWrapping(batchedGradients);
}

function levelOf(tensors: readonly (Tensor | null | undefined)[]): Level | null {
  let level: Level | null = null;
  for (const t of tensors)
    if (t instanceof BatchedTensor && (level === null || t.level.depth > level.depth)) level = t.level;
  return level;
}

/** A tensor with the batch in front, recorded if it requires a gradient. */
const expandToLevel = (t: Tensor, level: Level): Tensor =>
  isBatched(t, level) ? t.value : enableGrad(() => expand(unsqueeze(t, 0), [level.size, ...sizesOf(t)]));

/** The gradient of an output, for all samples. */
function startOf(t: Tensor, start: Tensor | null | undefined, level: Level, k: number): Tensor {
  if (start == null) {
    checkImplicit("grad", t, "Sum it first");
    return fullLike(detach(expandToLevel(t, level)), 1);
  }
  const [shape, expected] = [sizesOf(start).join(", "), sizesOf(t).join(", ")];
  if (shape !== expected || start.rank !== t.rank)
    throw new AutogradError(
      `grad: the gradient of output ${k} must have the shape [${expected}] of the output, got [${shape}]`,
    );
  return expandToLevel(start, level);
}

function gradients(
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  starts: readonly (Tensor | null | undefined)[],
  { retainGraph, createGraph }: GraphFlags,
): (Tensor | null)[] | null {
  const level = levelOf([...outputs, ...inputs]);
  const inner = levelOf(starts);
  // In a graph without batches, the backward pass runs unchanged, and its ops handle batched gradients.
  if (level === null) return null;
  if (inner !== null && inner.depth > level.depth)
    return eachStart(outputs, inputs, starts, { retainGraph, createGraph }, inner);
  return atOuterLevels(level, () => {
    const all = outputs.map((t) => expandToLevel(t, level));
    const allStarts = outputs.map((t, k) => startOf(t, starts[k], level, k));
    const own = inputs.filter((t): t is BatchedTensor => isBatched(t, level));
    const shared = inputs.filter((t) => !isBatched(t, level));
    const flags = { createGraph, allowUnused: true as const };
    const bySample = shared.length === 0 ? [] : sampleBySample(all, shared, allStarts, flags, level);
    const ofOwn =
      own.length === 0
        ? []
        : grad(
            all,
            own.map((t) => t.value),
            { ...flags, gradOutputs: allStarts, retainGraph },
          );
    return inputs.map((t) => {
      const gradient = isBatched(t, level) ? ofOwn[own.indexOf(t)] : bySample[shared.indexOf(t)];
      return gradient == null ? null : wrap(gradient, level);
    });
  });
}

/** Gradients that start from a batch at a level inside that of the outputs: sample by sample of the inner one. */
function eachStart(
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  starts: readonly (Tensor | null | undefined)[],
  { retainGraph, createGraph }: GraphFlags,
  level: Level,
): (Tensor | null)[] {
  const rows = atOuterLevels(level, () =>
    listOf(level.size, (sample) =>
      grad(outputs, inputs, {
        gradOutputs: starts.map((t) => (isBatched(t, level) ? select(t.value, 0, sample) : (t ?? null))),
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
      atOuterLevels(level, () => stack(each as Tensor[])),
      level,
    );
  });
}

/** The gradients of tensors that all samples share, for each sample. The graph is retained. */
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
    const result = atOuterLevels(level, () => fn(...tensors.map((t) => expandToLevel(t, level))));
    return mapTensors(result, (t) => wrap(t, level));
  },
  grad: gradients,
  leafOf(t) {
    const level = currentLevel();
    if (level === null) return t;
    const value = isBatched(t, level) ? t.value : null;
    return atOuterLevels(level, () => {
      const inner = batchedGradients.leafOf(value ?? t);
      if (value !== null && inner === value) return t;
      return wrap(value === null ? expandToLevel(inner, level) : inner, level);
    });
  },
  each(name, args, call) {
    const level = levelOf(tensorsOf(args));
    if (level === null) return null;
    const results = atOuterLevels(level, () =>
      listOf(level.size, (sample) =>
        call(mapTensors([...args], (t) => (isBatched(t, level) ? select(t.value, 0, sample) : t))),
      ),
    );
    const result = atOuterLevels(level, () => stackResults(name, results));
    return { result: mapTensors(result, (t) => wrap(t, level)) };
  },
};

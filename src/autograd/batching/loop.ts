/** The fallback for ops without a batching rule: runs the op sample by sample and stacks the results, which must have one shape. */

import { listOf } from "../../base/list-of.ts";
import { runtime } from "../../base/runtime.ts";
import { show } from "../../base/show.ts";
import { stack } from "../../ops/movement/join.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { select } from "../../tensor/views/view-ops.ts";
import { allWrittenBy, isRecord } from "../arguments.ts";
import { VmapError } from "../error.ts";
import { type BatchedCall, expandBatch, mapTensors, tensorsOf, valueOf, varies } from "./rule.ts";

const state: { watcher: ((name: string) => void) | null } = /* @__PURE__ */ runtime.own("autograd/batching/loop", {
  watcher: null,
});

/** Sets a function that is called with each op that runs sample by sample, for tests. */
export function watchLoops(watch: ((name: string) => void) | null): void {
  state.watcher = watch;
}

/** Computes the results of a call sample by sample. */
export function loop(call: BatchedCall): unknown {
  const { op, args, level } = call;
  state.watcher?.(op.name);
  if (level.size === 0)
    throw new VmapError(
      `vmap: ${op.name} has no batching rule, and its output shape cannot be inferred from an empty batch. Pass at least one sample`,
    );
  const results = listOf(level.size, (sample) =>
    op.call(mapTensors(args, (t) => (varies(t, call) ? select(t.value, 0, sample) : t))),
  );
  const [written] = allWrittenBy(op, args);
  return written === undefined ? stackResults(op.name, results) : expandBatch(valueOf(written, call), call);
}

/** Stacks the results of samples along a new first axis. */
export function stackResults(name: string, results: readonly unknown[]): unknown {
  const [first] = results;
  if (first instanceof Tensor) {
    const shape = first.shape.join(", ");
    const other = (results as readonly Tensor[]).find((t) => t.shape.join(", ") !== shape);
    if (other !== undefined)
      throw new VmapError(
        `vmap: the shape of ${name}'s result depends on the elements, here [${shape}] and ${show(other.shape)} for two samples. Call it outside of vmap`,
      );
    return stack(results as readonly Tensor[], 0);
  }
  if (Array.isArray(first)) {
    if ((results as readonly unknown[][]).some((each) => each.length !== first.length))
      throw new VmapError(`vmap: ${name} returns lists of different lengths for two samples. Call it outside of vmap`);
    return first.map((_, k) =>
      stackResults(
        name,
        results.map((each) => (each as readonly unknown[])[k]),
      ),
    );
  }
  if (isRecord(first))
    return Object.fromEntries(
      Object.keys(first).map((key) => [
        key,
        stackResults(
          name,
          results.map((each) => (each as Record<string, unknown>)[key]),
        ),
      ]),
    );
  if (tensorsOf(results).length === 0 && results.every((each) => Object.is(each, first))) return first;
  throw new VmapError(
    `vmap: ${name} returns a plain value that differs between samples (${results.map(String).join(", ")}). Use an op that returns a tensor: eq(a, b).all(), isclose(a, b).all()`,
  );
}

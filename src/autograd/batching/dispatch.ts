/**
 * Calls with batched tensors: by the batching rule of the op, else by the ops of a composite, else sample by sample. The tensor that a call
 * writes to must be batched if any argument is.
 */
import { ShapeError } from "../../base/errors.ts";
import { once } from "../../base/lazy.ts";
import { show } from "../../base/show.ts";
import { checkCast } from "../../storage/promotion.ts";
import type { KeySet } from "../../tensor/dispatch/keys.ts";
import { type Arguments, type Operator, setFallback } from "../../tensor/dispatch/operator.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { copy_ } from "../../tensor/views/view-ops.ts";
import { allWrittenBy, isRecord, withoutOut } from "../arguments.ts";
import { SharedWriteError, VmapError } from "../error.ts";
import { atOuterLevels, BatchedTensor, currentLevel, type Level, wrap } from "./batched.ts";
import { loop } from "./loop.ts";
import { drawn, isRandom, RandomnessError } from "./random.ts";
import { type BatchedCall, mapTensors, tensorsOf } from "./rule.ts";
import { ruleFor } from "./table.ts";

/** Installs batching in dispatch. */
export const installBatching = /* @__PURE__ */ once(() => {
  setFallback("batched", batchedCall, true);
  return null;
});

/** The innermost level of the tensors in a call, or null. */
function levelOf(args: Arguments): Level | null {
  let level: Level | null = null;
  for (const t of tensorsOf(args))
    if (t instanceof BatchedTensor && (level === null || t.level.depth > level.depth)) level = t.level;
  return level;
}

function batchedCall(op: Operator, keys: KeySet, args: Arguments): unknown {
  const level = levelOf(args);
  const current = currentLevel();
  if (isRandom(op) && current !== null) return drawn({ op, args, level: current });
  if (level === null) return op.callBelow("batched", keys, args);
  if (!level.isOpen)
    throw new VmapError(
      `${op.name}: this tensor was created inside a vmap that has ended. Return it from the mapped function instead of keeping it`,
    );
  const written = allWrittenBy(op, args);
  const target = written.find((t) => !(t instanceof BatchedTensor) || t.level !== level);
  if (target !== undefined)
    throw new SharedWriteError(
      `${op.name}: the tensor that is written to, of shape ${show(target.shape)}, is not mapped by vmap, and cannot hold the results of all ${level.size} samples. Use an op that returns a new tensor`,
      target,
    );
  if (written.length === 0) return computed({ op, args, level });
  if (op.isInPlace) {
    computed({ op, args, level });
    return written[0];
  }
  const out = args.map((arg) => (isRecord(arg) ? arg["out"] : null)).find((one) => one != null);
  if (op.family === "elementwise" && op.kernelFor("composite") === null) {
    // The output may also be an operand, which the op itself handles.
    computed({ op, args, level });
    return out;
  }
  const result = computed({ op, args: withoutOut(args), level });
  put(op.name, written as BatchedTensor[], tensorsOf(result) as BatchedTensor[], level);
  return out;
}

/** The results of a call without `out`. */
function computed(call: BatchedCall): unknown {
  const { op, args, level } = call;
  const rule = ruleFor(op);
  const result = rule === null ? undefined : atOuterLevels(level, () => rule(call));
  if (result !== undefined) return wrapped(result, level);
  const composite = op.kernelFor("composite");
  if (composite !== null) {
    try {
      return composite(...(args as never[]));
    } catch (error) {
      // A composite may read elements, or write to a tensor that it has created. Errors of the user are thrown again below.
      if (error instanceof RandomnessError || allWrittenBy(op, args).length > 0 || isOfUser(error, args)) throw error;
    }
  }
  return wrapped(
    atOuterLevels(level, () => loop(call)),
    level,
  );
}

/** True if the error is about a write to one of the arguments. */
const isOfUser = (error: unknown, args: Arguments): boolean =>
  error instanceof SharedWriteError && tensorsOf(args).some((t) => t.source === (error.target as Tensor).source);

const wrapped = (result: unknown, level: Level): unknown => mapTensors(result, (t) => wrap(t, level));

/** Writes results to the tensors passed as `out`. */
function put(who: string, out: readonly BatchedTensor[], results: readonly BatchedTensor[], level: Level): void {
  out.forEach((target, k) => {
    const result = results[k] as Tensor;
    const [actual, expected] = [sizesOf(target), sizesOf(result)];
    if (actual.length !== expected.length || actual.some((size, axis) => size !== expected[axis]))
      throw new ShapeError(
        `${who}: the result has shape ${show(expected)}, which out of shape ${show(actual)} cannot hold. Omit out`,
      );
    checkCast(who, result.dtype, target.dtype);
    atOuterLevels(level, () =>
      copy_(target.value, result instanceof BatchedTensor && result.level === level ? result.value : result),
    );
  });
}

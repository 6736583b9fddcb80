/** Ops that draw random numbers inside `vmap`: an error, one draw for all samples, or one for each, as `randomness` says. */
import { listOf } from "../../base/list-of.ts";
import type { Operator } from "../../tensor/dispatch/operator.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { clone, copy_, select } from "../../tensor/views/view-ops.ts";
import { allWrittenBy } from "../arguments.ts";
import { VmapError } from "../error.ts";
import { atOuterLevels, isBatched, wrap } from "./batched.ts";
import { stackResults } from "./loop.ts";
import { type BatchedCall, mapTensors, tensorsOf } from "./rule.ts";

/** Random numbers were drawn without the option `randomness`. */
export class RandomnessError extends VmapError {}

export const isRandom = ({ facts }: Operator): boolean => facts.random !== undefined;

/** The result of a random op at the innermost level. */
export function drawn(call: BatchedCall): unknown {
  const { op, args, level } = call;
  if (level.randomness === "error")
    throw new RandomnessError(
      `${op.name}: random numbers in vmap require its option randomness: vmap(fn, { randomness: "different" }), or "same" for all samples. Or draw outside of vmap`,
    );
  const [written] = allWrittenBy(op, args);
  if (level.randomness === "same") return atOuterLevels(level, () => once(call, written));
  if (written !== undefined && !isBatched(written, level))
    throw new RandomnessError(
      `${op.name}: a tensor that vmap does not map over cannot hold different random numbers. Draw into a new tensor, or use { randomness: "same" }`,
    );
  const results = atOuterLevels(level, () =>
    listOf(level.size, (sample) =>
      op.call(mapTensors(args, (t) => (isBatched(t, level) ? select(t.value, 0, sample) : t))),
    ),
  );
  if (written !== undefined) return written;
  return mapTensors(
    atOuterLevels(level, () => stackResults(op.name, results)),
    (t) => wrap(t, level),
  );
}

/** One draw for all samples; only the shape of a batched tensor matters. */
function once({ op, args, level }: BatchedCall, written: Tensor | undefined): unknown {
  const isShape = written !== undefined || op.facts.random === "like";
  const [first, ...rest] = args;
  const parameters = isShape ? rest : args;
  if (tensorsOf(parameters).some((t) => isBatched(t, level)))
    throw new RandomnessError(
      `${op.name}: the parameters differ between the samples of vmap. Use { randomness: "different" }`,
    );
  if (!isBatched(first, level)) return op.call(args);
  const sample = op.call([clone(select(first.value, 0, 0)), ...rest]) as Tensor;
  if (written === undefined) return sample;
  copy_(first.value, sample);
  return written;
}

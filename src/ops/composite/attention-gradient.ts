/**
 * The gradient of attention: weights are computed again, tile by tile, so that the way back needs no more memory than the way there.
 * With weights P and the gradient g, that of the values is P' g, that of the scores S the one of softmax from g V', that of the
 * queries S K, and that of the keys S' Q.
 */
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizeAt, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { matmul } from "../contract/matmul.ts";
import { add } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { fresh, structuredOp } from "../op.ts";
import { shapeOf } from "../shape-rules.ts";
import { sumTo } from "../sum-to.ts";
import { copy_, fill_, narrow, reshape, to } from "../views.ts";
import {
  type AttentionOptions,
  arrange,
  cutOperands,
  factorOf,
  inTiles,
  type Operands,
  scaled,
  seenBefore,
  turned,
  weightsOf,
} from "./attention-parts.ts";
import { composedForGradients } from "./composed.ts";
import { softmaxBackward } from "./softmax-gradient.ts";

interface BackwardOptions extends AttentionOptions {
  /** The gradient of the mask is wanted, too. */
  readonly needsMask: boolean;
}
type Arguments = [g: Tensor, query: Tensor, key: Tensor, value: Tensor, options: BackwardOptions];
interface AttentionBackward extends OpFunction {
  (...args: Arguments): readonly Tensor[];
}

const product = (a: Tensor, b: Tensor): Tensor => matmul(a, b) as Tensor;

/** Operands with the tensors that their gradients are added up in: of queries, keys, values, and scores if they are wanted. */
interface WithRooms extends Operands {
  readonly rooms: readonly Tensor[];
}

/** Adds what some queries give to all gradients; `o` is the gradient of the result. */
function addTile({ rooms, ...operands }: WithRooms, isCausal: boolean, first: number, count: number): void {
  const { q, k, v, o } = operands;
  const seen = seenBefore(operands, isCausal, first + count);
  const weights = weightsOf(operands, isCausal, first, count, seen);
  const rows = (t: Tensor): Tensor => narrow(t, -2, first, count);
  const keys = (t: Tensor): Tensor => narrow(t, -2, 0, seen);
  const [toQ, toK, toV, toScores] = rooms as [Tensor, Tensor, Tensor, Tensor?];
  const sum = (room: Tensor, a: Tensor, b: Tensor): void => {
    if (count === sizeAt(q, q.rank - 2) && seen === sizeAt(k, k.rank - 2)) matmul(a, b, { out: room });
    else add(keys(room), product(a, b) as never, { out: keys(room) } as never);
  };
  sum(toV, turned(weights), rows(o));
  const scores = softmaxBackward(product(rows(o), turned(keys(v))), weights, weights.rank - 1, false);
  matmul(scores, keys(k), { out: rows(toQ) });
  sum(toK, turned(scores), rows(q));
  if (toScores) copy_(narrow(rows(toScores), -1, 0, seen), scores);
}

/** The gradients of queries, keys, values, and of the mask if it is wanted. */
const attentionBackward: AttentionBackward = /* @__PURE__ */ composedForGradients(
  /* @__PURE__ */ structuredOp<AttentionBackward, Arguments>(
    "attentionBackward(g: Tensor, query: Tensor, key: Tensor, value: Tensor, ...; attnMask: Tensor, isCausal, scale, enableGqa, needsMask)",
    "composite",
    {
      batch: "last 2",
      infer: (_, query, key, value, { attnMask, needsMask }) =>
        [query, key, value, ...(needsMask && attnMask ? [attnMask] : [])].map((t) => ({
          dtype: t.dtype,
          shape: shapeOf(t),
        })),
      fill(results, g, query, key, value, options) {
        const factor = factorOf(query, options);
        const operands = arrange(scaled(query, factor), key, value, g, options);
        const { q, k, v, mask, shapes } = operands;
        const rooms = [q, k, v, ...(results.length > 3 && mask ? [mask] : [])].map((t, at) => {
          const sizes = sizesOf(t);
          const result = results[at] as Tensor;
          const isWhole = String(sizes) === String(shapes[at]) && result.dtype === q.dtype;
          return fill_(isWhole ? reshape(result, sizes) : fresh(q.dtype, sizes), 0) as Tensor;
        });
        inTiles(
          { ...operands, rooms },
          (all, each) => ({ ...cutOperands(all, each), rooms: all.rooms.map(each) }),
          (all, first, count) => addTile(all, options.isCausal === true, first, count),
        );
        scaled(rooms[0] as Tensor, factor, { out: rooms[0] as Tensor });
        results.forEach((result, at) => {
          const room = rooms[at] as Tensor;
          if (String(sizesOf(room)) !== String(shapes[at]) || room.dtype !== result.dtype)
            copy_(result, reshape(sumTo(room, shapes[at] as number[]), sizesOf(result)));
        });
      },
    },
  ),
  (...[g, query, key, value, options]: Arguments) => {
    const factor = factorOf(query, options);
    const operands = arrange(scaled(query, factor), key, value, g, options);
    const { q, k, v, o, shapes } = operands;
    const weights = weightsOf(operands, options.isCausal === true, 0, sizeAt(q, q.rank - 2), sizeAt(k, k.rank - 2));
    const scores = softmaxBackward(product(o, turned(v)), weights, weights.rank - 1, false);
    const all = [scaled(product(scores, k), factor), product(turned(scores), q), product(turned(weights), o), scores];
    const wanted = [query, key, value, ...(options.needsMask && options.attnMask ? [options.attnMask] : [])];
    return wanted.map((t, at) => to(reshape(sumTo(all[at] as Tensor, shapes[at] as number[]), sizesOf(t)), t.dtype));
  },
);

export const attentionGradient: GradientRule = (call) => {
  const [query, key, value, options = {}] = call.args as [Tensor, Tensor, Tensor, AttentionOptions?];
  const { attnMask, isCausal, scale, enableGqa } = options;
  const kept = [query, key, value].map((t) => call.save(t)) as [() => Tensor, () => Tensor, () => Tensor];
  const mask = attnMask ? call.save(attnMask) : null;
  const needsMask = call.needs(attnMask);
  return ([g]) => {
    const [toQ, toK, toV, toMask] = attentionBackward(g as Tensor, kept[0](), kept[1](), kept[2](), {
      attnMask: mask?.(),
      isCausal,
      scale,
      enableGqa,
      needsMask,
    });
    return [toQ, toK, toV, { attnMask: toMask }];
  };
};

/** The node of a call whose gradient is a rule of its op (`../tensor/dispatch/gradient.ts`), and the call as the rule sees it. */

import type { Backward, GradientRule, RecordedCall } from "../tensor/dispatch/gradient.ts";
import type { Arguments, Operator } from "../tensor/dispatch/operator.ts";
import { detach } from "../tensor/in-place.ts";
import { mayOverlap } from "../tensor/operand.ts";
import { Tensor } from "../tensor/tensor.ts";
import { clone } from "../tensor/views/view-ops.ts";
import { collectGradients, type Skeleton, skeletonOf, tensorsOf } from "./arguments.ts";
import { AutogradError } from "./error.ts";
import { carryTangent } from "./forward-level.ts";
import { gradFnOf, setHistory } from "./history.ts";
import { type Edge, GradNode, type OutputInfo, zerosFor } from "./node.ts";
import { SavedTensor } from "./saved.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Calls the rule of an op with a recorded call; `needed` are the tensors that require gradients, and `written` is the tensor that the call is
 * going to write to. Afterward the call holds no tensor, so that only saved ones stay alive.
 */
export function applyRule(
  rule: GradientRule,
  op: Operator,
  args: Arguments,
  results: readonly Tensor[],
  needed: readonly Tensor[],
  node: CallNode,
  written: Tensor | null,
): Backward | null {
  const flags = { needed, written };
  // Functions, not methods, because rules destructure them.
  const call: Writable<RecordedCall> = {
    args,
    results,
    again: (...args) => op.call(args),
    needs: (arg) =>
      arg instanceof Tensor ? flags.needed.includes(arg) : tensorsOf([arg]).some((t) => flags.needed.includes(t)),
    save: (t) => node.keep(new SavedTensor(flags.written === null ? t : keeperOf(flags.written)(t), null)),
    saveResult: (index = 0) => {
      const t = call.results[index];
      const keep = (): SavedTensor => new SavedTensor(t, node, index);
      return flags.written === null ? node.keep(keep()) : node.keepLater(keep);
    },
    stop: (index) => {
      node.stopped.push(index);
    },
  };
  const backward = rule(call);
  call.args = [];
  call.results = [];
  flags.needed = [];
  flags.written = null;
  return backward;
}

/** A copy of a tensor with its history. */
function copyOf(t: Tensor): Tensor {
  const copy = carryTangent(t, clone(detach(t)));
  const edge = gradFnOf(t);
  if (edge !== null) setHistory(copy, edge.node, edge.output);
  return copy;
}

/** Copies tensors that share memory with the one that the call is going to write to. */
export const keeperOf =
  (written: Tensor) =>
  (t: Tensor): Tensor =>
    t.source === written.source || mayOverlap(written, t) ? copyOf(t) : t;

/** The node of a call. */
export class CallNode extends GradNode {
  backward: Backward | null = null;
  /** Indices of the results that have no gradient. */
  readonly stopped: number[] = [];
  #saved: SavedTensor[] = [];
  #later: (() => void)[] = [];
  readonly #op: string;
  readonly #shape: readonly Skeleton[];

  constructor(name: string, edges: readonly (Edge | null)[], op: string, args: Arguments, infos: OutputInfo[]) {
    super(name, edges, infos);
    this.#op = op;
    this.#shape = args.map(skeletonOf);
  }

  keep(saved: SavedTensor): () => Tensor {
    this.#saved.push(saved);
    return () => saved.unpack();
  }

  /** Saves a result that the call has not written yet. */
  keepLater(make: () => SavedTensor): () => Tensor {
    let saved: SavedTensor | null = null;
    this.#later.push(() => {
      saved = make();
      this.#saved.push(saved);
    });
    return () => (saved as unknown as SavedTensor).unpack();
  }

  /** Called after the call has written to its tensor, which may have other axes now. */
  saveResult(_written: Tensor, info: OutputInfo): void {
    this.outputs[0] = info;
    for (const keep of this.#later) keep();
    this.#later = [];
  }

  run(gradients: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    const filledGradients: Tensor[] = [];
    for (let k = 0; k < this.outputs.length; k++)
      filledGradients.push(gradients[k] ?? zerosFor(this.outputs[k], gradients));
    const result = (this.backward as Backward)(filledGradients);
    const flat: (Tensor | null)[] = [];
    for (let k = 0; k < this.#shape.length; k++) collectGradients(this.#shape[k], result[k], flat);
    if (flat.length !== this.edges.length)
      throw new AutogradError(
        `backward: ${this.#op} has ${this.edges.length} inputs, and its rule returned ${flat.length} gradients`,
      );
    return flat;
  }

  override get savedTensors(): readonly Tensor[] {
    return this.#saved.map((each) => each.unpack());
  }

  override release(): void {
    for (const each of this.#saved) each.release();
  }
}

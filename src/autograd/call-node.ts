/**
 * The node of a call whose way back is a rule of its op (`../tensor/dispatch/gradient.ts`), and the call as the rule sees it.
 */
import { clone } from "../tensor/clone.ts";
import type { Backward, RecordedCall } from "../tensor/dispatch/gradient.ts";
import type { Arguments, Operator } from "../tensor/dispatch/operator.ts";
import { detach } from "../tensor/in-place.ts";
import { mayMeet } from "../tensor/operand.ts";
import { Tensor } from "../tensor/tensor.ts";
import { collect, type Skeleton, skeletonOf, tensorsOf } from "./arguments.ts";
import { AutogradError } from "./error.ts";
import { carryTangent } from "./forward-level.ts";
import { gradFnOf, setHistory } from "./history.ts";
import { type Edge, GradNode, type OutputInfo, zerosFor } from "./node.ts";
import { SavedTensor } from "./saved.ts";

/** A call while its rule looks at it. Afterwards it holds nothing, so that only what was saved stays. */
export class Recording implements RecordedCall {
  declare readonly again: RecordedCall["again"];
  declare args: Arguments;
  declare results: readonly Tensor[];
  #needed: readonly Tensor[];
  #node: CallNode | null;
  #written: Tensor | null;

  constructor(
    op: Operator,
    args: Arguments,
    results: readonly Tensor[],
    needed: readonly Tensor[],
    node: CallNode,
    written: Tensor | null,
  ) {
    this.again = againOf(op);
    this.args = args;
    this.results = results;
    this.#needed = needed;
    this.#node = node;
    this.#written = written;
  }

  // Functions and no methods, because rules take them apart.
  readonly needs = (arg: unknown): boolean =>
    arg instanceof Tensor ? this.#needed.includes(arg) : tensorsOf([arg]).some((t) => this.#needed.includes(t));

  readonly save = (t: Tensor): (() => Tensor) => {
    const written = this.#written;
    return (this.#node as CallNode).keep(new SavedTensor(written === null ? t : keeperOf(written)(t), null));
  };

  readonly saveResult = (index = 0): (() => Tensor) => {
    const node = this.#node as CallNode;
    const t = this.results[index];
    const keep = (): SavedTensor => new SavedTensor(t, node, index);
    return this.#written === null ? node.keep(keep()) : node.keepLater(keep);
  };

  readonly stop = (index: number): void => {
    (this.#node as CallNode).stopped.push(index);
  };

  end(): void {
    this.args = [];
    this.results = [];
    this.#needed = [];
    this.#node = null;
    this.#written = null;
  }
}

/** A copy of a tensor with its history. */
function copyOf(t: Tensor): Tensor {
  const copy = carryTangent(t, clone(detach(t)));
  const made = gradFnOf(t);
  if (made !== null) setHistory(copy, made.node, made.output);
  return copy;
}

const againOf =
  (op: Operator): RecordedCall["again"] =>
  (...given) =>
    op.call(given);

/** What the call is going to write to is kept as it is now. */
export const keeperOf =
  (written: Tensor) =>
  (t: Tensor): Tensor =>
    t.source === written.source || mayMeet(written, t) ? copyOf(t) : t;

/** The node of a call. */
export class CallNode extends GradNode {
  backward: Backward | null = null;
  /** The results through which nothing passes. */
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

  /** Keeps a result that is still to be written. */
  keepLater(make: () => SavedTensor): () => Tensor {
    let saved: SavedTensor | null = null;
    this.#later.push(() => {
      saved = make();
      this.#saved.push(saved);
    });
    return () => (saved as unknown as SavedTensor).unpack();
  }

  /** The tensor is written, and may have other axes now. */
  settle(_written: Tensor, info: OutputInfo): void {
    this.outputs[0] = info;
    for (const keep of this.#later) keep();
    this.#later = [];
  }

  run(gradients: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    const given = this.outputs.map((info, k) => gradients[k] ?? zerosFor(info, gradients));
    const result = (this.backward as Backward)(given);
    const flat: (Tensor | null)[] = [];
    this.#shape.forEach((skeleton, k) => {
      collect(skeleton, result[k], flat);
    });
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

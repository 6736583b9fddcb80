/**
 * Writing to tensors that take part. A tensor that is written to becomes an output of the call. If it is a view, its base does: the
 * gradient of the base is, where the view lies, that of the call, and elsewhere what it was; other views of the base get a new node
 * when they are next asked for theirs.
 */
import { indexAdd } from "../ops/movement/scatter.ts";
import { zeros } from "../tensor/create/create.ts";
import { arange } from "../tensor/create/ranges.ts";
import { sizesOf, spanOf, stridesOf } from "../tensor/geometry.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { asStrided, clone, copy_, fill_, reshape } from "../tensor/views/view-ops.ts";
import { AutogradError } from "./error.ts";
import { edgeOf, historyOf, installRemake, isLeaf, requiresGrad, setHistory } from "./history.ts";
import { GradNode } from "./node.ts";

/** How elements lie, as numbers. */
interface Geometry {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  readonly start: number;
}

const geometryOf = (t: Tensor): Geometry => ({
  sizes: sizesOf(t),
  strides: stridesOf(t, "backward"),
  start: t.start,
});

/** Memory like that of a base, filled with zeros, in which its elements and those of its views have their places. */
class Room {
  private readonly flat: Tensor;
  private readonly low: number;
  private readonly base: Geometry;

  constructor(base: Geometry, reach: readonly [low: number, high: number], dtype: Tensor["dtype"]) {
    this.low = reach[0];
    this.base = base;
    this.flat = zeros([Math.max(0, reach[1] - reach[0] + 1)], { dtype });
  }

  place({ sizes, strides, start }: Geometry): Tensor {
    return asStrided(this.flat, sizes, strides, start - this.low);
  }

  /** The base with a gradient added where a view lies, which may see an element several times. */
  withAdded(view: Geometry, gradient: Tensor): Tensor {
    if (this.place(view).overlap === "no") {
      copy_(this.place(view), gradient);
      return this.whole();
    }
    const { size, dtype } = this.flat;
    const numbers = asStrided(arange(0, size, 1, { dtype: "int32" }), view.sizes, view.strides, view.start - this.low);
    const flat = zeros([size], { dtype });
    const total = indexAdd(flat, 0, reshape(numbers, [-1]), reshape(gradient, [-1]) as never) as Tensor;
    return asStrided(total, this.base.sizes, this.base.strides, this.base.start - this.low);
  }

  whole(): Tensor {
    return this.place(this.base);
  }
}

/** Refuses writing to a leaf, and to views that are no part of the graph. */
export function checkWrite(who: string, t: Tensor): void {
  if (isLeaf(t) && requiresGrad(t))
    throw new AutogradError(
      `${who}: a leaf Variable that requires grad is being used in an in-place operation. Write to it inside noGrad(() => ...), or to a clone()`,
    );
  const { root } = t;
  if (root === null) return;
  if (isLeaf(root) && requiresGrad(root))
    throw new AutogradError(
      `${who}: a view of a leaf Variable that requires grad is being used in an in-place operation. Write to it inside noGrad(() => ...), or to a clone()`,
    );
  if (requiresGrad(root) && historyOf(t)?.node == null)
    throw new AutogradError(
      `${who}: A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked).`,
    );
  if (historyOf(t)?.refusal === "several")
    throw new AutogradError(
      `${who}: Output ${historyOf(t)?.output ?? 0} of ${historyOf(t)?.node?.name ?? "a call"} is a view and is being modified inplace. This view is the output of a function that returns multiple views. Such functions do not allow the output views to be modified inplace. You should replace the inplace operation by an out-of-place one.`,
    );
}

/** The base of a view after a write to the view. */
class CopySlices extends GradNode {
  private readonly call: GradNode;
  private readonly view: Geometry;
  private readonly base: Geometry;
  private readonly reach: readonly [number, number];
  private readonly dtype: Tensor["dtype"];
  /** Which inputs of the call are the view itself. */
  private readonly own: readonly boolean[];

  constructor(call: GradNode, base: Tensor, view: Tensor, own: readonly boolean[]) {
    super("CopySlices", [edgeOf(base), ...call.edges.filter((_, k) => !own[k])]);
    this.call = call;
    this.own = own;
    this.view = geometryOf(view);
    this.base = geometryOf(base);
    this.reach = spanOf(base, base.start);
    this.dtype = base.dtype;
  }

  run([gradient]: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    if (gradient == null) return this.edges.map(() => null);
    const room = new Room(this.base, this.reach, this.dtype);
    copy_(room.whole(), gradient);
    const part = clone(room.place(this.view), "contiguous");
    const passed = this.call.run([part]);
    const others = passed.filter((_, k) => !this.own[k]);
    const target = room.place(this.view);
    const mine = passed.filter((_, k) => this.own[k]);
    if (mine[0] == null) fill_(target, 0);
    else copy_(target, mine[0]);
    return [room.whole(), ...others];
  }

  override release(): void {
    this.call.release();
  }
}

/** A view of a base that has been written to. */
class ViewOfBase extends GradNode {
  private readonly view: Geometry;
  private readonly base: Geometry;
  private readonly reach: readonly [number, number];
  private readonly dtype: Tensor["dtype"];

  constructor(base: Tensor, view: Tensor) {
    super("AsStridedBackward0", [edgeOf(base)]);
    this.view = geometryOf(view);
    this.base = geometryOf(base);
    this.reach = spanOf(base, base.start);
    this.dtype = base.dtype;
  }

  run([gradient]: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    if (gradient == null) return [null];
    const room = new Room(this.base, this.reach, this.dtype);
    return [room.withAdded(this.view, gradient)];
  }
}

/** Makes a tensor that a call has written to its output; `own` tells which inputs of the call it was. */
export function rebase(t: Tensor, call: GradNode, own: readonly boolean[]): void {
  const { root } = t;
  if (root === null || root.dtype !== t.dtype) {
    setHistory(t, call, 0);
    return;
  }
  setHistory(root, new CopySlices(call, root, t, own), 0);
  setHistory(t, new ViewOfBase(root, t), 0);
}

/** Says how views get new nodes. */
export function installViews(): void {
  installRemake((t, base) => setHistory(t, new ViewOfBase(base, t), 0));
}

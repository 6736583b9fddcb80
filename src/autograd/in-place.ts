/**
 * Writing to tensors that take part. A tensor that is written to becomes an output of the call. If it is a view, its base does: the
 * gradient of the base is, where the view lies, that of the call, and elsewhere what it was; other views of the base get a new node
 * when they are next asked for theirs.
 */
import type { Tensor } from "../tensor/tensor.ts";
import { clone, copy_, fill_ } from "../tensor/views/view-ops.ts";
import { type BaseMemory, type Geometry, geometryOf, memoryLike } from "./base-memory.ts";
import { AutogradError } from "./error.ts";
import { edgeOf, historyOf, installRemake, isLeaf, requiresGrad, setHistory } from "./history.ts";
import { GradNode } from "./node.ts";

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
  if (historyOf(t)?.isOneOfSeveral === true)
    throw new AutogradError(
      `${who}: Output ${historyOf(t)?.output ?? 0} of ${historyOf(t)?.node?.name ?? "a call"} is a view and is being modified inplace. This view is the output of a function that returns multiple views. Such functions do not allow the output views to be modified inplace. You should replace the inplace operation by an out-of-place one.`,
    );
}

/** The base of a view after a write to the view. */
class CopySlices extends GradNode {
  private readonly call: GradNode;
  private readonly view: Geometry;
  private readonly memory: () => BaseMemory;
  /** Which inputs of the call are the view itself. */
  private readonly own: readonly boolean[];

  constructor(call: GradNode, base: Tensor, view: Tensor, own: readonly boolean[]) {
    super("CopySlices", [edgeOf(base), ...call.edges.filter((_, k) => !own[k])]);
    this.call = call;
    this.own = own;
    this.view = geometryOf(view);
    this.memory = memoryLike(base);
  }

  run([gradient]: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    if (gradient == null) return this.edges.map(() => null);
    const memory = this.memory();
    copy_(memory.whole(), gradient);
    const part = clone(memory.place(this.view), "contiguous");
    const passed = this.call.run([part]);
    const others = passed.filter((_, k) => !this.own[k]);
    const target = memory.place(this.view);
    const mine = passed.filter((_, k) => this.own[k]);
    if (mine[0] == null) fill_(target, 0);
    else copy_(target, mine[0]);
    return [memory.whole(), ...others];
  }

  override release(): void {
    this.call.release();
  }
}

/** A view of a base that has been written to. */
class ViewOfBase extends GradNode {
  private readonly view: Geometry;
  private readonly memory: () => BaseMemory;

  constructor(base: Tensor, view: Tensor) {
    super("AsStridedBackward0", [edgeOf(base)]);
    this.view = geometryOf(view);
    this.memory = memoryLike(base);
  }

  run([gradient]: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    return [gradient == null ? null : this.memory().withAdded(this.view, gradient)];
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

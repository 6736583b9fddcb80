/**
 * In-place writes to tensors of the graph. The written tensor becomes an output of the call. If it is a view, its base does too: the gradient of
 * the base flows through the call for the elements of the view, and to the previous node for all others. Other views of the base get a new node when
 * their node is next needed.
 */
import { add } from "../ops/elementwise/arithmetic.ts";
import { unrecorded } from "../tensor/identity.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { clone, copy_, fill_ } from "../tensor/views/view-ops.ts";
import { type BaseMemory, type Geometry, geometryOf, memoryLike, seesParts } from "./base-memory.ts";
import { AutogradError } from "./error.ts";
import { edgeOf, historyOf, installRemake, isLeaf, requiresGrad, setHistory } from "./history.ts";
import { fitted, GradNode } from "./node.ts";

const advice = "Write to it inside noGrad(() => ...), or to a clone()";

/** Throws for a write to a leaf, to a view outside of the graph, or to a view that must not change. */
export function checkWrite(who: string, t: Tensor, isRecorded: boolean): void {
  const { root } = t;
  if (!isRecorded && !requiresGrad(t) && (root === null || !requiresGrad(root))) return;
  if (who === "resize_") throw new AutogradError("resize_: cannot resize tensors that require grad. Resize a clone()");
  if (root !== null) {
    const rule = inPlaceViewError(t, "is being");
    if (rule !== null) throw new AutogradError(`${who}: ${rule}`);
    if (isLeaf(root) && requiresGrad(root))
      throw new AutogradError(
        `${who}: a view of a leaf tensor that requires grad is being used in an in-place operation. ${advice}`,
      );
  }
  if (isLeaf(t) && requiresGrad(t))
    throw new AutogradError(
      `${who}: a leaf tensor that requires grad is being used in an in-place operation. ${advice}`,
    );
}

/** The reason why a view must not change with its base; null if it may. */
function inPlaceViewError(
  t: Tensor,
  changed: "is being" | "its base or another view of its base has been",
): string | null {
  if ((t.bits & unrecorded.any) !== 0) {
    const block = (t.bits & unrecorded.inference) !== 0 ? "inferenceMode" : "noGrad";
    return `A view was created inside ${block} and ${changed} modified in place outside of it, so it is unclear whether to record the write. Create the view and write to it both inside ${block} (the write is not recorded), or both outside.`;
  }
  const history = historyOf(t);
  if (history?.edge == null || !(history.isOneOfSeveral || history.isOfFunction)) return null;
  const { node, output } = history.edge;
  return `Output ${output} of ${node.name} is a view and ${changed} modified in place. ${
    history.isOneOfSeveral
      ? "This view is the output of a function that returns multiple views. Use an out-of-place operation instead."
      : "This view was returned by a user-defined function, whose backward the write would bypass. Clone the output of the function."
  }`;
}

/** The base of a view after a write to the view. */
class CopySlices extends GradNode {
  readonly #call: GradNode;
  readonly #view: Geometry;
  readonly #memory: (gradient: Tensor) => BaseMemory;
  /** True for each input of the call that is the view itself. */
  readonly #own: readonly boolean[];

  constructor(call: GradNode, base: Tensor, view: Tensor, own: readonly boolean[]) {
    super("CopySlices", [edgeOf(base), ...call.edges.filter((_, k) => !own[k])]);
    this.isPrivate = call.isPrivate;
    this.#call = call;
    this.#own = own;
    const byParts = base.dtype !== view.dtype;
    this.#view = geometryOf(view, byParts);
    this.#memory = memoryLike(base, byParts);
  }

  run([gradient]: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    if (gradient == null) return this.edges.map(() => null);
    const memory = this.#memory(gradient);
    copy_(memory.whole(), gradient);
    const part = clone(memory.part(this.#view), "contiguous");
    const passed = fitted(this.#call, this.#call.run([part]));
    const others = passed.filter((_, k) => !this.#own[k]);
    const target = memory.part(this.#view);
    // The view may be an argument several times: v.mul_(v).
    const mine = passed.filter((gradient, k) => this.#own[k] === true && gradient !== null) as Tensor[];
    if (mine.length === 0) fill_(target, 0);
    else
      copy_(
        target,
        mine.reduce((a, b) => add(a, b)),
      );
    return [memory.whole(), ...others];
  }

  override release(): void {
    this.#call.release();
  }
}

/** The node of a view whose base has been written to. */
class ViewOfBase extends GradNode {
  readonly #view: Geometry;
  readonly #memory: (gradient: Tensor) => BaseMemory;

  constructor(base: Tensor, view: Tensor) {
    super("AsStridedBackward0", [edgeOf(base)]);
    const byParts = base.dtype !== view.dtype;
    this.#view = geometryOf(view, byParts);
    this.#memory = memoryLike(base, byParts);
  }

  run([gradient]: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    return [gradient == null ? null : this.#memory(gradient).withAdded(this.#view, gradient)];
  }
}

/** Makes a written tensor an output of its call; `own` is true for each input of the call that is the tensor. */
export function rebase(t: Tensor, call: GradNode, own: readonly boolean[]): void {
  const { root } = t;
  if (root === null || (root.dtype !== t.dtype && !seesParts(root, t))) {
    setHistory(t, call, 0);
    return;
  }
  setHistory(root, new CopySlices(call, root, t, own), 0);
  setHistory(t, new ViewOfBase(root, t), 0);
}

/** Installs the function that gives views new nodes. */
export function installViews(): void {
  installRemake((t, base) => {
    const rule = inPlaceViewError(t, "its base or another view of its base has been");
    if (rule !== null) throw new AutogradError(`autograd: ${rule}`);
    setHistory(t, new ViewOfBase(base, t), 0);
  });
}

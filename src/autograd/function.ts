/**
 * Functions with gradients of one's own: `defineFunction({ forward, backward })`. The forward part runs unrecorded; what it saves is
 * checked like everything that is kept, and the way back calls `backward`.
 */
import { zeros } from "../tensor/create/create.ts";
import { sizesOf } from "../tensor/geometry.ts";
import { detach } from "../tensor/in-place.ts";
import { Tensor } from "../tensor/tensor.ts";
import { AutogradError } from "./error.ts";
import { edgeOf, isLeaf, requiresGrad, setHistory } from "./history.ts";
import { rebase } from "./in-place.ts";
import { type Edge, GradNode, type OutputInfo } from "./node.ts";
import { isDifferentiable, tensorsOf } from "./record.ts";
import { SavedTensor } from "./saved.ts";
import { isGradEnabled, noGrad } from "./scopes.ts";

/** What forward and backward share. */
export interface FunctionContext {
  /** Keeps tensors for `backward`, arguments and results. */
  saveForBackward(...tensors: Tensor[]): void;
  /** Says that these arguments were written to, and are results. */
  markDirty(...tensors: Tensor[]): void;
  /** Says that no gradients pass through these results. */
  markNonDifferentiable(...tensors: Tensor[]): void;
  /** Whether gradients that nothing has reached are zeros in `backward` (as they are), or null. */
  setMaterializeGrads(zeros: boolean): void;
  /** The tensors that were kept. */
  readonly savedTensors: readonly Tensor[];
  /** Which arguments ask for gradients. */
  readonly needsInputGrad: readonly boolean[];
  /** Anything else that backward wants to know. */
  [name: string]: unknown;
}

export interface FunctionDefinition<A extends readonly unknown[], R extends Tensor | readonly Tensor[]> {
  /** For messages; the name of the node is this and "Backward". */
  readonly name?: string;
  forward(context: FunctionContext, ...args: A): R;
  /** From the gradients of the results to those of the arguments: one for each, null for none. */
  backward(context: FunctionContext, ...gradients: Tensor[]): Tensor | null | readonly (Tensor | null)[];
  /** True if the gradients themselves have none. */
  readonly onceDifferentiable?: boolean;
}

/** A function that is recorded as one call, with its own way back. */
export function defineFunction<A extends readonly unknown[], R extends Tensor | readonly Tensor[]>(
  definition: FunctionDefinition<A, R>,
): (...args: A) => R {
  return (...args) => apply(definition, args);
}

function apply<A extends readonly unknown[], R extends Tensor | readonly Tensor[]>(
  definition: FunctionDefinition<A, R>,
  args: A,
): R {
  const name = definition.name ?? "Function";
  const inputs = args.filter((arg): arg is Tensor & A[number] => arg instanceof Tensor);
  const isRecorded = isGradEnabled() && inputs.some(requiresGrad);
  const edges = args.map((arg) => (arg instanceof Tensor ? edgeOf(arg) : null));
  const kept: Tensor[] = [];
  const dirty = new Set<Tensor>();
  const flat = new Set<Tensor>();
  const node = new FunctionNode(`${name}Backward`, edges, name);
  const context: FunctionContext = {
    saveForBackward: (...tensors) => {
      kept.push(...tensors);
    },
    markDirty: (...tensors) => {
      for (const t of tensors) dirty.add(t);
    },
    markNonDifferentiable: (...tensors) => {
      for (const t of tensors) flat.add(t);
    },
    setMaterializeGrads: (fills) => {
      node.fills = fills;
    },
    get savedTensors(): readonly Tensor[] {
      return node.saved.length > 0 ? node.saved.map((each) => each.unpack()) : kept;
    },
    needsInputGrad: args.map((arg) => isRecorded && arg instanceof Tensor && requiresGrad(arg)),
  };
  const result = noGrad(() => definition.forward(context, ...args));
  if (!isRecorded) return result;
  for (const t of dirty)
    if (isLeaf(t) && requiresGrad(t))
      throw new AutogradError(`${name}: a leaf Variable that requires grad has been used in an in-place operation.`);
  const list = tensorsOf([result]).map((t) =>
    // An argument that is given back as it is stays what it was; the result is a view of it.
    inputs.includes(t as never) && !dirty.has(t) ? detach(t) : t,
  );
  node.infos = list.map((t) => ({ shape: sizesOf(t), dtype: t.dtype }));
  node.saved = kept.map((t) => {
    const output = list.indexOf(t);
    return new SavedTensor(t, output >= 0 && !inputs.includes(t as never) ? { node, output } : null);
  });
  node.backward = (gradients) => {
    const run = (): Tensor | null | readonly (Tensor | null)[] =>
      definition.backward(context, ...(gradients as Tensor[]));
    const given = definition.onceDifferentiable === true ? noGrad(run) : run();
    return Array.isArray(given) ? (given as readonly (Tensor | null)[]) : [given as Tensor | null];
  };
  list.forEach((t, k) => {
    if (flat.has(t) || !isDifferentiable(t)) return;
    if (dirty.has(t))
      rebase(
        t,
        node,
        args.map((arg) => arg === t),
      );
    else setHistory(t, node, k);
  });
  return (result instanceof Tensor ? list[0] : list) as R;
}

class FunctionNode extends GradNode {
  backward: (gradients: readonly (Tensor | null)[]) => readonly (Tensor | null)[] = () => [];
  saved: readonly SavedTensor[] = [];
  infos: readonly OutputInfo[] = [];
  fills = true;
  private readonly function: string;

  constructor(name: string, edges: readonly (Edge | null)[], of: string) {
    super(name, edges);
    this.function = of;
  }

  run(gradients: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    const given = this.infos.map(
      ({ shape, dtype }, k) => gradients[k] ?? (this.fills ? zeros(shape, { dtype }) : null),
    );
    const passed = this.backward(given);
    if (passed.length !== this.edges.length)
      throw new AutogradError(
        `backward: function ${this.function}Backward returned an incorrect number of gradients (expected ${this.edges.length}, got ${passed.length})`,
      );
    return passed;
  }

  override release(): void {
    for (const each of this.saved) each.release();
  }
}

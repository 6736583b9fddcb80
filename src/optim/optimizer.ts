/**
 * The base class of optimizers: groups of parameters with their own options, state by parameter, and both as plain objects.
 * Subclasses define the step; most extend `fused.ts`.
 */
import { enableGrad, Tensor } from "../index.ts";
import { checkNames, checkNumber, describeParams, OptimError, shown } from "./checks.ts";
import { loadState, type OptimizerState, type ParamState, packState } from "./state-dict.ts";

/** The options of every group. */
export interface GroupOptions {
  /** The learning rate. */
  lr: number;
}

/** Parameters that share options. Options can be changed between steps. */
export type ParamGroup<O extends GroupOptions = GroupOptions> = Required<O> & {
  readonly params: Tensor[];
  /** The initial learning rate of schedules; set by the first of them. */
  initialLr?: number;
};

/** Parameters with options that override the optimizer's. */
export type GroupInput<O extends GroupOptions> = Partial<O> & { readonly params: Tensor | Iterable<Tensor> };

/** The parameters of an optimizer, or groups of them. */
export type Params<O extends GroupOptions> = Iterable<Tensor> | Iterable<GroupInput<O>>;

/** The base class of optimizers. An optimizer updates parameters by their gradients. */
export abstract class Optimizer<O extends GroupOptions = GroupOptions> {
  /** The groups, in the order in which they were added. */
  readonly paramGroups: ParamGroup<O>[] = [];
  /** The default options of groups. */
  readonly defaults: Required<O>;
  /** The state of each parameter. */
  readonly state: Map<Tensor, ParamState> = new Map();

  protected constructor(params: Params<O>, defaults: Required<O>, options: Partial<O> | undefined) {
    this.defaults = defaults;
    const who = this.constructor.name;
    checkNames(who, options, defaults);
    if (params instanceof Tensor || typeof params?.[Symbol.iterator] !== "function")
      throw new OptimError(
        `${who}: params must be a list of tensors or of groups { params, lr }, got ${describeParams(params)}`,
      );
    const list: readonly (Tensor | GroupInput<O>)[] = [...params];
    if (list.length === 0)
      throw new OptimError(`${who}: optimizer got an empty parameter list. Pass the tensors to optimize`);
    this.check(who, defaults);
    if (list.some((item) => item instanceof Tensor)) this.addParamGroup({ params: list } as never);
    else for (const group of list) this.addParamGroup(group as GroupInput<O>);
  }

  /** Throws for invalid options. */
  protected check(who: string, { lr }: Required<O>): void {
    checkNumber(who, "lr", lr);
  }

  /** Adds parameters with their own options. */
  addParamGroup(group: GroupInput<O>): void {
    const who = this.constructor.name;
    if (typeof group !== "object" || group === null || !("params" in group))
      throw new OptimError(
        `${who}: params must be all tensors or all groups { params, lr, ... }, got ${describeParams(group)}`,
      );
    const params = group.params instanceof Tensor ? [group.params] : [...group.params];
    if (params.length === 0)
      throw new OptimError(`${who}: a group has no parameters, got { params: [] }. Pass at least one tensor`);
    const known = new Set(this.paramGroups.flatMap((other) => other.params));
    for (const [k, t] of params.entries()) {
      checkParam(who, k, t, known);
      known.add(t);
    }
    const whole = { ...this.defaults, ...defined(group), params } as ParamGroup<O>;
    this.check(who, whole);
    this.paramGroups.push(whole);
  }

  /** Updates every parameter that has a gradient. A closure is called first, and its result is returned. */
  abstract step(): null;
  abstract step<T>(closure: () => T): T;

  /** Resets all gradients to null, or with `setToNull: false` to zeros. */
  zeroGrad({ setToNull = true }: { readonly setToNull?: boolean } = {}): void {
    for (const { params } of this.paramGroups)
      for (const t of params) {
        if (setToNull) t.zeroGrad();
        else if (t.grad !== null) t.grad = t.grad.detach().zero_();
      }
  }

  /** Options and state as plain objects. Parameters are numbered in order. Tensors are not copied. */
  stateDict(): OptimizerState {
    return packState(this.paramGroups, this.state);
  }

  /** Loads options and state of an optimizer of the same class over the same number of parameters. Tensors are copied. */
  loadStateDict(saved: OptimizerState): void {
    loadState(this.constructor.name, saved, this.paramGroups, this.state, (group) =>
      this.check(this.constructor.name, group as ParamGroup<O>),
    );
  }
}

/** Calls a closure with gradients enabled. */
export function evaluated<T>(closure: (() => T) | undefined): T | null {
  if (closure === undefined) return null;
  if (typeof closure !== "function")
    throw new OptimError(`step: takes a closure that computes the loss, step(() => loss), got ${shown(closure)}`);
  return enableGrad(closure);
}

function checkParam(who: string, k: number, t: unknown, known: ReadonlySet<Tensor>): void {
  if (!(t instanceof Tensor))
    throw new OptimError(`${who}: optimizer can only optimize tensors, parameter ${k} is ${shown(t)}`);
  if (t.isDisposed)
    throw new OptimError(
      `${who}: parameter ${k} was disposed, or its scope has ended. Create the model outside of scopes, or return it from them`,
    );
  if (t.device.type === "meta")
    throw new OptimError(
      `${who}: parameter ${k}, of shape [${t.shape}], is on the meta device and has no values. Create it on the cpu`,
    );
  if (!t.isLeaf && !t.retainsGrad)
    throw new OptimError(
      `${who}: can't optimize a non-leaf tensor, parameter ${k} is a result of ${String(t.gradFn)}. Pass the leaf tensor, or detach() it first`,
    );
  if (known.has(t))
    throw new OptimError(`${who}: parameter ${k} appears twice. Each tensor belongs to one group, once`);
}

/** The entries that are not undefined. */
function defined<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}

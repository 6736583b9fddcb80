/**
 * An optimiser's options and state as plain records, and back. Parameters are numbers, counted over all groups: the same parameters in
 * the same order is all that saving and loading have in common. Nothing changes if anything does not fit.
 */
import { noGrad, outsideScopes, Tensor } from "../index.ts";
import { OptimError, told } from "./checks.ts";

/** What an optimiser remembers of a parameter: tensors of its shape, and numbers. */
export type ParamState = Record<string, Tensor | number>;

/** An optimiser as plain data and tensors. */
export interface OptimizerState {
  readonly state: Readonly<Record<number, Readonly<Record<string, Tensor | number>>>>;
  readonly paramGroups: readonly (Readonly<Record<string, unknown>> & { readonly params: readonly number[] })[];
}

type AnyGroup = { readonly params: Tensor[] };

/** Groups and state with numbers in the place of parameters. */
export function packState(groups: readonly AnyGroup[], states: ReadonlyMap<Tensor, ParamState>): OptimizerState {
  let next = 0;
  const state: Record<number, ParamState> = {};
  const paramGroups = groups.map(({ params, ...options }) => {
    const numbers = params.map((t) => {
      const known = states.get(t);
      if (known !== undefined) state[next] = { ...known };
      return next++;
    });
    return { ...options, params: numbers };
  });
  return { state, paramGroups };
}

/** Puts saved options and copies of saved tensors into groups and states. */
export function loadState(
  who: string,
  saved: OptimizerState,
  groups: AnyGroup[],
  states: Map<Tensor, ParamState>,
  check: (group: AnyGroup) => void,
): void {
  if (!Array.isArray(saved?.paramGroups) || typeof saved.state !== "object" || saved.state === null)
    throw new OptimError(
      `${who}.loadStateDict: a state is { state, paramGroups }, as stateDict() gives it, got ${told(saved)}`,
    );
  const counts = groups.map(({ params }) => params.length);
  const given = saved.paramGroups.map((group) => group?.params?.length);
  if (counts.length !== given.length || counts.some((count, k) => count !== given[k]))
    throw new OptimError(
      `${who}.loadStateDict: loaded state dict has groups of [${given}] parameters, this optimizer has groups of [${counts}]. Give it the same parameters, in the same order`,
    );
  const merged = groups.map((group, k) => ({ ...group, ...saved.paramGroups[k], params: group.params }));
  for (const group of merged) check(group);
  const loaded = new Map<Tensor, ParamState>();
  for (const [k, { params }] of saved.paramGroups.entries())
    for (const [j, number] of params.entries()) {
      const known = saved.state[number];
      const t = groups[k]?.params[j] as Tensor;
      if (known !== undefined) loaded.set(t, copied(who, number, known, t));
    }
  for (const [k, group] of groups.entries()) Object.assign(group, merged[k]);
  states.clear();
  for (const [t, known] of loaded) states.set(t, known);
}

/** A parameter's state, its tensors copied in the parameter's dtype. */
function copied(who: string, number: number, known: Readonly<ParamState>, param: Tensor): ParamState {
  const state: ParamState = {};
  for (const [name, value] of Object.entries(known)) {
    if (typeof value === "number") {
      state[name] = value;
      continue;
    }
    if (!(value instanceof Tensor) || value.isDisposed)
      throw new OptimError(
        `${who}.loadStateDict: ${name} of parameter ${number} is a tensor or a number, got ${told(value)}. Files take flattenState(...)`,
      );
    if (value.shape.join() !== param.shape.join())
      throw new OptimError(
        `${who}.loadStateDict: ${name} of parameter ${number} has shape [${value.shape}], the parameter has [${param.shape}]. Give the parameters in the same order`,
      );
    state[name] = outsideScopes(() => noGrad(() => value.detach().to(param.dtype).clone()));
  }
  return state;
}

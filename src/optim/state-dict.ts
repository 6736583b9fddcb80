/**
 * Saves and loads the options and state of an optimizer as plain objects. Parameters are numbered over all groups, so loading requires the
 * same parameters in the same order. An error changes nothing.
 *
 * The flat form is for files: tensors by name, and one text for everything else. A .safetensors file holds both, the text in its metadata.
 * Numbers round-trip exactly.
 */
import { noGrad, outsideScopes, Tensor } from "../index.ts";
import { OptimError, shown } from "./checks.ts";

/** The state of a parameter: tensors of its shape, and numbers. */
export type ParamState = Record<string, Tensor | number>;

/** The options and state of an optimizer, as plain data and tensors. */
export interface OptimizerState {
  readonly state: Readonly<Record<number, Readonly<Record<string, Tensor | number>>>>;
  readonly paramGroups: readonly (Readonly<Record<string, unknown>> & { readonly params: readonly number[] })[];
}

type AnyGroup = { readonly params: Tensor[] };

/** Returns groups and state with parameters replaced by their numbers. */
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

/** Loads saved options and copies of saved tensors into groups and states. */
export function loadState(
  who: string,
  saved: OptimizerState,
  groups: AnyGroup[],
  states: Map<Tensor, ParamState>,
  check: (group: AnyGroup) => void,
): void {
  if (!Array.isArray(saved?.paramGroups) || typeof saved.state !== "object" || saved.state === null)
    throw new OptimError(
      `${who}.loadStateDict: a state must be { state, paramGroups }, the result of stateDict(), got ${shown(saved)}`,
    );
  const counts = groups.map(({ params }) => params.length);
  const savedCounts = saved.paramGroups.map((group) => group?.params?.length);
  if (counts.length !== savedCounts.length || counts.some((count, k) => count !== savedCounts[k]))
    throw new OptimError(
      `${who}.loadStateDict: loaded state dict has groups of [${savedCounts}] parameters, this optimizer has groups of [${counts}]. Use the same parameters, in the same order`,
    );
  const merged = groups.map((group, k) => ({ ...group, ...saved.paramGroups[k], params: group.params }));
  for (const group of merged) check(group);
  const loaded = new Map<Tensor, ParamState>();
  for (const [k, { params }] of saved.paramGroups.entries())
    for (const [j, number] of params.entries()) {
      const known = saved.state[number];
      const t = groups[k]?.params[j];
      if (known !== undefined) loaded.set(t, copied(who, number, known, t));
    }
  for (const [k, group] of groups.entries()) Object.assign(group, merged[k]);
  states.clear();
  for (const [t, known] of loaded) states.set(t, known);
}

/** A copy of a parameter's state, with tensors in the parameter's dtype. */
function copied(who: string, number: number, known: Readonly<ParamState>, param: Tensor): ParamState {
  const state: ParamState = {};
  for (const [name, value] of Object.entries(known)) {
    if (typeof value === "number") {
      state[name] = value;
      continue;
    }
    if (!(value instanceof Tensor) || value.isDisposed)
      throw new OptimError(
        `${who}.loadStateDict: ${name} of parameter ${number} must be a tensor or a number, got ${shown(value)}. For files, use flattenState(...)`,
      );
    if (value.shape.join() !== param.shape.join())
      throw new OptimError(
        `${who}.loadStateDict: ${name} of parameter ${number} has shape [${value.shape}], but the parameter has [${param.shape}]. Pass the parameters in the same order`,
      );
    state[name] = outsideScopes(() => noGrad(() => value.detach().to(param.dtype).clone()));
  }
  return state;
}

/** A state as tensors, with names such as "0.expAvg", and a text. */
export interface FlatState {
  readonly tensors: Record<string, Tensor>;
  readonly text: string;
}

/** Returns the tensors of a state by name, and the rest as a text: for `saveSafetensors(path, tensors, { metadata: { state: text } })`. */
export function flattenState(optimizerState: OptimizerState): FlatState {
  const { state, paramGroups } = optimizerState ?? {};
  if (Object(state) !== state || !Array.isArray(paramGroups))
    throw new OptimError("flattenState: needs the state of an optimizer: optimizer.stateDict()");
  const tensors: Record<string, Tensor> = {};
  const numbers: Record<string, Record<string, number>> = {};
  for (const [param, known] of Object.entries(state)) {
    const own: Record<string, number> = {};
    numbers[param] = own;
    for (const [name, value] of Object.entries(known))
      if (value instanceof Tensor) tensors[`${param}.${name}`] = value;
      else own[name] = value;
  }
  return { tensors, text: JSON.stringify({ state: numbers, paramGroups }) };
}

/** The inverse of `flattenState`: returns the state for `optimizer.loadStateDict`. */
export function unflattenState(
  tensors: ReadonlyMap<string, Tensor> | Readonly<Record<string, Tensor>>,
  text: string | undefined,
): OptimizerState {
  if (typeof text !== "string")
    throw new OptimError(
      `unflattenState: needs the text of flattenState, got ${shown(text)}. Write unflattenState(tensors, text)`,
    );
  const { state, paramGroups } = JSON.parse(text) as { state: Record<number, ParamState> } & OptimizerState;
  for (const [name, t] of tensors instanceof Map ? tensors : Object.entries(tensors)) {
    const [param, field] = name.split(".") as [number & string, string];
    const known = state[param];
    if (known === undefined)
      throw new OptimError(
        `unflattenState: ${name} belongs to none of the parameters ${Object.keys(state).join(", ")}. Pass only the tensors of flattenState`,
      );
    known[field] = t as Tensor;
  }
  return { state, paramGroups };
}

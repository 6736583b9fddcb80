/**
 * An optimiser's state in the form of a file: tensors by name, and one text for everything else. A .safetensors file holds both, the
 * text among its metadata. Numbers come back to the last bit.
 */
import { Tensor } from "../index.ts";
import { OptimError, told } from "./checks.ts";
import type { OptimizerState, ParamState } from "./state-dict.ts";

/** A state as tensors, named "0.expAvg" and so on, and a text. */
export interface FlatState {
  readonly tensors: Record<string, Tensor>;
  readonly text: string;
}

/** The tensors of a state by name, and all else as a text: for `saveSafetensors(path, tensors, { metadata: { state: text } })`. */
export function flattenState(given: OptimizerState): FlatState {
  const { state, paramGroups } = given ?? {};
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

/** The state that `flattenState` took apart: for `optimizer.loadStateDict`. */
export function unflattenState(
  tensors: ReadonlyMap<string, Tensor> | Readonly<Record<string, Tensor>>,
  text: string | undefined,
): OptimizerState {
  if (typeof text !== "string")
    throw new OptimError(
      `unflattenState: the text of flattenState is needed, with options and numbers, got ${told(text)}. Write unflattenState(tensors, text)`,
    );
  const { state, paramGroups } = JSON.parse(text) as { state: Record<number, ParamState> } & OptimizerState;
  for (const [name, t] of tensors instanceof Map ? tensors : Object.entries(tensors)) {
    const [param, field] = name.split(".") as [number & string, string];
    const known = state[param];
    if (known === undefined)
      throw new OptimError(
        `unflattenState: ${name} belongs to none of the parameters ${Object.keys(state).join(", ")}. Give the tensors of flattenState alone`,
      );
    known[field] = t as Tensor;
  }
  return { state, paramGroups };
}

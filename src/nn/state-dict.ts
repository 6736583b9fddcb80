/**
 * Loading weights by name: everything is compared first, then copied, so that a dict which does not fit changes nothing. The sentences are
 * PyTorch's, and so are the names of fields: a capital letter is an underscore and the small letter, `inProjWeight` is `in_proj_weight`.
 */
import { noGrad, StridewiseError, Tensor } from "../index.ts";
import { foreign } from "./print.ts";

/** Tensors by name: a record, or what `loadSafetensors` gives. */
export type StateDict = Readonly<Record<string, Tensor>> | ReadonlyMap<string, Tensor>;

/** The names in which a model and a dict differ. */
export interface LoadReport {
  readonly missingKeys: string[];
  readonly unexpectedKeys: string[];
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");
const sizes = (t: Tensor): string => `torch.Size([${t.shape.join(", ")}])`;

/** A model, or a whole file, in place of its tensors; null for other values. */
function holderOf(value: unknown): string | null {
  const { stateDict, tensors } = Object(value) as { stateDict?: unknown; tensors?: unknown };
  if (typeof stateDict === "function") return "a model. Pass model.stateDict()";
  return tensors instanceof Map ? "a file with its metadata. Pass its .tensors" : null;
}

const shown = (value: unknown): string => {
  if (value instanceof Promise) return "a promise. Await it first";
  return Array.isArray(value) ? "a list" : foreign(value) || String(value);
};

/** Why a value cannot be copied from; null if it can. */
function whyUnreadable(value: unknown): string | null {
  if (!(value instanceof Tensor)) return `a tensor is expected, got ${shown(value)}`;
  if (value.isDisposed) return "the tensor was disposed. What leaves a scope is returned from it, or passed to keep";
  if (value.device.type === "meta") return "the tensor is on the meta device and has no values";
  return value.dtype.startsWith("complex") ? `the tensor is ${value.dtype}, the parameter is real` : null;
}

/** Copies the tensors of a dict into those of a model; refuses if names (with `strict`) or shapes differ. */
export function loadState(
  model: string,
  own: ReadonlyMap<string, Tensor>,
  state: StateDict,
  strict: boolean,
): LoadReport {
  if (
    typeof state !== "object" ||
    state === null ||
    state instanceof Tensor ||
    Array.isArray(state) ||
    state instanceof Promise ||
    holderOf(state) !== null
  )
    throw new StridewiseError(
      `loadStateDict: a state is a record or a map of tensors by name, as stateDict() and loadSafetensors(path) .tensors give it, got ${holderOf(state) ?? shown(state)}`,
    );
  const given: ReadonlyMap<string, unknown> = state instanceof Map ? state : new Map(Object.entries(state));
  const missingKeys = [...own.keys()].filter((name) => !given.has(name));
  const unexpectedKeys = [...given.keys()].filter((name) => !own.has(name));
  const faults: string[] = [];
  if (strict && missingKeys.length > 0) faults.push(`Missing key(s) in state_dict: ${quoted(missingKeys)}.`);
  if (strict && unexpectedKeys.length > 0) faults.push(`Unexpected key(s) in state_dict: ${quoted(unexpectedKeys)}.`);
  const fitting: [to: Tensor, from: Tensor][] = [];
  for (const [name, to] of own) {
    const from = given.get(name);
    if (from === undefined) continue;
    const fault = whyUnreadable(from);
    if (fault !== null || !(from instanceof Tensor)) faults.push(`${name}: ${fault}.`);
    else if (sizes(from) === sizes(to)) fitting.push([to, from]);
    else
      faults.push(
        `size mismatch for ${name}: copying a param with shape ${sizes(from)} from checkpoint, the shape in current model is ${sizes(to)}.`,
      );
  }
  if (faults.length > 0)
    throw new StridewiseError(`loadStateDict: Error(s) in loading state_dict for ${model}:\n\t${faults.join("\n\t")}`);
  noGrad(() => {
    for (const [to, from] of fitting) to.copy_(from);
  });
  return { missingKeys, unexpectedKeys };
}

const known = /* @__PURE__ */ new Map<string, string>();

/** The name that a field has in a state dict. Models ask for the same few names again and again. */
export function stateName(field: string): string {
  let name = known.get(field);
  if (name === undefined) {
    name = field.replace(/(?<=.)[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
    known.set(field, name);
  }
  return name;
}

/** A name under the name of what holds it. */
export const under = (prefix: string, name: string): string => (prefix === "" ? name : `${prefix}.${name}`);

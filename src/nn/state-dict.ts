/**
 * Loads weights by name: everything is compared first and then copied, so an error changes nothing. Messages are PyTorch's, and so are the
 * names of fields: a capital letter becomes an underscore and the small letter, `inProjWeight` is `in_proj_weight`.
 */
import { noGrad, StridewiseError, Tensor } from "../index.ts";
import { foreign } from "./print.ts";

/** Tensors by name: an object, or the tensors of `loadSafetensors`. */
export type StateDict = Readonly<Record<string, Tensor>> | ReadonlyMap<string, Tensor>;

/** The names that only the model or only the state dict has. */
export interface LoadReport {
  readonly missingKeys: string[];
  readonly unexpectedKeys: string[];
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");
const sizes = (t: Tensor): string => `[${t.shape.join(", ")}]`;

/** Describes a model or a loaded file that was passed instead of its tensors; null for other values. */
function holderOf(value: unknown): string | null {
  const { stateDict, tensors } = Object(value) as { stateDict?: unknown; tensors?: unknown };
  if (typeof stateDict === "function") return "a model. Pass model.stateDict()";
  return tensors instanceof Map ? "a file with its metadata. Pass its .tensors" : null;
}

const shown = (value: unknown): string => {
  if (value instanceof Promise) return "a promise. Await it first";
  return Array.isArray(value) ? "a list" : foreign(value) || String(value);
};

/** The reason why a value cannot be copied from; null if it can. */
function whyUnreadable(value: unknown): string | null {
  if (!(value instanceof Tensor)) return `expected a tensor, got ${shown(value)}`;
  if (value.isDisposed) return "the tensor was disposed. Return it from its scope, or pass it to keep";
  if (value.device.type === "meta") return "the tensor is on the meta device and has no values";
  return value.dtype.startsWith("complex") ? `the tensor is ${value.dtype}, but the parameter is real` : null;
}

/** Copies the tensors of a state dict into those of a model; throws if names (with `strict`) or shapes differ. */
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
      `loadStateDict: a state must be an object or a Map of tensors by name, such as stateDict() or the tensors of loadSafetensors(path), got ${holderOf(state) ?? shown(state)}`,
    );
  const entries: ReadonlyMap<string, unknown> = state instanceof Map ? state : new Map(Object.entries(state));
  const missingKeys = [...own.keys()].filter((name) => !entries.has(name));
  const unexpectedKeys = [...entries.keys()].filter((name) => !own.has(name));
  const faults: string[] = [];
  if (strict && missingKeys.length > 0) faults.push(`missing in the state dict: ${quoted(missingKeys)}.`);
  if (strict && unexpectedKeys.length > 0) faults.push(`not in the model: ${quoted(unexpectedKeys)}.`);
  const fitting: [to: Tensor, from: Tensor][] = [];
  for (const [name, to] of own) {
    const from = entries.get(name);
    if (from === undefined) continue;
    const fault = whyUnreadable(from);
    if (fault !== null || !(from instanceof Tensor)) faults.push(`${name}: ${fault}.`);
    else if (sizes(from) === sizes(to)) fitting.push([to, from]);
    else faults.push(`${name}: the state dict has shape ${sizes(from)}, the model has shape ${sizes(to)}.`);
  }
  if (faults.length > 0)
    throw new StridewiseError(`loadStateDict: the state dict does not match ${model}:\n  ${faults.join("\n  ")}`);
  noGrad(() => {
    for (const [to, from] of fitting) to.copy_(from);
  });
  return { missingKeys, unexpectedKeys };
}

const known = /* @__PURE__ */ new Map<string, string>();

/** The name of a field in a state dict. Cached, because models have few distinct names. */
export function stateName(field: string): string {
  let name = known.get(field);
  if (name === undefined) {
    name = field.replace(/(?<=.)[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
    known.set(field, name);
  }
  return name;
}

/** A name below a prefix: "prefix.name". */
export const under = (prefix: string, name: string): string => (prefix === "" ? name : `${prefix}.${name}`);

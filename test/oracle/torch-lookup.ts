/**
 * Finds this library's function for a name of PyTorch: `log_softmax` is `logSoftmax` here, `nn.functional.relu` is `relu`, `linalg.svd`
 * is `svd` of the namespace `linalg`. Looks among the ops, then the creation functions, then the methods of tensors. How arguments are
 * passed is decided in `torch-call.ts`.
 */
import * as api from "../../src/api.ts";
import { boot } from "../../src/boot.ts";
import * as index from "../../src/index.ts";
import { allOps } from "../../src/ops/methods.ts";
import { Tensor } from "../../src/tensor/tensor.ts";

export type Callable = (...args: unknown[]) => unknown;
type Table = Readonly<Record<string, unknown>>;

/** PyTorch's namespaces that have one here. */
const namespaces = ["linalg", "fft", "special", "windows", "masked"];

const isFunction = (value: unknown): value is Callable => typeof value === "function";
const isOp = (value: unknown): value is Callable => isFunction(value) && "operator" in value;

let byName: Map<string, Callable> | null = null;

/** All functions, by their names in small letters: PyTorch writes `logsigmoid` and `log_softmax`. */
function functions(): Map<string, Callable> {
  if (byName !== null) return byName;
  boot();
  const table = new Map<string, Callable>();
  const note = (name: string, fn: unknown, isWanted: (value: unknown) => value is Callable = isFunction): void => {
    if (isWanted(fn) && !table.has(name.toLowerCase())) table.set(name.toLowerCase(), fn);
  };
  for (const space of namespaces)
    for (const [name, fn] of Object.entries(((index as Table)[space] ?? {}) as Table)) note(`${space}.${name}`, fn);
  for (const [name, fn] of [...allOps(), ...Object.entries(index as Table)]) {
    note(name, fn, isOp);
    note(`ops.${name}`, fn, isOp);
  }
  for (const [name, fn] of Object.entries(api as Table)) note(name, fn);
  for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(Tensor.prototype))) {
    const call = isFunction(value) ? value : get;
    const method = (t: unknown, ...args: unknown[]): unknown => (call as Callable).apply(t, args);
    note(name, method);
    note(`Tensor.${name}`, method);
  }
  for (const [name, fn] of Object.entries(index as Table)) note(name, fn);
  byName = table;
  return table;
}

/** A name of PyTorch as it is spelled here. */
export const camel = (name: string): string =>
  name.replace(/(?<=\w)_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The name without the namespaces that have none here, and without the point before methods. */
export const plainName = (name: string): string => name.replace(/^(torch|nn\.functional|F|)\./, "");

/** The function for a name of PyTorch, or of this library; undefined if there is none. */
export function lookup(name: string): Callable | undefined {
  const spelled = camel(plainName(name)).toLowerCase();
  const table = functions();
  const inner = spelled.replace(/^signal\./, "");
  return table.get(inner) ?? table.get(inner.replace(/^(special|windows)\./, ""));
}

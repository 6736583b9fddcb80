/**
 * Calls an op by PyTorch's name with PyTorch's arguments. `torch-signatures.ts` says which of its parameters are positional here and
 * which are options; `torch-idioms.ts` has what is written otherwise here. Without an entry, positional arguments stay positional, and
 * keywords are options.
 */
import { idioms } from "./torch-idioms.ts";
import { type Callable, camel, lookup, plainName } from "./torch-lookup.ts";
import { signatures } from "./torch-signatures.ts";

export type Keywords = Readonly<Record<string, unknown>>;

/** There is no such op here. */
export class UnknownOpError extends Error {
  readonly op: string;
  constructor(op: string) {
    super(`op ${op}`);
    this.op = op;
  }
}

/** Keywords that mean nothing here: there is one processor, positions have one dtype, gradients come later. */
const meaningless = new Set([
  "device",
  "requires_grad",
  "generator",
  "layout",
  "pin_memory",
  "memory_format",
  "out_int32",
]);

/** PyTorch's words for parameters that have another name here. */
const renamed: Readonly<Record<string, string>> = {
  dim: "axis",
  dims: "axes",
  dim1: "axis1",
  dim2: "axis2",
};
const renamedTo = (name: string): string => renamed[name] ?? camel(name);

interface Parameters {
  readonly ours: string;
  readonly positional: readonly string[];
  readonly options: readonly string[];
}

const words = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

/** "name(a, b; c, d)", the name only where it differs. */
function readSignature(torchName: string, text: string): Parameters {
  const [, name, inside] = /^([\w.]*)\((.*)\)$/.exec(text) as unknown as [string, string, string];
  const [positional, options = ""] = inside.split(";") as [string, string?];
  return { ours: name === "" ? torchName : name, positional: words(positional), options: words(options) };
}

/** None is an omitted parameter. */
const orLeftAway = (value: unknown): unknown => (value === null ? undefined : value);

function optionsOf(entries: readonly (readonly [string, unknown])[]): unknown[] {
  const defined = entries.filter(([, value]) => value !== undefined);
  return defined.length === 0 ? [] : [Object.fromEntries(defined)];
}

function trimmed(args: readonly unknown[]): unknown[] {
  let count = args.length;
  while (count > 0 && args[count - 1] === undefined) count--;
  return args.slice(0, count);
}

/** Positional arguments, then options. */
export function arranged({ positional, options }: Parameters, args: readonly unknown[], keywords: Keywords): unknown[] {
  const names = [...positional, ...options];
  const values: Record<string, unknown> = { ...keywords };
  // PyTorch's arguments after the input.
  for (const [k, value] of args.slice(1).entries())
    if (value !== undefined) values[names[k] ?? `argument ${k + 1}`] = value;
  const positionals = positional.map((name) => orLeftAway(values[name]));
  const rest = Object.keys(values).filter((name) => !positional.includes(name));
  const entries = rest.map((name) => [renamedTo(name), orLeftAway(values[name])] as const);
  const optionArgs = optionsOf(entries);
  return [args[0], ...(optionArgs.length === 0 ? trimmed(positionals) : positionals), ...optionArgs];
}

function callFunction(
  fn: Callable,
  signature: Parameters | null,
  args: readonly unknown[],
  keywords: Keywords,
): unknown {
  if (signature !== null) return fn(...arranged(signature, args, keywords));
  const entries = Object.entries(keywords).map(([name, value]) => [renamedTo(name), orLeftAway(value)] as const);
  return fn(...trimmed(args.map(orLeftAway)), ...optionsOf(entries));
}

/** The name in the tables: with its namespace if it is both a function of PyTorch's and one of torch.nn.functional. */
function tableName(op: string): string {
  const full = op.replace(/^nn\.functional\./, "F.");
  return full in signatures || full in idioms ? full : plainName(op);
}

function signatureOf(name: string): Parameters | null {
  const text = Object.hasOwn(signatures, name) ? signatures[name] : undefined;
  return text === undefined ? null : readSignature(name, text);
}

/** The op's result, or an UnknownOpError. */
export function callTorch(op: string, args: readonly unknown[], keywords: Keywords = {}): unknown {
  const meaningful = Object.fromEntries(Object.entries(keywords).filter(([name]) => !meaningless.has(name)));
  const name = tableName(op);
  const idiom = Object.hasOwn(idioms, name) ? idioms[name] : undefined;
  if (idiom === undefined) return callOwn(name, args, meaningful);
  // Inside of an idiom its own name is the op itself.
  return idiom(args, meaningful, (inner, innerArgs, innerKeywords = {}) =>
    inner === name ? callOwn(name, innerArgs, innerKeywords) : callTorch(inner, innerArgs, innerKeywords),
  );
}

function callOwn(name: string, args: readonly unknown[], keywords: Keywords): unknown {
  const signature = signatureOf(name);
  const fn = lookup(signature?.ours ?? name);
  if (fn === undefined) throw new UnknownOpError(name);
  return callFunction(fn, signature, args, keywords);
}

/** True if the op is here under its own name, and not only by other means. */
export function isOwnName(op: string): boolean {
  const name = tableName(op);
  return lookup(signatureOf(name)?.ours ?? name) !== undefined;
}

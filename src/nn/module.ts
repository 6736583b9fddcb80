/**
 * Module: a part of a model. Its fields are what it is made of: parameters and buffers (`parameter.ts`), other modules, and arrays or plain
 * records of those, nested as they may be. They are found by name when asked for, in the order of the fields, so nothing has to be registered.
 *
 * Names are PyTorch's (`state-dict.ts`), so that weights go both ways. What a module computes is its `forward`.
 */
import { type DType, StridewiseError, Tensor } from "../index.ts";
import { converted, copyTensor, markOf } from "./parameter.ts";
import { argumentsText, nestedText } from "./print.ts";
import { type LoadReport, loadState, type StateDict, stateName, under } from "./state-dict.ts";

/** @internal Where a tensor or module stands: `owner[key]`, with its name. */
export interface Part {
  readonly name: string;
  readonly owner: Record<string, unknown>;
  readonly key: string;
}

/** @internal Where a module says what it is made of. A symbol, so that fields may have any name. */
export const partsOf: unique symbol = /* @__PURE__ */ Symbol("parts");

export interface LoadOptions {
  /** Whether the names must be the same: true unless given. */
  readonly strict?: boolean | undefined;
}

const isFloat = (dtype: DType): boolean => dtype.startsWith("float") || dtype.startsWith("bfloat");

/** A part of a model: parameters, other modules, and `forward`. */
export abstract class Module {
  /** True in training: dropout drops, and batch norms use the batch. Set it with `train()` and `eval()`. */
  training = true;

  /** What the module computes. */
  // biome-ignore lint/suspicious/noExplicitAny: each module takes and gives what it will; subclasses have exact types.
  abstract forward(...inputs: any[]): any;

  /** What stands between the brackets when the module is printed. */
  settingsText(): string {
    return "";
  }

  /** @internal The tensors and modules directly in this one. */
  [partsOf](): readonly Part[] {
    const found: Part[] = [];
    const fields = this as unknown as Record<string, unknown>;
    for (const key of Object.keys(fields)) {
      const value = fields[key];
      if (typeof value !== "object" || value === null) continue;
      if (isPart(value)) found.push({ name: stateName(key), owner: fields, key });
      else if (isHolder(value)) collect(found, value, stateName(key));
    }
    return found;
  }

  /** The parameters with their names; one that stands in several places once, under its first name. */
  namedParameters(): [string, Tensor][] {
    return once(tensorsIn(this, (mark) => mark === "parameter"));
  }

  /** The parameters: what an optimiser changes. */
  parameters(): Tensor[] {
    return this.namedParameters().map(([, t]) => t);
  }

  /** The buffers with their names. */
  namedBuffers(): [string, Tensor][] {
    return once(tensorsIn(this, (mark) => mark === "buffer" || mark === "scratch"));
  }

  /** The buffers: running values and the like. */
  buffers(): Tensor[] {
    return this.namedBuffers().map(([, t]) => t);
  }

  /** The modules directly in this one, with their names. */
  namedChildren(): [string, Module][] {
    const parts = this[partsOf]().map(({ name, owner, key }) => [name, owner[key]] as const);
    return once(parts.filter((each): each is [string, Module] => each[1] instanceof Module));
  }

  /** The modules directly in this one. */
  children(): Module[] {
    return this.namedChildren().map(([, child]) => child);
  }

  /** This module (under the name "") and all modules in it, with their names. */
  namedModules(): [string, Module][] {
    return once(modulesIn(this, "down"));
  }

  /** This module and all modules in it. */
  modules(): Module[] {
    return this.namedModules().map(([, module]) => module);
  }

  /** Calls a function with every module in this one, children first, then with this one. */
  apply(fn: (module: Module) => void): this {
    for (const [, module] of once(modulesIn(this, "up"))) fn(module);
    return this;
  }

  /** Sets this module and all in it to training. */
  train(mode = true): this {
    return this.apply((module) => {
      module.training = mode;
    });
  }

  /** Sets this module and all in it to use: nothing is dropped, running values are used. */
  eval(): this {
    return this.train(false);
  }

  /** Forgets the gradients of all parameters. */
  zeroGrad(): void {
    for (const t of this.parameters()) t.zeroGrad();
  }

  /** Asks for gradients of all parameters, or no longer: then they are frozen. */
  requiresGrad_(asked = true): this {
    for (const t of this.parameters()) t.requiresGrad_(asked);
    return this;
  }

  /** All parameters and buffers by their names, without history, in the model's own memory. Save them with `saveSafetensors`. */
  stateDict(): Record<string, Tensor> {
    const saved = tensorsIn(this, (mark) => mark === "parameter" || mark === "buffer");
    return Object.fromEntries(saved.map(([name, t]) => [name, t.detach()]));
  }

  /** Copies tensors into the parameters and buffers of their names. If anything does not fit, nothing is changed. */
  loadStateDict(state: StateDict, { strict = true }: LoadOptions = {}): LoadReport {
    const own = new Map(tensorsIn(this, (mark) => mark === "parameter" || mark === "buffer"));
    return loadState(this.constructor.name, own, state, strict);
  }

  /** Converts all floating-point parameters and buffers. They are new tensors then: make optimisers afterwards. */
  to(dtype: DType): this {
    if (!isFloat(dtype))
      throw new StridewiseError(
        `${this.constructor.name}.to: only floating-point dtypes are accepted, as parameters are learned; got ${String(dtype)}`,
      );
    const done = new Map<Tensor, Tensor>();
    for (const module of this.modules())
      for (const { owner, key } of module[partsOf]()) {
        const t = owner[key];
        if (!(t instanceof Tensor) || markOf(t) === undefined || !isFloat(t.dtype)) continue;
        const result = done.get(t) ?? converted(t, dtype);
        done.set(t, result);
        owner[key] = result;
      }
    return this;
  }

  /** A copy with parameters and buffers of its own; what was one tensor or module in several places is one again. */
  clone(): this {
    return copyOf(this, new Map());
  }

  /** The modules in this one, indented under their names. */
  toString(): string {
    modulesIn(this, "down");
    const children = this[partsOf]().flatMap(({ name, owner, key }): [string, string][] => {
      const child = owner[key];
      return child instanceof Module ? [[name, String(child)]] : [];
    });
    return nestedText(this.constructor.name, this.settingsText(), children);
  }
}

const isPart = (value: unknown): boolean => value instanceof Tensor || value instanceof Module;
const isRecord = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
/** An array or a plain record. */
const isHolder = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && (Array.isArray(value) || isRecord(value));

type Visit = (name: string, module: Module, parts: readonly Part[]) => void;

/** Visits a module and those in it, however often they stand there, before or behind what holds them. */
function walk(module: Module, order: "down" | "up", visit: Visit, prefix = "", path: Module[] = []): void {
  if (path.includes(module))
    throw new StridewiseError(
      `${path[0]?.constructor.name}: ${prefix} is a module that it is itself a part of. Keep what points back out of fields: in a #private one, or a function`,
    );
  const parts = module[partsOf]();
  if (order === "down") visit(prefix, module, parts);
  path.push(module);
  for (const { name, owner, key } of parts) {
    const part = owner[key];
    if (part instanceof Module) walk(part, order, visit, under(prefix, name), path);
  }
  path.pop();
  if (order === "up") visit(prefix, module, parts);
}

/** A module and those in it, with their names. */
function modulesIn(module: Module, order: "down" | "up"): [string, Module][] {
  const found: [string, Module][] = [];
  walk(module, order, (name, each) => found.push([name, each]));
  return found;
}

/** All marked tensors with their names: own ones first, then those of the children. */
function tensorsIn(model: Module, isWanted: (mark: string | undefined) => boolean): [string, Tensor][] {
  const found: [string, Tensor][] = [];
  walk(model, "down", (prefix, _module, parts) => {
    for (const { name, owner, key } of parts) {
      const t = owner[key];
      if (t instanceof Tensor && isWanted(markOf(t))) found.push([under(prefix, name), t]);
    }
  });
  return found;
}

/** @internal The parts among the entries of an array or record, and of those in it; their keys are their names. */
export function collect(into: Part[], entries: Record<string, unknown>, prefix: string, path: object[] = []): void {
  // Lists of numbers and strings, which may be long, are passed over; records that hold themselves are looked at once.
  if (path.includes(entries) || (Array.isArray(entries) && !entries.some((entry) => typeof entry === "object"))) return;
  for (const key of Object.keys(entries)) {
    const value = entries[key];
    if (isPart(value)) into.push({ name: under(prefix, key), owner: entries, key });
    else if (isHolder(value)) collect(into, value, under(prefix, key), [...path, entries]);
  }
}

/** A deep copy of modules, tensors, arrays and plain records; all else is shared. */
function copyOf<T>(value: T, done: Map<object, object>): T {
  if (typeof value !== "object" || value === null) return value;
  const before = done.get(value);
  if (before !== undefined) return before as T;
  if (value instanceof Tensor) {
    const copied = copyTensor(value);
    done.set(value, copied);
    return copied as T;
  }
  const isList = Array.isArray(value);
  if (!isList && !(value instanceof Module) && !isRecord(value)) return value;
  const result = isList ? [] : Object.create(Object.getPrototypeOf(value));
  done.set(value, result);
  for (const key of Object.keys(value)) result[key] = copyOf((value as Record<string, unknown>)[key], done);
  return result;
}

/** Entries whose value was not seen before. */
function once<T extends object>(entries: readonly [string, T][]): [string, T][] {
  const seen = new Set<T>();
  return entries.filter(([, value]) => !seen.has(value) && seen.add(value));
}

/** A module that prints as the call that made it. */
export abstract class Layer extends Module {
  private readonly settings: string;

  /** The arguments, for printing and for errors. */
  constructor(...given: readonly unknown[]) {
    super();
    this.settings = argumentsText(given);
  }

  override settingsText(): string {
    return this.settings;
  }

  /** Who speaks in an error. */
  protected get who(): string {
    return `${this.constructor.name}(${this.settings})`;
  }
}

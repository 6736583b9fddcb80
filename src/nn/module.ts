/**
 * Module, the base class of models and layers. Its fields hold parameters and buffers (`parameter.ts`), other modules, and arrays or plain
 * objects of those, nested to any depth. They are enumerated on demand, in the order of the fields, so nothing has to be registered.
 *
 * Names are PyTorch's (`state-dict.ts`), so weights can be exchanged. `forward` computes the output.
 */
import { type DType, guard, type Shape, StridewiseError, Tensor } from "../index.ts";
import { converted, copyTensor, markOf } from "./parameter.ts";
import { argumentsText, nestedText, shown } from "./print.ts";
import { type LoadReport, loadState, type StateDict, stateName, under } from "./state-dict.ts";

/** @internal A tensor or module in a field: `owner[key]`, with its name. */
export interface Part {
  readonly name: string;
  readonly owner: Record<string, unknown>;
  readonly key: string;
}

/** @internal The method that lists the parts of a module. A symbol, so that fields can have any name. */
export const partsOf: unique symbol = /* @__PURE__ */ Symbol("parts");

/** The output of a layer for an input X: a tensor with its dtype. */
export type Output<X extends Tensor> = Tensor<Shape, X["dtype"]>;

export interface LoadOptions {
  /** Whether missing and unexpected names are errors. Default: true. */
  readonly strict?: boolean | undefined;
}

const isFloat = (dtype: DType): boolean => dtype.startsWith("float") || dtype.startsWith("bfloat");

/** The base class of models and layers: parameters, other modules, and `forward`. */
export abstract class Module {
  /** True in training: dropout is active, and batch norms use the statistics of the batch. Set it with `train()` and `eval()`. */
  get training(): boolean {
    return guard(() => this.isTraining);
  }

  set training(training: boolean) {
    this.isTraining = training;
  }

  private isTraining = true;

  /** Computes the output. */
  // biome-ignore lint/suspicious/noExplicitAny: inputs and outputs depend on the module; subclasses have exact types.
  abstract forward(...inputs: any[]): any;

  /** The text between the parentheses when the module is printed. */
  settingsText(): string {
    return "";
  }

  /** @internal The tensors and modules directly in this one. */
  [partsOf](): readonly Part[] {
    const parts: Part[] = [];
    const fields = this as unknown as Record<string, unknown>;
    for (const key of Object.keys(fields)) {
      const value = fields[key];
      if (typeof value !== "object" || value === null) continue;
      if (isPart(value)) parts.push({ name: stateName(key), owner: fields, key });
      else if (isHolder(value)) collectParts(parts, value, stateName(key));
    }
    return parts;
  }

  /** The parameters with their names. A shared parameter appears once, under its first name. */
  namedParameters(): [string, Tensor][] {
    return uniqueByValue(tensorsIn(this, (mark) => mark === "parameter"));
  }

  /** The parameters, for an optimizer. */
  parameters(): Tensor[] {
    return this.namedParameters().map(([, t]) => t);
  }

  /** The buffers with their names. */
  namedBuffers(): [string, Tensor][] {
    return uniqueByValue(tensorsIn(this, (mark) => mark === "buffer" || mark === "scratch"));
  }

  /** The buffers, such as running statistics. */
  buffers(): Tensor[] {
    return this.namedBuffers().map(([, t]) => t);
  }

  /** The direct children, with their names. */
  namedChildren(): [string, Module][] {
    const parts = this[partsOf]().map(({ name, owner, key }) => [name, owner[key]] as const);
    return uniqueByValue(parts.filter((each): each is [string, Module] => each[1] instanceof Module));
  }

  /** The direct children. */
  children(): Module[] {
    return this.namedChildren().map(([, child]) => child);
  }

  /** This module (under the name "") and all its descendants, with their names. */
  namedModules(): [string, Module][] {
    return uniqueByValue(modulesIn(this, "down"));
  }

  /** This module and all its descendants. */
  modules(): Module[] {
    return this.namedModules().map(([, module]) => module);
  }

  /** Calls a function with every descendant, children first, and then with this module. */
  apply(fn: (module: Module) => void): this {
    for (const [, module] of uniqueByValue(modulesIn(this, "up"))) fn(module);
    return this;
  }

  /** Sets this module and its descendants to training mode. */
  train(mode = true): this {
    return this.apply((module) => {
      module.training = mode;
    });
  }

  /** Sets this module and its descendants to evaluation mode: no dropout, and norms use running statistics. */
  eval(): this {
    return this.train(false);
  }

  /** Resets the gradients of all parameters. */
  zeroGrad(): void {
    for (const t of this.parameters()) t.zeroGrad();
  }

  /** Sets whether autograd records operations on the parameters; false freezes them. */
  requiresGrad_(requiresGrad = true): this {
    for (const t of this.parameters()) t.requiresGrad_(requiresGrad);
    return this;
  }

  /** All parameters and buffers by name, detached, sharing the memory of the model. Save them with `saveSafetensors`. */
  stateDict(): Record<string, Tensor> {
    const saved = tensorsIn(this, (mark) => mark === "parameter" || mark === "buffer");
    return Object.fromEntries(saved.map(([name, t]) => [name, t.detach()]));
  }

  /** Copies tensors into the parameters and buffers with the same names. Changes nothing if it throws. */
  loadStateDict(state: StateDict, { strict = true }: LoadOptions = {}): LoadReport {
    const own = new Map(tensorsIn(this, (mark) => mark === "parameter" || mark === "buffer"));
    return loadState(this.constructor.name, own, state, strict);
  }

  /**
   * Converts all floating-point parameters and buffers to a dtype, or copies all to a device. They become new tensors: create optimizers
   * afterward.
   */
  to(target: DType | Tensor["device"]): this {
    const toDevice = typeof target === "object" && target !== null;
    if (!toDevice && !isFloat(target))
      throw new StridewiseError(
        `${this.constructor.name}.to: only floating-point dtypes are accepted, got ${shown(target)}`,
      );
    const done = new Map<Tensor, Tensor>();
    for (const module of this.modules())
      for (const { owner, key } of module[partsOf]()) {
        const t = owner[key];
        if (!(t instanceof Tensor) || markOf(t) === undefined || !(toDevice || isFloat(t.dtype))) continue;
        const result = done.get(t) ?? converted(t, target);
        done.set(t, result);
        owner[key] = result;
      }
    return this;
  }

  /** A deep copy. Shared tensors and modules stay shared within the copy. */
  clone(): this {
    return copyOf(this, new Map());
  }

  /** This module and its descendants, indented below their names. */
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
/** An array or a plain object. */
const isHolder = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && (Array.isArray(value) || isRecord(value));

type Visit = (name: string, module: Module, parts: readonly Part[]) => void;

/** Visits a module and its descendants, also repeated ones: parents first ("down") or children first ("up"). */
function walk(module: Module, order: "down" | "up", visit: Visit, prefix = "", path: Module[] = []): void {
  if (path.includes(module))
    throw new StridewiseError(
      `${path[0]?.constructor.name}: ${prefix} is a module that contains itself. Store references to parents in a #private field or a function`,
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

/** A module and its descendants, with their names. */
function modulesIn(module: Module, order: "down" | "up"): [string, Module][] {
  const modules: [string, Module][] = [];
  walk(module, order, (name, each) => modules.push([name, each]));
  return modules;
}

/** The tensors whose mark is selected, with their names: those of the module first, then those of its children. */
function tensorsIn(model: Module, isSelected: (mark: string | undefined) => boolean): [string, Tensor][] {
  const tensors: [string, Tensor][] = [];
  walk(model, "down", (prefix, _module, parts) => {
    for (const { name, owner, key } of parts) {
      const t = owner[key];
      if (t instanceof Tensor && isSelected(markOf(t))) tensors.push([under(prefix, name), t]);
    }
  });
  return tensors;
}

/** @internal Collects the parts in an array or object, recursively; keys are named as fields are, or with `keepsKeys` are names. */
export function collectParts(
  into: Part[],
  entries: Record<string, unknown>,
  prefix: string,
  keepsKeys = false,
  path: object[] = [],
): void {
  // Skips lists of numbers and strings, which can be long, and objects that contain themselves.
  if (path.includes(entries) || (Array.isArray(entries) && !entries.some((entry) => typeof entry === "object"))) return;
  for (const key of Object.keys(entries)) {
    const value = entries[key];
    if (!isPart(value) && !isHolder(value)) continue;
    const name = under(prefix, keepsKeys ? key : stateName(key));
    if (isPart(value)) into.push({ name, owner: entries, key });
    else if (isHolder(value)) collectParts(into, value, name, keepsKeys, [...path, entries]);
  }
}

/** A deep copy of modules, tensors, arrays and plain objects; other values are shared. */
function copyOf<T>(value: T, done: Map<object, object>): T {
  if (typeof value !== "object" || value === null) return value;
  const earlier = done.get(value);
  if (earlier !== undefined) return earlier as T;
  if (value instanceof Tensor) {
    const copy = copyTensor(value);
    done.set(value, copy);
    return copy as T;
  }
  const isList = Array.isArray(value);
  if (!isList && !(value instanceof Module) && !isRecord(value)) return value;
  const result = isList ? [] : Object.create(Object.getPrototypeOf(value));
  done.set(value, result);
  for (const key of Object.keys(value)) result[key] = copyOf((value as Record<string, unknown>)[key], done);
  return result;
}

/** The entries with distinct values. */
function uniqueByValue<T extends object>(entries: readonly [string, T][]): [string, T][] {
  const seen = new Set<T>();
  return entries.filter(([, value]) => !seen.has(value) && seen.add(value));
}

/** A module that is printed as its constructor call. */
export abstract class Layer extends Module {
  private readonly settings: string;

  /** The arguments are used for printing and error messages. */
  constructor(...settings: readonly unknown[]) {
    super();
    this.settings = argumentsText(settings);
  }

  override settingsText(): string {
    return this.settings;
  }

  /** The subject of error messages. */
  protected get who(): string {
    return `${this.constructor.name}(${this.settings})`;
  }
}

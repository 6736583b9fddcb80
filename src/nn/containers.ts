/**
 * Containers of modules: sequences, lists and objects. Children are named by their index or key.
 */
import { type DType, type Shape, StridewiseError, type Tensor } from "../index.ts";
import { collectParts, Module, type Part, partsOf } from "./module.ts";
import { shown } from "./print.ts";

type First<L extends readonly Module[]> = L extends readonly [infer F extends Module, ...Module[]] ? F : Module;
type Last<L extends readonly Module[]> = L extends readonly [...Module[], infer F extends Module] ? F : Module;

/** A container: its entries are its parts, under their keys. */
abstract class Container<E extends object> extends Module {
  protected readonly entries: E;

  constructor(entries: E) {
    super();
    this.entries = entries;
    for (const [name, module] of Object.entries(entries)) checkEntry(this.constructor.name, name, module);
  }

  /** @internal */
  override [partsOf](): readonly Part[] {
    const parts: Part[] = [];
    collectParts(parts, this.entries as Record<string, unknown>, "", true);
    return parts;
  }
}

/** The output R of the last module; if it is a tensor of any dtype, it has the floating-point dtype of the first input. */
type SequentialOutput<I extends readonly unknown[], R> = [R] extends [Tensor]
  ? [Tensor] extends [R]
    ? I extends readonly [infer X extends Tensor, ...unknown[]]
      ? Tensor<Shape, SequentialDType<X["dtype"]>>
      : R
    : R
  : R;
type SequentialDType<D extends DType> = [DType] extends [D]
  ? DType
  : D extends Floating | `complex${string}`
    ? D
    : Floating;
type Floating = "float16" | "bfloat16" | "float32" | "float64";

/** Modules in sequence: the output of each is the input of the next. */
export class Sequential<const L extends readonly Module[] = readonly Module[]> extends Container<L> {
  constructor(...layers: L) {
    super(layers);
  }

  /** Takes the inputs of the first module and returns the output of the last. */
  forward<const I extends Parameters<First<L>["forward"]>>(
    ...inputs: I
  ): SequentialOutput<I, ReturnType<Last<L>["forward"]>> {
    const layers = this.entries;
    const [first] = layers;
    if (first === undefined) return inputs[0];
    let value: unknown = first.forward(...inputs);
    for (let k = 1; k < layers.length; k++) value = layers[k].forward(value);
    return value as never;
  }

  get length(): number {
    return this.entries.length;
  }

  /** The layer at an index; negative indices count from the end. */
  at<const I extends number>(index: I): `${I}` extends keyof L ? L[I] : L[number] {
    return entryAt("Sequential", this.entries, index) as never;
  }

  [Symbol.iterator](): Iterator<L[number]> {
    return this.entries[Symbol.iterator]();
  }
}

/** A list of modules, called by a user-defined `forward`. */
export class ModuleList<M extends Module = Module> extends Container<M[]> {
  constructor(modules: Iterable<M> = []) {
    if (typeof Object(modules)[Symbol.iterator] !== "function")
      throw new StridewiseError(`ModuleList: needs a list of modules, got ${shown(modules)}`);
    super([...modules]);
  }

  forward(): never {
    throw new StridewiseError("ModuleList has no forward. Call its modules: for (const layer of this.layers) ...");
  }

  get length(): number {
    return this.entries.length;
  }

  /** The module at an index; negative indices count from the end. */
  at(index: number): M {
    return entryAt("ModuleList", this.entries, index);
  }

  /** Appends a module. */
  append(module: M): this {
    checkEntry("ModuleList", String(this.length), module);
    this.entries.push(module);
    return this;
  }

  [Symbol.iterator](): Iterator<M> {
    return this.entries[Symbol.iterator]();
  }
}

/** Modules by name, called by a user-defined `forward`. Names are used unchanged. */
export class ModuleDict<R extends Readonly<Record<string, Module>> = Record<string, Module>> extends Container<R> {
  constructor(modules: R) {
    super({ ...modules });
  }

  forward(): never {
    throw new StridewiseError('ModuleDict has no forward. Call its modules: this.heads.get("name").forward(x)');
  }

  /** The module with this name. */
  get<K extends keyof R & string>(name: K): R[K] {
    if (Object.hasOwn(this.entries, name)) return this.entries[name];
    throw new StridewiseError(`ModuleDict: there is no ${name}; the names are ${Object.keys(this.entries).join(", ")}`);
  }

  keys(): (keyof R & string)[] {
    return Object.keys(this.entries);
  }
}

/** Throws unless the entry is a module. */
function checkEntry(who: string, name: string, module: unknown): void {
  if (module instanceof Module) return;
  const kind = typeof module === "object" ? "not a module" : `a ${typeof module}, not a module`;
  const [what, advice] = Array.isArray(module)
    ? ["a list, not a module", `Write new ${who}(...list)`]
    : [module === null ? "null" : kind, "Call functions in forward"];
  throw new StridewiseError(`${who}: entry ${name} is ${what}. ${advice}`);
}

function entryAt<M>(who: string, entries: readonly M[], index: number): M {
  const entry = entries.at(index);
  if (entry === undefined)
    throw new StridewiseError(
      `${who}: there is no module at index ${index}; the number of modules is ${entries.length}`,
    );
  return entry;
}

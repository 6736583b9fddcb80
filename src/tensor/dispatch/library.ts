/**
 * Libraries of the user's own: new ops, and kernels for keys of ops that exist. What a library has registered goes with it.
 */
import { describeValue } from "../describe-value.ts";
import type { DispatchKey } from "./keys.ts";
import { countUserKernel, DispatchError, type Family, Operator, type OpKernel } from "./operator.ts";

/** The ops that users have defined. */
const defined: Map<string, Operator> = /* @__PURE__ */ new Map();

/** The ops of Stridewise itself: how to list them, and the list once it was asked for. */
interface OwnOps {
  list?: () => ReadonlyMap<string, Operator>;
  known?: ReadonlyMap<string, Operator> | undefined;
}

const own: OwnOps = {};

/** Says how to list the ops that Stridewise has itself; the start of the library calls it. */
export function installOperators(operators: () => ReadonlyMap<string, Operator>): void {
  own.list = operators;
}

/** The op of a name, with its library before a dot unless it is one of Stridewise's own. */
export function operatorNamed(name: string): Operator {
  own.known ??= own.list?.();
  const found = defined.get(name) ?? own.known?.get(name);
  if (found === undefined)
    throw new DispatchError(`library: there is no op "${String(name)}". Define it: library(...).define`);
  return found;
}

/** Kernels that replace one another, the last one on top; below them is what the op had before any. */
interface Layers {
  readonly below: OpKernel | null;
  readonly kernels: { readonly kernel: OpKernel }[];
}
const layers: WeakMap<Operator, Map<DispatchKey | "composite", Layers>> = /* @__PURE__ */ new WeakMap();

/** Puts a kernel on top of the others for its key; what it returns takes it away again, wherever it lies then. */
function layered(operator: Operator, key: DispatchKey | "composite", kernel: OpKernel): () => void {
  const byKey = layers.get(operator) ?? new Map<DispatchKey | "composite", Layers>();
  layers.set(operator, byKey);
  const before = operator.kernelFor(key);
  operator.setKernel(key, kernel);
  const { below, kernels } = byKey.get(key) ?? { below: before, kernels: [] };
  byKey.set(key, { below, kernels });
  const own = { kernel };
  kernels.push(own);
  return () => {
    kernels.splice(kernels.indexOf(own), 1);
    operator.setKernel(key, kernels.at(-1)?.kernel ?? below);
    if (kernels.length === 0) byKey.delete(key);
  };
}

/** A name that says something. */
function checkedName(name: unknown): string {
  if (typeof name === "string" && name !== "") return name;
  throw new DispatchError(
    `library: a name must be a non-empty string, got ${describeValue(name)}. Choose one: library("mine")`,
  );
}

/** Ops and kernels that one user has added. */
export class Library {
  declare readonly name: string;
  #undo: (() => void)[] | null = [];

  constructor(name: string) {
    this.name = checkedName(name);
  }

  /** What takes back all that was added, to add to; refused of a disposed library, which would take nothing back. */
  #steps(): (() => void)[] {
    if (this.#undo !== null) return this.#undo;
    throw new DispatchError(`library: "${this.name}" is disposed. Make a new one: library("${this.name}")`);
  }

  /** A new op: a function that goes through dispatch, without kernels so far. */
  define<F extends (...args: never[]) => unknown>(
    name: string,
    family: Family = "composite",
  ): F & { operator: Operator } {
    const steps = this.#steps();
    const whole = `${this.name}.${checkedName(name)}`;
    if (defined.has(whole))
      throw new DispatchError(
        `library: the op ${whole} is defined already. Dispose its library, or choose another name`,
      );
    const operator = new Operator(whole, family);
    defined.set(whole, operator);
    steps.push(() => defined.delete(whole));
    const call = (...args: unknown[]): unknown => operator.call(args);
    return Object.assign(call as unknown as F, { operator });
  }

  /**
   * Sets the kernel of an op for a key; "composite" serves every key. The op is given itself, or by its name: in this library, else whole.
   * By name only the ops that are methods are known, since a bundle has no others unless they are used.
   */
  register(op: string | { readonly operator: Operator }, key: DispatchKey | "composite", kernel: OpKernel): void {
    const steps = this.#steps();
    const operator =
      typeof op === "string" ? (defined.get(`${this.name}.${op}`) ?? operatorNamed(op)) : Object(op).operator;
    if (!(operator instanceof Operator))
      throw new DispatchError(
        `library: an op must be a function of Stridewise or returned by define, got ${describeValue(op)}`,
      );
    if (typeof kernel !== "function")
      throw new DispatchError(
        `library: the kernel of ${operator.name} for ${key} must be a function, got ${describeValue(kernel)}`,
      );
    const isOurs = defined.get(operator.name) !== operator;
    steps.push(layered(operator, key, kernel));
    // What serves every key needs no tensor among its arguments to say where it runs.
    if (key === "composite" && !isOurs) operator.makes = true;
    if (isOurs) countUserKernel(1);
    if (isOurs) steps.push(() => countUserKernel(-1));
  }

  /** Takes back everything that was defined and registered; nothing can be added after that. */
  dispose(): void {
    for (let undo = this.#undo?.pop(); undo !== undefined; undo = this.#undo?.pop()) undo();
    this.#undo = null;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** A new library of this name. */
export const library = (name: string): Library => new Library(name);

/**
 * User-defined libraries: new ops, and kernels for existing ops. Disposing a library removes everything that it registered.
 */
import { describeValue } from "../describe-value.ts";
import type { DispatchKey } from "./keys.ts";
import { countUserKernel, DispatchError, type Family, Operator, type OpKernel } from "./operator.ts";

/** The user-defined ops, by full name. */
const defined: Map<string, Operator> = /* @__PURE__ */ new Map();

/** The built-in ops: a function that lists them, and its cached result. */
interface BuiltIn {
  list?: () => ReadonlyMap<string, Operator>;
  known?: ReadonlyMap<string, Operator> | undefined;
}

const builtIn: BuiltIn = {};

/** Sets the function that lists the built-in ops. Called once at startup. */
export function installOperators(operators: () => ReadonlyMap<string, Operator>): void {
  builtIn.list = operators;
}

/** Returns the op with this name. User-defined ops are named "library.op". */
export function operatorNamed(name: string): Operator {
  return findOperator("operatorNamed", name);
}

function findOperator(who: string, name: string): Operator {
  builtIn.known ??= builtIn.list?.();
  const operator = defined.get(name) ?? builtIn.known?.get(name);
  if (operator === undefined)
    throw new DispatchError(`${who}: unknown op "${String(name)}". Define it: library(...).define`);
  return operator;
}

/** Returns the user-defined ops, by full name. */
export const userOperators = (): ReadonlyMap<string, Operator> => defined;

/** Kernels registered for one key, the active one last. `below` is the kernel that the op had before. */
interface Layers {
  readonly below: OpKernel | null;
  readonly kernels: { readonly kernel: OpKernel }[];
}
const layers: WeakMap<Operator, Map<DispatchKey | "composite", Layers>> = /* @__PURE__ */ new WeakMap();

/** Registers a kernel above the others for its key. Returns a function that removes it. */
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

/** Throws unless `name` is a string that is not empty. */
function checkedName(who: string, name: unknown): string {
  if (typeof name === "string" && name !== "") return name;
  throw new DispatchError(
    `${who}: a name must be a non-empty string, got ${describeValue(name)}. Choose one: ${who}("mine")`,
  );
}

/** A collection of user-defined ops and kernels. */
export class Library {
  declare readonly name: string;
  #undo: (() => void)[] | null = [];

  constructor(name: string) {
    this.name = checkedName("library", name);
  }

  /** Returns the list of undo functions. Throws if the library is disposed. */
  #steps(): (() => void)[] {
    if (this.#undo !== null) return this.#undo;
    throw new DispatchError(`library: "${this.name}" is disposed. Create a new one: library("${this.name}")`);
  }

  /** Defines a new op, a function that goes through dispatch. It has no kernels yet. */
  define<F extends (...args: never[]) => unknown>(
    name: string,
    family: Family = "composite",
  ): F & { operator: Operator } {
    const steps = this.#steps();
    const whole = `${this.name}.${checkedName("define", name)}`;
    if (defined.has(whole))
      throw new DispatchError(
        `define: the op ${whole} is already defined. Dispose its library, or choose another name`,
      );
    const operator = new Operator(whole, family);
    defined.set(whole, operator);
    steps.push(() => defined.delete(whole));
    const call = (...args: unknown[]): unknown => operator.call(args);
    return Object.assign(call as unknown as F, { operator });
  }

  /**
   * Sets the kernel of an op for a key; "composite" handles every key. `op` is the op itself, its name in this library, or a full name.
   * Of the built-in ops, only methods of tensors can be named, because a bundle omits the others unless they are used.
   */
  register(op: string | { readonly operator: Operator }, key: DispatchKey | "composite", kernel: OpKernel): void {
    const steps = this.#steps();
    const operator =
      typeof op === "string"
        ? (defined.get(`${this.name}.${op}`) ?? findOperator("register", op))
        : Object(op).operator;
    if (!(operator instanceof Operator))
      throw new DispatchError(
        `register: an op must be a function of Stridewise or returned by define, got ${describeValue(op)}`,
      );
    if (typeof kernel !== "function")
      throw new DispatchError(
        `register: the kernel of ${operator.name} for ${key} must be a function, got ${describeValue(kernel)}`,
      );
    const isBuiltIn = defined.get(operator.name) !== operator;
    steps.push(layered(operator, key, kernel));
    // A kernel for every key needs no tensor argument that selects a backend.
    if (key === "composite" && !isBuiltIn) operator.makes = true;
    if (isBuiltIn) countUserKernel(1);
    if (isBuiltIn) steps.push(() => countUserKernel(-1));
  }

  /** Removes everything that the library defined and registered. Nothing can be added afterward. */
  dispose(): void {
    for (let undo = this.#undo?.pop(); undo !== undefined; undo = this.#undo?.pop()) undo();
    this.#undo = null;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** Creates a library with this name. */
export const library = (name: string): Library => new Library(name);

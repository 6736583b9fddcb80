/**
 * Libraries of the user's own: new ops, and kernels for keys of ops that exist. What a library has registered goes with it.
 */
import type { DispatchKey } from "./keys.ts";
import { countUserKernel, DispatchError, type Family, Operator, type OpKernel } from "./operator.ts";

let names: Map<string, Operator> | null = null;
let list: (() => ReadonlyMap<string, Operator>) | null = null;
let known: ReadonlyMap<string, Operator> | null = null;

/** Says how to list the ops that Stridewise has itself; the start of the library calls it. */
export function installOperators(operators: () => ReadonlyMap<string, Operator>): void {
  list = operators;
}

/** The ops that users have defined. */
function defined(): Map<string, Operator> {
  names ??= new Map();
  return names;
}

/** The op of a name, with its library before a dot unless it is one of Stridewise's own. */
export function operatorNamed(name: string): Operator {
  known ??= list?.() ?? null;
  const found = defined().get(name) ?? known?.get(name);
  if (found === undefined) throw new DispatchError(`library: there is no op "${name}". Define it: library(...).define`);
  return found;
}

/** Ops and kernels that one user has added. */
export class Library {
  readonly name: string;
  private readonly undo: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** A new op: a function that goes through dispatch, without kernels so far. */
  define<F extends (...args: never[]) => unknown>(
    name: string,
    family: Family = "composite",
  ): F & { operator: Operator } {
    const whole = `${this.name}.${name}`;
    if (defined().has(whole))
      throw new DispatchError(
        `library: Tried to define the op ${whole}, and it is defined already. Dispose the library that has it, or choose another name`,
      );
    const operator = new Operator(whole, family);
    defined().set(whole, operator);
    this.undo.push(() => defined().delete(whole));
    const call = (...args: unknown[]): unknown => operator.call(args);
    return Object.assign(call as unknown as F, { operator });
  }

  /**
   * Sets the kernel of an op for a key; "composite" serves every key. The op is given itself, or by its name: in this library, else whole.
   * By name only the ops that are methods are known, since a bundle has no others unless they are used.
   */
  register(op: string | { readonly operator: Operator }, key: DispatchKey | "composite", kernel: OpKernel): void {
    const name = typeof op === "string" ? op : op.operator.name;
    if (typeof kernel !== "function")
      throw new DispatchError(`library: the kernel of ${name} for ${key} is a function, got ${String(kernel)}`);
    const operator =
      typeof op !== "string" ? op.operator : (defined().get(`${this.name}.${name}`) ?? operatorNamed(name));
    const before = operator.kernelFor(key);
    operator.setKernel(key, kernel);
    const isOurs = defined().get(operator.name) !== operator;
    if (isOurs) countUserKernel(1);
    this.undo.push(() => {
      if (isOurs) countUserKernel(-1);
      if (operator.kernelFor(key) === kernel) operator.setKernel(key, before);
    });
  }

  /** Takes back everything that was defined and registered. */
  dispose(): void {
    for (let undo = this.undo.pop(); undo !== undefined; undo = this.undo.pop()) undo();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** A new library of this name. */
export const library = (name: string): Library => new Library(name);

/**
 * What a kernel's code works on while it runs, and where each name lies in it.
 * Names become slots when the kernel is compiled; a name that is not bound before its use is refused there.
 */
import { codeOf } from "../../expr/compile.ts";
import type { Expr } from "../../expr/expr.ts";
import { KernelError } from "../../kernel/ir/error.ts";
import type { DType, TypedArray, Value } from "../../storage/dtype.ts";

/** The state of one call. */
export interface Frame {
  /** Sizes, loop indices and named integers. */
  readonly integers: number[];
  /** Arguments, lets, accumulators, and values that are used more than once. */
  readonly values: Value[];
  /** Of each buffer the array of its dtype, and which element of the array is element 0 of the buffer. */
  readonly arrays: TypedArray[];
  readonly starts: number[];
  modes: readonly (readonly number[])[];
}

export type Code<T> = (frame: Frame) => T;

/** The slots of a kernel. */
export class Slots {
  declare readonly kernel: string;
  readonly #integers = new Map<string, number>();
  readonly #values = new Map<string, number>();
  readonly #buffers = new Map<string, { slot: number; dtype: DType }>();
  #temporaries = 0;

  constructor(kernel: string) {
    this.kernel = kernel;
  }

  fault(text: string): KernelError {
    return new KernelError(`kernel ${this.kernel}: ${text}`);
  }

  #bind<T>(names: Map<string, T>, name: string, what: T): T {
    if (names.has(name)) throw this.fault(`${name} is bound twice. Give one of them another name.`);
    names.set(name, what);
    return what;
  }

  #find<T>(names: ReadonlyMap<string, T>, name: string, what: string): T {
    const found = names.get(name);
    if (found === undefined) throw this.fault(`there is no ${what} ${name} here. Bind it before its use.`);
    return found;
  }

  bindInteger(name: string): number {
    return this.#bind(this.#integers, name, this.#integers.size);
  }
  integer(name: string): number {
    return this.#find(this.#integers, name, "index");
  }
  bindValue(name: string): number {
    return this.#bind(this.#values, name, this.temporary());
  }
  value(name: string): number {
    return this.#find(this.#values, name, "value");
  }
  /** A value slot without a name. */
  temporary(): number {
    return this.#temporaries++;
  }
  bindBuffer(name: string, dtype: DType): number {
    return this.#bind(this.#buffers, name, { slot: this.#buffers.size, dtype }).slot;
  }
  buffer(name: string): { readonly slot: number; readonly dtype: DType } {
    return this.#find(this.#buffers, name, "buffer");
  }

  /** The code of an integer expression. */
  index(expr: Expr): Code<number> {
    const code = codeOf<Frame>(expr, (name) => {
      const slot = this.integer(name);
      return (frame) => frame.integers[slot] as number;
    });
    return (frame) => {
      const value = code(frame);
      if (!Number.isSafeInteger(value))
        throw this.fault(`${expr} is no exact integer here, but ${value}: a division by 0, or past 2^53.`);
      return value;
    };
  }
}

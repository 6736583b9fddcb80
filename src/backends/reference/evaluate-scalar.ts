/**
 * Scalar values as closures over the frame. A value that a statement uses more than once is computed once, before the
 * statement's own value; statements share no values.
 *
 * The frame is the state of a running kernel. Names become slots when the kernel is compiled; a name that is not bound before its use
 * is an error then.
 */
import { codeOf } from "../../expr/compile.ts";
import type { Expr } from "../../expr/expr.ts";
import { bitRounder, reader, rounder } from "../../kernel/element.ts";
import { KernelError } from "../../kernel/ir/error.ts";
import type { StoreStatement } from "../../kernel/ir/kernel.ts";
import { constantScalar, type LoadScalar, type Scalar } from "../../kernel/ir/scalar.ts";
import { operandsOf } from "../../kernel/ir/visit.ts";
import { type DType, dtypes, type TypedArray, type Value } from "../../storage/dtype.ts";
import { meaningOf } from "./scalar-values.ts";

/** The code of the values of one statement, which share common subexpressions. */
export function scalarCode(slots: Slots, values: readonly Scalar[]): Code<Value>[] {
  const uses = new Map<Scalar, number>();
  const count = (node: Scalar): void => {
    const before = uses.get(node) ?? 0;
    uses.set(node, before + 1);
    if (before === 0) for (const operand of operandsOf(node)) count(operand);
  };
  for (const value of values) count(value);

  const compiled = new Map<Scalar, Code<Value>>();
  const shared: { readonly slot: number; readonly code: Code<Value> }[] = [];
  const make = (node: Scalar): Code<Value> => {
    const known = compiled.get(node);
    if (known !== undefined) return known;
    let code = nodeCode(slots, node, make);
    if ((uses.get(node) ?? 0) > 1) {
      const slot = slots.temporary();
      shared.push({ slot, code });
      code = (frame) => frame.values[slot];
    }
    compiled.set(node, code);
    return code;
  };
  const codes = values.map(make);
  const first = codes[0];
  if (first === undefined || shared.length === 0) return codes;
  // Operands are compiled before their uses, so this is a valid order.
  codes[0] = (frame) => {
    for (const { slot, code } of shared) frame.values[slot] = code(frame);
    return first(frame);
  };
  return codes;
}

function nodeCode(slots: Slots, node: Scalar, make: (node: Scalar) => Code<Value>): Code<Value> {
  switch (node.kind) {
    case "constant": {
      const value = rounder(node.dtype)(node.value);
      return () => value;
    }
    case "parameter":
    case "named": {
      const slot = slots.value(node.name);
      return (frame) => frame.values[slot];
    }
    case "index": {
      const [index, convert] = [slots.index(node.value), rounder(node.dtype)];
      return (frame) => convert(index(frame));
    }
    case "load":
      return loadCode(slots, node, make);
    case "cast": {
      const [operand, from] = [make(node.of), node.of.dtype];
      const convert = node.how === "value" ? rounder(node.dtype) : bitRounder(from, node.dtype);
      return (frame) => convert(operand(frame));
    }
    case "call": {
      const meaning = meaningOf(node.fn, (node.args.at(-1) as Scalar).dtype);
      const [a, b, c] = node.args.map(make) as [Code<Value>, Code<Value>?, Code<Value>?];
      if (b === undefined) return (frame) => meaning(a(frame), 0, 0);
      if (c === undefined) return (frame) => meaning(a(frame), b(frame), 0);
      return (frame) => meaning(a(frame), b(frame), c(frame));
    }
    default:
      return node satisfies never;
  }
}

function loadCode(slots: Slots, node: LoadScalar, make: (node: Scalar) => Code<Value>): Code<Value> {
  const index = slots.element(node, node.dtype);
  const read = reader(node.dtype, "bigint");
  const { slot } = slots.buffer(node.buffer);
  const load: Code<Value> = (frame) => read(frame.arrays[slot], index(frame));
  if (node.mask === undefined) return load;
  const [mask, otherwise] = [make(node.mask), make(node.otherwise ?? constantScalar(node.dtype, 0))];
  return (frame) => {
    const other = otherwise(frame);
    return mask(frame) ? load(frame) : other;
  };
}

/** The state of one call. */
export interface Frame {
  /** Sizes, loop indices and named integers. */
  readonly integers: number[];
  /** Arguments, lets, accumulators, and values that are used more than once. */
  readonly values: Value[];
  /** The array of each buffer, and the index in it of the buffer's element 0. */
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
    const known = names.get(name);
    if (known === undefined) throw this.fault(`there is no ${what} ${name} here. Bind it before its use.`);
    return known;
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

  /** The index in its array of the element that a load or a store of `dtype` accesses; throws outside of the memory. */
  element({ buffer, index: at }: LoadScalar | StoreStatement, dtype: DType): Code<number> {
    const index = this.index(at);
    const { slot, dtype: bufferDType } = this.buffer(buffer);
    if (bufferDType !== dtype)
      throw this.fault(`${buffer} holds ${bufferDType}, but is used as ${dtype}. Cast the value.`);
    const { parts } = dtypes[dtype];
    return (frame) => {
      const element = frame.starts[slot] + index(frame);
      if (element < 0 || (element + 1) * parts > frame.arrays[slot].length)
        throw this.fault(`element ${index(frame)} of ${buffer} is outside of its memory.`);
      return element;
    };
  }

  /** The code of an integer expression. */
  index(expr: Expr): Code<number> {
    const code = codeOf<Frame>(expr, (name) => {
      const slot = this.integer(name);
      return (frame) => frame.integers[slot];
    });
    return (frame) => {
      const value = code(frame);
      if (!Number.isSafeInteger(value))
        throw this.fault(`${expr} is not an exact integer here, but ${value}: a division by 0, or past 2^53.`);
      return value;
    };
  }
}

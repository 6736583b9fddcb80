/**
 * Random nests of loops agree with the reference: hoisting, shared pointers, unrolled bodies,
 * accumulators across loops, named values and integers. Indices stay in bounds by construction.
 * LAW_CASES sets their number.
 */
import { expect, test } from "vitest";
import { expectSameRuns } from "../../../../test/support/kernel-runs.ts";
import { constant, type Expr } from "../../../expr/expr.ts";
import type { Combination, Kernel, LoopStatement, Statement } from "../../../kernel/ir/kernel.ts";
import { printKernel } from "../../../kernel/ir/print.ts";
import {
  call,
  cast,
  constantScalar,
  indexScalar,
  loadScalar,
  namedScalar,
  parameterScalar,
  type Scalar,
} from "../../../kernel/ir/scalar.ts";
import { loopSymbol, offsetSymbol, sizeSymbol } from "../../../kernel/ir/symbols.ts";
import type { DType } from "../../../storage/dtype.ts";

const cases = Number(process.env["LAW_CASES"] ?? 350);
const first = Number(process.env["FIRST_CASE"] ?? 1);
const length = 97;
const kinds: readonly DType[] = ["float32", "int32", "int64"];
const size = { name: "n", min: 0, max: 12 };

/** An integer in scope: 0 <= value <= most. */
interface Known {
  readonly expr: Expr;
  readonly max: number;
}

class Nest {
  #state: number;
  #count = 0;
  /** How many coordinates the mode list has. */
  readonly positions: number;
  readonly integers: Known[] = [{ expr: sizeSymbol(size), max: 12 }];
  readonly named: Scalar[] = [];
  readonly accumulators: Scalar[] = [];
  /** Values that later statements may use again, as the same objects. */
  readonly shared: Scalar[] = [];

  constructor(seed: number) {
    this.#state = seed * 7919 + 1;
    this.positions = [1, 3, 6, 24][seed % 4] as number;
  }

  below(count: number): number {
    this.#state = (Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((this.#state ^ (this.#state >>> 13)) >>> 0) % count;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  fresh(what: string): string {
    return `${what}${++this.#count}`;
  }

  /** An index of an element in 0..length - 1. */
  index(): Expr {
    let expr: Expr = constant(this.below(3));
    let max = 2;
    for (let terms = 1 + this.below(2); terms > 0; terms--) {
      const known = this.pick(this.integers);
      const by = 1 + this.below(3);
      if (this.below(5) === 0) {
        expr = expr.add(known.expr.floorDiv(by + 1).mul(by));
        max += known.max;
      } else {
        expr = expr.add(known.expr.mul(by));
        max += known.max * by;
      }
    }
    return max < length ? expr : expr.mod(length);
  }

  value(dtype: DType, depth: number): Scalar {
    const again = [...this.shared, ...this.named, ...this.accumulators].filter((each) => each.dtype === dtype);
    if (again.length > 0 && this.below(3) === 0) return this.pick(again);
    const scalar = this.newScalar(dtype, depth);
    if (this.below(3) === 0) this.shared.push(scalar);
    return scalar;
  }

  newScalar(dtype: DType, depth: number): Scalar {
    const kind = this.below(depth > 0 ? 12 : 5);
    if (kind === 0) return constantScalar(dtype, this.below(7));
    if (kind === 1) return parameterScalar(dtype, `p_${dtype}`);
    if (kind === 2) return indexScalar(dtype, this.index());
    if (kind < 5) return loadScalar(dtype, this.pick([`x_${dtype}`, `cells_${dtype}`]), this.index());
    const operand = (of: DType): Scalar => this.value(of, depth - 1);
    if (kind === 5) return cast(dtype, operand(this.pick(["int32", "int64"])));
    if (kind === 6)
      return call("select", call("lt", operand("int32"), operand("int32")), operand(dtype), operand(dtype));
    if (kind === 7)
      return loadScalar(dtype, `x_${dtype}`, this.index(), call("ge", operand("float32"), operand("float32")));
    return call(this.pick(["add", "sub", "mul", "min", "max"]), operand(dtype), operand(dtype));
  }

  statement(depth: number, vector: Expr | undefined): Statement[] {
    const kind = this.below(depth > 0 ? 12 : 8);
    const dtype = this.pick(kinds);
    if (kind === 0) {
      const name = this.fresh("t");
      const value = this.value(dtype, 2);
      this.named.push(namedScalar(dtype, name));
      return [{ kind: "let", name, value }];
    }
    if (kind === 1) {
      const name = this.fresh("k");
      const value = this.index();
      this.integers.push({ expr: loopSymbol(name), max: 200 });
      return [{ kind: "index", name, value }];
    }
    if (kind === 2) {
      const name = this.fresh("f");
      const value = loadScalar(this.pick(["int32", "int64"]), "", this.index());
      const small = { ...value, buffer: `small_${value.dtype}` };
      this.integers.push({ expr: offsetSymbol(name), max: 7 });
      return [{ kind: "fetch", name, value: small }];
    }
    if (kind === 3) {
      const names = [this.fresh("a"), this.fresh("b")];
      const position = this.index().mod(this.positions);
      for (const name of names) this.integers.push({ expr: offsetSymbol(name), max: 200 });
      return [{ kind: "walk", modes: "rest", position, offsets: names }];
    }
    if (kind === 4 && this.accumulators.length > 0) {
      const into = this.pick(this.accumulators);
      const fn: Combination = into.dtype === "float32" ? "add" : "max";
      const value = this.value(into.dtype, 2);
      // What is combined may not be made of the accumulator itself: partial results would show.
      return mentions(value, this.accumulators) || into.kind !== "named"
        ? []
        : [{ kind: "accumulate", into: into.name, fn, value }];
    }
    if (kind < 8) {
      // Rounds of a vector loop may not meet.
      const index = vector ? vector.mul(3).add(this.below(3)) : this.index();
      const value = this.value(dtype, 3);
      if (vector && (mentions(value, this.accumulators) || loadsCells(value))) return [];
      return [{ kind: "store", buffer: vector ? `out_${dtype}` : `cells_${dtype}`, index, value }];
    }
    return this.loop(depth - 1, vector);
  }

  loop(depth: number, vector: Expr | undefined): Statement[] {
    const mode = vector ? "serial" : this.pick(["serial", "serial", "vector", "unrolled"] as const);
    const before: Statement[] = [];
    const marks = [this.integers, this.named, this.accumulators].map((list) => list.length);
    if (this.below(2) === 0) {
      const dtype = this.pick(kinds);
      const name = this.fresh("s");
      before.push({ kind: "accumulator", name, initial: this.value(dtype, 1) });
      this.accumulators.push(namedScalar(dtype, name));
    }
    const index = this.fresh("i");
    const isFixed = mode === "unrolled" || this.below(4) === 0;
    const max = mode === "unrolled" ? 3 : 12;
    const outer = this.shared.splice(0);
    const inner = [this.integers.length, this.named.length, this.accumulators.length];
    this.integers.push({ expr: loopSymbol(index), max: max - 1 });
    const body = this.list(depth, mode === "vector" ? loopSymbol(index) : vector);
    this.restore(inner);
    this.shared.splice(0, this.shared.length, ...outer);
    const to = isFixed ? constant(mode === "unrolled" ? 3 : this.below(13)) : sizeSymbol(size);
    const by = mode === "vector" ? this.pick([2, 4, 8]) : 1;
    const loop: LoopStatement = { kind: "loop", mode, index, from: constant(0), to, by, body };
    const after: Statement[] = this.accumulators.slice(marks[2]).map((sum) => {
      const buffer = vector ? `out_${sum.dtype}` : `cells_${sum.dtype}`;
      return { kind: "store", buffer, index: vector?.mul(3) ?? this.index(), value: sum };
    });
    // An accumulator of its own ends with its loop here; the shared values may be made of it.
    this.restore(marks);
    this.shared.length = 0;
    return [...before, loop, ...after];
  }

  list(depth: number, vector: Expr | undefined): Statement[] {
    const statements: Statement[] = [];
    for (let count = 1 + this.below(4); count > 0; count--) statements.push(...this.statement(depth, vector));
    return statements;
  }

  restore([integers = 0, named = 0, accumulators = 0]: readonly number[]): void {
    this.integers.length = integers;
    this.named.length = named;
    this.accumulators.length = accumulators;
  }
}

const operands = (value: Scalar): readonly Scalar[] =>
  value.kind === "call"
    ? value.args
    : value.kind === "cast"
      ? [value.of]
      : value.kind === "load" && value.mask
        ? [value.mask]
        : [];
const mentions = (value: Scalar, names: readonly Scalar[]): boolean =>
  value.kind === "named" || names.includes(value) || operands(value).some((each) => mentions(each, names));
const loadsCells = (value: Scalar): boolean =>
  (value.kind === "load" && value.buffer.startsWith("cells")) || operands(value).some(loadsCells);

function randomNest(seed: number): Kernel {
  const nest = new Nest(seed);
  nest.integers.push({ expr: loopSymbol("u"), max: 2 });
  const body = nest.list(3, undefined);
  return {
    name: `nest_${seed}`,
    buffers: [
      ...kinds.map((dtype) => ({ name: `x_${dtype}`, dtype, access: "read" as const })),
      ...kinds.map((dtype) => ({ name: `cells_${dtype}`, dtype, access: "readwrite" as const })),
      ...kinds.map((dtype) => ({ name: `out_${dtype}`, dtype, access: "write" as const })),
      ...(["int32", "int64"] as const).map((dtype) => ({ name: `small_${dtype}`, dtype, access: "read" as const })),
    ],
    scalars: kinds.map((dtype) => ({ name: `p_${dtype}`, dtype })),
    sizes: [size],
    modes: [{ name: "rest", buffers: ["x_float32", "x_int32"] }],
    body: [{ kind: "loop", mode: "parallel", index: "u", from: constant(0), to: constant(3), by: 1, body }],
  };
}

const arrayOf = (dtype: string, below: number): Float32Array | Int32Array | BigInt64Array => {
  const numbers = Array.from({ length }, (_, i) => (i * 37 + below) % below);
  if (dtype === "int64") return BigInt64Array.from(numbers, BigInt);
  return dtype === "int32" ? Int32Array.from(numbers) : Float32Array.from(numbers, (each) => each / 4 - 3);
};

test(`random nests store the same as the reference (${cases} cases)`, () => {
  for (let seed = first; seed < first + cases; seed++) {
    const kernel = randomNest(seed);
    const buffers = Object.fromEntries(
      kernel.buffers.map(({ name, dtype }) => [name, arrayOf(dtype, name.startsWith("small") ? 8 : 61)]),
    );
    const run = {
      buffers,
      scalars: { p_float32: 1.25, p_int32: 3, p_int64: -2 },
      sizes: { n: seed % 13 },
      modes: { rest: [3, 5, 1, 2, 0, 40, 4, 20, 3].slice(0, 3 * (seed % 4)) },
      units: 3,
    };
    try {
      expectSameRuns(kernel, run);
    } catch (cause) {
      expect.fail(`seed ${seed}: ${(cause as Error).message}\n${printKernel(kernel)}`);
    }
  }
});

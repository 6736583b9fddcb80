/**
 * Random kernels that follow every rule: all statements, values of every dtype under every function, some of them
 * shared. The same seed produces the same kernel.
 */
import type { Expr } from "../../src/expr/expr.ts";
import { constant } from "../../src/expr/expr.ts";
import { type ScalarFunction, scalarFunctions } from "../../src/kernel/ir/functions.ts";
import type { Combination, Kernel, Statement } from "../../src/kernel/ir/kernel.ts";
import {
  bitcast,
  call,
  cast,
  constantScalar,
  indexScalar,
  loadScalar,
  namedScalar,
  parameterScalar,
  type Scalar,
} from "../../src/kernel/ir/scalar.ts";
import { loopSymbol, offsetSymbol, sizeSymbol } from "../../src/kernel/ir/symbols.ts";
import { type DType, dtypeNames, dtypes, type Value } from "../../src/storage/dtype.ts";

/** Numbers from 0 to 1, the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Producer {
  readonly fn: ScalarFunction;
  readonly args: readonly DType[];
}

/** The calls that return a value of a dtype, by the rules of the functions themselves. */
function producersOf(expected: DType): readonly Producer[] {
  const producers: Producer[] = [];
  for (const fn of Object.keys(scalarFunctions) as ScalarFunction[])
    for (const dtype of dtypeNames) {
      const { arity, dtypeOf } = scalarFunctions[fn];
      const args: DType[] = fn === "select" ? ["bool", dtype, dtype] : new Array<DType>(arity).fill(dtype);
      try {
        if (dtypeOf(fn, args) === expected) producers.push({ fn, args });
      } catch {
        // Not defined on this dtype.
      }
    }
  return producers;
}

const producers = new Map(dtypeNames.map((dtype) => [dtype, producersOf(dtype)]));
const big = 2 ** 31 - 1;
const units = { name: "units", min: 0, max: big };
const n = { name: "n", min: 1, max: big };
const stride = { name: "stride", min: -big - 1, max: big };

export function randomKernel(seed: number): Kernel {
  const random = randomNumbers(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const chance = (p: number): boolean => random() < p;

  const integers: Expr[] = [sizeSymbol(n), sizeSymbol(stride)];
  const named: Scalar[] = [];
  let shared: Scalar[] = [];
  let count = 0;
  const fresh = (what: string): string => `${what}${++count}`;

  function index(): Expr {
    let sum: Expr = constant(below(5) - 2);
    for (let terms = below(3); terms >= 0; terms--) {
      const term = pick(integers);
      const by = 1 + below(9);
      const forms = [
        () => term,
        () => term.mul(by),
        () => term.mul(pick(integers)),
        () => term.floorDiv(by),
        () => term.mod(by),
        () => term.min(by),
        () => term.max(-by),
      ];
      const result = pick(forms)();
      sum = chance(0.8) ? sum.add(result) : sum.sub(result);
    }
    return sum;
  }

  function literal(dtype: DType): Value {
    const { category, itemsize } = dtypes[dtype];
    const number = (): number => pick([0, -0, 1, -1.5, 0.1, 1e-7, 1e21, Number.NaN, Infinity, -Infinity, 3]);
    if (category === "bool") return chance(0.5);
    if (category === "complex") return { re: number(), im: number() };
    if (category === "float") return number();
    const wide = dtype === "int64" ? [9007199254740993n, -(2n ** 63n), 5n, 7] : [2n ** 64n - 1n, 5n, 7];
    return itemsize === 8 ? pick<Value>(wide) : pick([0, 1, 127]);
  }

  function leaf(dtype: DType): Scalar {
    const names = named.filter((value) => value.dtype === dtype);
    if (names.length > 0 && chance(0.4)) return { ...pick(names) };
    const { category, itemsize } = dtypes[dtype];
    if ((category === "integer" || (category === "float" && itemsize > 2)) && chance(0.2))
      return indexScalar(dtype, index());
    if (chance(0.3)) return constantScalar(dtype, literal(dtype));
    return chance(0.3) ? parameterScalar(dtype, `p_${dtype}`) : loadScalar(dtype, `x_${dtype}`, index());
  }

  function value(dtype: DType, depth: number): Scalar {
    const known = shared.filter((each) => each.dtype === dtype);
    if (known.length > 0 && chance(0.25)) return pick(known);
    const result = depth === 0 || chance(0.15) ? leaf(dtype) : compound(dtype, depth - 1);
    shared.push(result);
    return result;
  }

  function compound(dtype: DType, depth: number): Scalar {
    const calls = producers.get(dtype) as readonly Producer[];
    if (calls.length > 0 && chance(0.75)) {
      const { fn, args } = pick(calls);
      return call(fn, ...args.map((arg) => value(arg, depth)));
    }
    if (chance(0.3)) return loadScalar(dtype, `x_${dtype}`, index(), value("bool", depth), value(dtype, depth));
    const alike = dtypeNames.filter((each) => dtypes[each].itemsize === dtypes[dtype].itemsize && each !== dtype);
    if (alike.length > 0 && chance(0.3)) return bitcast(dtype, value(pick(alike), depth));
    return cast(dtype, value(pick(dtypeNames), depth));
  }

  /** A value of one statement; sharing does not cross statements. */
  function root(dtype: DType): Scalar {
    shared = [];
    return value(dtype, 1 + below(4));
  }

  function store(buffer: string, dtype: DType, at: Expr): Statement {
    const statement = { kind: "store", buffer, index: at, value: root(dtype) } as const;
    // The mask may share values with the stored value.
    return chance(0.3) ? { ...statement, mask: value("bool", 2) } : statement;
  }

  function letStatement(): Statement {
    const result = root(pick(dtypeNames));
    const name = fresh("t");
    named.push(namedScalar(result.dtype, name));
    return { kind: "let", name, value: result };
  }

  /** Names bound inside a list are out of scope after it. */
  function scoped<T>(make: () => T): T {
    const [integersBefore, namedBefore] = [integers.length, named.length];
    const result = make();
    integers.length = integersBefore;
    named.length = namedBefore;
    return result;
  }

  const outDType = pick(dtypeNames);
  const unit = loopSymbol("u");
  const combinations: readonly Combination[] = ["add", "mul", "min", "max"];

  function innerLoop(): Statement[] {
    const sumDType = pick(["int32", "float32", "float64", "uint8", "int64"] as const);
    const sum = fresh("s");
    const before: Statement[] = [{ kind: "accumulator", name: sum, initial: root(sumDType) }];
    const mode = pick(["serial", "vector", "unrolled"] as const);
    const name = fresh("i");
    const bound = mode === "unrolled" ? 1 + below(4) : 4;
    const loop = scoped((): Statement => {
      const i = loopSymbol(name);
      integers.push(i);
      const body: Statement[] = [];
      if (chance(0.5)) body.push(letStatement());
      if (chance(0.5)) {
        const k = fresh("k");
        body.push({ kind: "fetch", name: k, value: root(pick(["int32", "uint8", "int64"] as const)) });
        integers.push(offsetSymbol(k));
      }
      body.push({ kind: "accumulate", into: sum, fn: pick(combinations), value: root(sumDType) });
      body.push(store("cells", "float32", i));
      body.push(store("out", outDType, unit.mul(8).add(i)));
      const to = mode === "unrolled" ? constant(bound) : sizeSymbol(n).min(bound);
      return {
        kind: "loop",
        mode,
        index: name,
        from: constant(0),
        to,
        by: mode === "vector" ? pick([1, 2, 4, 16]) : 1,
        body,
      };
    });
    named.push(namedScalar(sumDType, sum));
    return [...before, loop];
  }

  const body = scoped((): Statement[] => {
    integers.push(unit, loopSymbol("c"), offsetSymbol("a_at"), offsetSymbol("b_at"));
    const list: Statement[] = [
      { kind: "index", name: "c", value: unit.floorDiv(sizeSymbol(n)).add(below(3)) },
      { kind: "walk", modes: "rest", position: unit, offsets: ["a_at", "b_at"] },
      { kind: "allocate", name: "cells", dtype: "float32", length: 4, space: pick(["smem", "rmem"] as const) },
    ];
    for (let times = 1 + below(3); times > 0; times--) list.push(...(chance(0.6) ? innerLoop() : [letStatement()]));
    if (chance(0.5)) list.push({ kind: "barrier" });
    list.push(store("out", outDType, unit.mul(8).add(7)));
    return list;
  });

  return {
    name: `random_${seed}`,
    buffers: [
      ...dtypeNames.map((dtype) => ({ name: `x_${dtype}`, dtype, access: "read" as const })),
      { name: "out", dtype: outDType, access: "write" },
    ],
    scalars: dtypeNames.map((dtype) => ({ name: `p_${dtype}`, dtype })),
    sizes: [units, n, stride],
    modes: [{ name: "rest", buffers: ["x_float32", "out"] }],
    body: [{ kind: "loop", mode: "parallel", index: "u", from: constant(0), to: sizeSymbol(units), by: 1, body }],
  };
}

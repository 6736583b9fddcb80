/**
 * Vector loops around other loops: random ones agree with the reference, and the code of a tile of a product is as good as
 * hand-written code. LAW_CASES sets the number of random ones.
 */
import { expect, test } from "vitest";
import { expectSameRuns } from "../../../../test/support/kernel-runs.ts";
import { constant, type Expr } from "../../../expr/expr.ts";
import type { Kernel, Statement } from "../../../kernel/ir/kernel.ts";
import { parseKernel } from "../../../kernel/ir/parse.ts";
import { printKernel } from "../../../kernel/ir/print.ts";
import { call, cast, constantScalar, loadScalar, namedScalar, type Scalar } from "../../../kernel/ir/scalar.ts";
import { loop } from "../../../kernel/ir/statements.ts";
import { loopSymbol, sizeSymbol } from "../../../kernel/ir/symbols.ts";
import { checkKernel } from "../../../kernel/ir/verify.ts";
import type { DType } from "../../../storage/dtype.ts";
import { kernelModule } from "../compile-kernel.ts";
import { printModule } from "../encoder/text.ts";

const cases = Number(process.env["LAW_CASES"] ?? 100);
const kinds: readonly DType[] = ["float32", "float64", "int32", "uint16", "int64"];
const length = 400;
const sizes = [
  { name: "n", min: 0, max: 11 },
  { name: "depth", min: 0, max: 5 },
  { name: "step", min: 0, max: 3 },
];
const [n, depth, step] = sizes.map(sizeSymbol) as [Expr, Expr, Expr];
const j = loopSymbol("j");

/** The statements of a vector loop over j, at random. */
class Rounds {
  #state: number;
  #count = 0;
  readonly dtype: DType;
  readonly named: Scalar[] = [];
  readonly sums: Scalar[] = [];
  readonly shared: Scalar[] = [];

  constructor(seed: number) {
    this.#state = seed * 7919 + 1;
    this.dtype = this.pick(kinds);
  }

  below(count: number): number {
    this.#state = (Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((this.#state ^ (this.#state >>> 13)) >>> 0) % count;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  load(k: Expr): Scalar {
    const across = this.pick([constant(0), j, j, j.mul(2), j.mul(step), constant(length / 2).sub(j)]);
    const index = across.add(k.mul(this.below(3))).add(this.below(5));
    const dtype = this.below(6) === 0 ? "int32" : this.dtype;
    return cast(this.dtype, loadScalar(dtype, `x_${dtype}`, index));
  }

  value(k: Expr, deep: number): Scalar {
    const known = [...this.named, ...this.shared];
    if (known.length > 0 && this.below(3) === 0) return this.pick(known);
    if (this.below(6) === 0) return constantScalar(this.dtype, this.below(5));
    // An element of its own round that may have been stored before.
    if (this.below(6) === 0) return loadScalar(this.dtype, "out", this.ownIndex());
    const fn = this.pick(["add", "mul", "sub", "max"] as const);
    const value = deep === 0 ? this.load(k) : call(fn, this.value(k, deep - 1), this.value(k, deep - 1));
    if (this.below(3) === 0) this.shared.push(value);
    return value;
  }

  ownIndex = (): Expr => j.mul(3).add(this.below(3));

  list(k: Expr, nesting: number): Statement[] {
    const statements: Statement[] = [];
    const marks = [this.named.length, this.sums.length];
    for (let count = 1 + this.below(4); count > 0; count--) statements.push(...this.statement(k, nesting));
    this.named.length = marks[0] as number;
    this.sums.length = marks[1] as number;
    this.shared.length = 0;
    return statements;
  }

  statement(k: Expr, nesting: number): Statement[] {
    const name = `t${++this.#count}`;
    const kind = this.below(6);
    if (kind === 0) {
      const value = this.value(k, 2);
      this.named.push(namedScalar(this.dtype, name));
      return [{ kind: "let", name, value }];
    }
    if (kind === 1) return [{ kind: "store", buffer: "out", index: this.ownIndex(), value: this.value(k, 2) }];
    if (kind === 2 && this.sums.length > 0) {
      const into = this.pick(this.sums) as Scalar & { kind: "named" };
      return [{ kind: "accumulate", into: into.name, fn: "add", value: this.value(k, 2) }];
    }
    if (nesting === 0) return [];
    const sum = namedScalar(this.dtype, `sum_${name}`);
    const initial = this.value(k, 1);
    this.sums.push(sum);
    const inner = loopSymbol(`k_${name}`);
    const body: Statement[] = [
      ...this.list(inner, nesting - 1),
      { kind: "accumulate", into: `sum_${name}`, fn: "add", value: this.load(inner) },
    ];
    this.named.push(sum);
    return [
      { kind: "accumulator", name: `sum_${name}`, initial },
      loop("serial", `k_${name}`, constant(0), this.pick([depth, constant(3)]), body),
      { kind: "store", buffer: "out", index: this.ownIndex(), value: sum },
    ];
  }
}

function randomRounds(seed: number): Kernel {
  const rounds = new Rounds(seed);
  const to = rounds.pick([n, constant(8), constant(5)]);
  const body: Statement[] = [];
  while (!body.some(({ kind }) => kind === "loop")) body.push(...rounds.list(constant(0), 2));
  return {
    name: `rounds_${seed}`,
    buffers: [
      { name: "out", dtype: rounds.dtype, access: "readwrite" },
      { name: `x_${rounds.dtype}`, dtype: rounds.dtype, access: "read" },
      ...(rounds.dtype === "int32" ? [] : [{ name: "x_int32", dtype: "int32" as const, access: "read" as const }]),
    ],
    scalars: [],
    sizes,
    modes: [],
    body: [loop("parallel", "u", constant(0), constant(1), [loop("vector", "j", constant(0), to, body, 4)])],
  };
}

const arrayOf = (dtype: DType) => {
  const numbers = Array.from({ length }, (_, i) => (i * 37) % 61);
  if (dtype === "int64") return BigInt64Array.from(numbers, BigInt);
  const array = { float32: Float32Array, float64: Float64Array, int32: Int32Array, uint16: Uint16Array }[
    dtype as "int32"
  ];
  return array.from(numbers);
};

const textOf = (kernel: Kernel, relaxedSimd = false): string =>
  printModule(kernelModule(kernel, { relaxedSimd, shared: false }).module);

test(`random rounds around loops store the same as the reference (${cases} cases)`, () => {
  let vectors = 0;
  for (let seed = 1; seed <= cases; seed++) {
    const kernel = randomRounds(seed);
    try {
      if (seed <= 20) checkKernel(kernel, { apart: ["out"] });
      const buffers = Object.fromEntries(kernel.buffers.map(({ name, dtype }) => [name, arrayOf(dtype)]));
      for (let round = 0; round < 3; round++) {
        const sizes = { n: (seed + 4 * round) % 12, depth: (seed + round) % 6, step: (seed + round) % 4 };
        expectSameRuns(kernel, { buffers, sizes, units: 1 });
      }
    } catch (cause) {
      expect.fail(`seed ${seed}: ${(cause as Error).message}\n${printKernel(kernel)}`);
    }
    if (/;; j, \d+ at a time/.test(textOf(kernel))) vectors++;
  }
  expect(vectors).toBeGreaterThan(cases / 3);
}, 3_600_000);

const tile = parseKernel(`kernel tile
  buffer out: float32 write
  buffer a: float32 read
  buffer b: float32 read
  size depth: 0..1000
{
  parallel u in 0..1 {
    vector j in 0..4 by 4 {
      accumulator s: float32 = float32(0)
      accumulator t: float32 = float32(0)
      serial k in 0..depth {
        let y: float32 = b[4*k + j]
        s add= a[2*k] * y
        t add= a[2*k + 1] * y
      }
      out[j] = s
      out[4 + j] = t
    }
  }
}`);

/** The instructions of the loop over k, without those on locals. */
const loopOver = (text: string): string[] => {
  const lines = text.split("\n").map((line) => line.trim());
  const from = lines.indexOf(";; k");
  return lines.slice(from, lines.indexOf("br_if 0", from)).filter((line) => !line.startsWith("local."));
};

test("a tile loads each element once, those of one column into every lane", () => {
  expectSameRuns(tile, {
    buffers: {
      out: new Float32Array(8),
      a: Float32Array.of(1, 2, 3, 4, 5, 6),
      b: Float32Array.from({ length: 12 }, Math.sqrt),
    },
    sizes: { depth: 3 },
    units: 1,
  });
  expect(loopOver(textOf(tile))).toMatchInlineSnapshot(`
    [
      ";; k",
      "loop",
      "v128.load align=4",
      "v128.load32_splat align=4",
      "f32x4.mul",
      "f32x4.add",
      "v128.load32_splat offset=4 align=4",
      "f32x4.mul",
      "f32x4.add",
      "i32.const 16",
      "i32.add",
      "i32.const 8",
      "i32.add",
      "i32.const -1",
      "i32.add",
    ]
  `);
});

test("relaxed instructions add a product in one step", () => {
  const ops = loopOver(textOf(tile, true));
  expect(ops.filter((line) => line.startsWith("f32x4."))).toEqual(["f32x4.relaxed_madd", "f32x4.relaxed_madd"]);
});

const single = (statements: string): Kernel =>
  parseKernel(`kernel single
  buffer out: float32 readwrite
  buffer a: float32 read
  buffer at: int32 read
  size n: 0..1000
{
  parallel u in 0..1 {
    vector j in 0..8 by 4 {
      ${statements}
    }
  }
}`);

const alone: Readonly<Record<string, string>> = {
  "bounds that differ from round to round": "serial k in 0..j {\nout[j] = a[k]\n}",
  "an index whose stride is not known": "serial k in 0..n {\nout[j] = a[j/2 + k]\n}",
  "a mask": "serial k in 0..n {\nout[j] = a[j] where a[k] < a[j]\n}",
  "the index as a value": "serial k in 0..n {\nout[j] = float32[j]\n}",
  "an integer that is loaded": "fetch f = at[j]\nserial k in 0..n {\nout[j] = a[f]\n}",
};

test.each(Object.keys(alone))("%s: iterations run one by one", (what) => {
  const kernel = single(alone[what] as string);
  expect(textOf(kernel)).not.toMatch(/;; j, \d+ at a time/);
  expectSameRuns(kernel, {
    buffers: {
      out: new Float32Array(8),
      a: Float32Array.from({ length: 32 }, Math.sin),
      at: Int32Array.from({ length: 8 }, (_, i) => 7 - i),
    },
    sizes: { n: 5 },
    units: 1,
  });
});

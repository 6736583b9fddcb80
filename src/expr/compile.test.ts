/** Closures and WebAssembly agree with evaluating the tree; WGSL is compared with golden text. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { bitTrees, build, symbols, trees, valueOf, values } from "../../test/support/random-expr.ts";
import { AffinePrimitives } from "./affine-primitives.ts";
import { compileToFunction } from "./compile.ts";
import { evaluate } from "./evaluate.ts";
import { type Expr, sym } from "./expr.ts";
import { parse } from "./parse-bits.ts";
import { encodeWasm, toWasm } from "./wasm.ts";
import { toWgsl } from "./wgsl.ts";

const names = Object.keys(symbols);
const numRuns = Number(process.env.LAW_CASES ?? 800);
const points = fc.array(values, { minLength: 5, maxLength: 5 });

test("closures and affine primitives return the value of the tree", () => {
  fc.assert(
    fc.property(fc.oneof(trees, bitTrees), points, (tree, at) => {
      const expr = build(tree);
      if (!expr) return;
      const compiled = compileToFunction(expr, names);
      const own = compileToFunction(expr, [...expr.symbols.keys()]);
      const ap = new AffinePrimitives();
      const affine = ap.create(expr);
      for (const point of at) {
        const value = valueOf(tree, point);
        if (value === undefined) continue;
        Object.assign(ap, point);
        const results = [compiled(...names.map((name) => point[name] as number)), affine()];
        results.push(own(...[...expr.symbols.keys()].map((name) => point[name] as number)));
        expect(results, `${expr} at ${JSON.stringify(point)}`).toEqual([value, value, value]);
      }
    }),
    { seed: 5, numRuns },
  );
});

/** Wraps the code in a module with one exported function of i32 parameters. */
function instantiate(expr: Expr): (...args: number[]) => number {
  const { instructions, extraLocals } = toWasm(expr, Object.fromEntries(names.map((name, i) => [name, i])));
  const i32 = 0x7f;
  const body = [1, extraLocals, i32, ...encodeWasm(instructions), 0x0b];
  const sizeOf = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...sizeOf(n >> 7)]);
  const section = (id: number, bytes: number[]): number[] => [id, ...sizeOf(bytes.length), ...bytes];
  const bytes = [
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, names.length, ...names.map(() => i32), 1, i32]),
    ...section(3, [1, 0]),
    ...section(7, [1, 1, 0x66, 0, 0]),
    ...section(10, [1, ...sizeOf(body.length), ...body]),
  ];
  return new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(bytes))).exports["f"] as () => number;
}

test("WebAssembly returns the value of the tree within 32 bits", () => {
  let compared = 0;
  fc.assert(
    fc.property(fc.oneof(trees, bitTrees), points, (tree, at) => {
      const expr = build(tree);
      if (!expr || /\d{7}/.test(`${expr}`)) return;
      const run = instantiate(expr);
      for (const point of at) {
        const value = valueOf(tree, point);
        if (value === undefined || !fitsIn32Bits(expr, point)) continue;
        expect(run(...names.map((name) => point[name] as number)), `${expr} at ${JSON.stringify(point)}`).toBe(value);
        compared++;
      }
    }),
    { seed: 6, numRuns },
  );
  expect(compared).toBeGreaterThan(numRuns);
});

/** Returns true if the value stays small with every symbol at this magnitude: a cheap bound for all intermediate values. */
function fitsIn32Bits(expr: Expr, at: Readonly<Record<string, number>>): boolean {
  const bound = (p: Pick<Expr, "constant" | "terms">): number =>
    p.terms.reduce(
      (sum, { num, atoms }) =>
        sum +
        atoms.reduce(
          (product, atom) =>
            product *
            (atom.kind === "symbol"
              ? Math.abs(at[atom.name] as number) + 1
              : atom.kind === "shiftLeft"
                ? 2 ** bound(atom.args[1])
                : 2 * Math.max(...atom.args.map(bound)) + 1),
          Math.abs(num),
        ),
      Math.abs(p.constant),
    );
  return bound(expr) < 2 ** 31;
}

test("WebAssembly text is short where ranges allow it", () => {
  const i = sym("i", { min: 0 });
  const text = (expr: Expr) => toWasm(expr, { i: 0, k: 1 }).instructions.join("; ");
  expect(text(i.mul(128).add(64))).toBe("local.get 0; i32.const 128; i32.mul; i32.const 64; i32.add");
  expect(text(sym("k").floorDiv(8))).toBe("local.get 1; i32.const 3; i32.shr_s");
  expect(text(sym("k").mod(8))).toBe("local.get 1; i32.const 7; i32.and");
  expect(text(i.floorDiv(6))).toBe("local.get 0; i32.const 6; i32.div_u");
  expect(toWasm(sym("k").floorDiv(6), { k: 1 }).extraLocals).toBe(1);
  expect(() => toWasm(sym("q"), { i: 0 })).toThrow("toWasm: q has the symbol q; the locals are i.");
  expect([...encodeWasm(["i32.const -65", "i32.const 300", "local.get 200"])]).toEqual([
    0x41, 0xbf, 0x7f, 0x41, 0xac, 2, 0x20, 0xc8, 1,
  ]);
});

test("WGSL divides plainly only where ranges allow it", () => {
  const i = sym("i", { min: 0 });
  const n = sym("n", { divisibleBy: 4 });
  const bound = { symbols: { i, n, k: sym("k"), m: sym("m", { min: 1 }) } };
  const texts = [
    "i * 128 + 64",
    "i / 6 * 8 + i % 6",
    "k / 8 - k % 8",
    "k / 6",
    "k % 6",
    "ceil(i / 6)",
    "3 * n / 4",
    "i / m",
  ];
  texts.push("min(k, i, 8) * 2", "(i + 1) / 4 * (i + 1)", "-k", "k * k - 2 * k", "k % m");
  expect(texts.map((text) => `${text}  =>  ${toWgsl(parse(text, bound))}`).join("\n")).toMatchInlineSnapshot(`
    "i * 128 + 64  =>  i * 128 + 64
    i / 6 * 8 + i % 6  =>  (i / 6) * 8 + i % 6
    k / 8 - k % 8  =>  (k >> 3u) - (k & 7)
    k / 6  =>  ((k - (k % 6 + 6) % 6) / 6)
    k % 6  =>  ((k % 6 + 6) % 6)
    ceil(i / 6)  =>  (i + 5) / 6
    3 * n / 4  =>  n / 4 * 3
    i / m  =>  i / m
    min(k, i, 8) * 2  =>  min(min(i, k), 8) * 2
    (i + 1) / 4 * (i + 1)  =>  i * ((i + 1) / 4) + (i + 1) / 4
    -k  =>  -k
    k * k - 2 * k  =>  k * k - k * 2
    k % m  =>  ((k % m + m) % m)"
  `);
});

test("a compiled function distinguishes a missing value, a fraction, an overflow and a zero divisor", () => {
  const f = compileToFunction(parse("i * 128 + 64"), ["i"]);
  const g = compileToFunction(parse("i / j"), ["i", "j"]);
  expect(() => (f as () => number)()).toThrow("the symbol i has no value");
  expect(() => f(0.3)).toThrow("i = 0.3 is not an integer");
  expect(() => f(2 ** 52)).toThrow("past 2^53");
  expect(() => g(1, 0)).toThrow("division by zero");
  expect(() => compileToFunction(parse("i + j"), ["i"])).toThrow("has the symbol j; the parameters are (i). Add j.");
  expect(evaluate(parse("i / j"), { i: -7, j: 2 })).toBe(-4);
  expect(() => evaluate(sym("n", { min: 0, divisibleBy: 4 }), { n: 6 })).toThrow(
    "n = 6 breaks its assumption 0 <= n, divisible by 4",
  );
});

/**
 * Random integer expressions for law tests: a plain tree, its value by the definitions of the operations, the
 * expression that the library builds from it, and values that satisfy the assumptions of the symbols.
 */
import fc from "fast-check";
import { and, shiftLeft, shiftRight, xor } from "../../src/expr/bits.ts";
import { constant, type Expr, sym } from "../../src/expr/expr.ts";

export const symbols: Readonly<Record<string, Expr>> = {
  i: sym("i", { min: 0, max: 7 }),
  j: sym("j", { min: -5, max: 5 }),
  k: sym("k"),
  m: sym("m", { min: 1 }),
  n: sym("n", { divisibleBy: 4 }),
  p: sym("p", { min: 0, max: 60, divisibleBy: 6 }),
  z: sym("z", { max: -1 }),
};

export type Values = Readonly<Record<string, number>>;

/** Values that the assumptions allow. */
export const values: fc.Arbitrary<Values> = fc.record({
  i: fc.integer({ min: 0, max: 7 }),
  j: fc.integer({ min: -5, max: 5 }),
  k: fc.integer({ min: -70, max: 70 }),
  m: fc.integer({ min: 1, max: 40 }),
  n: fc.integer({ min: -20, max: 20 }).map((x) => 4 * x),
  p: fc.integer({ min: 0, max: 10 }).map((x) => 6 * x),
  z: fc.integer({ min: -40, max: -1 }),
});

const binary = ["add", "sub", "mul", "floorDiv", "ceilDiv", "mod", "min", "max"] as const;
const bits = { and, xor, shiftLeft, shiftRight } as const;
const bitNames = Object.keys(bits) as (keyof typeof bits)[];
const unary = ["neg", "abs"] as const;

interface Pair {
  readonly op: (typeof binary)[number] | keyof typeof bits;
  readonly a: Tree;
  readonly b: Tree;
}

export type Tree = number | string | Pair | { readonly op: (typeof unary)[number]; readonly a: Tree };

const leaf = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...Object.keys(symbols)) },
  { weight: 1, arbitrary: fc.integer({ min: -9, max: 9 }) },
  { weight: 1, arbitrary: fc.constantFrom(2, 4, 8, 12, 16, 32, -4) },
);

const treeOf = (depth: number, ops: readonly Pair["op"][]): fc.Arbitrary<Tree> =>
  depth === 0
    ? leaf
    : fc.oneof(
        { weight: 1, arbitrary: leaf },
        { weight: 1, arbitrary: fc.record({ op: fc.constantFrom(...unary), a: treeOf(depth - 1, ops) }) },
        // Index expressions consist of sums and divisions by constants.
        { weight: 3, arbitrary: fc.record({ op: fc.constantFrom(...ops), a: treeOf(depth - 1, ops), b: leaf }) },
        {
          weight: 5,
          arbitrary: fc.record({ op: fc.constantFrom(...ops), a: treeOf(depth - 1, ops), b: treeOf(depth - 1, ops) }),
        },
      );

const depths = fc.integer({ min: 1, max: 4 });

/** Trees of arithmetic. */
export const trees = depths.chain((depth) => treeOf(depth, binary));
/** Trees of arithmetic and bitwise functions. */
export const bitTrees = depths.chain((depth) => treeOf(depth, [...binary, ...bitNames, "and", "xor", "xor"]));

/** The value by definition, or undefined if a divisor is 0 or a number leaves the safe range. */
export function valueOf(tree: Tree, at: Values): number | undefined {
  if (typeof tree === "number") return tree;
  if (typeof tree === "string") return at[tree];
  const a = valueOf(tree.a, at);
  if (a === undefined) return undefined;
  if (!("b" in tree)) return tree.op === "neg" ? -a + 0 : Math.abs(a);
  const b = valueOf(tree.b, at);
  if (b === undefined) return undefined;
  const result = apply(tree.op, BigInt(a), BigInt(b));
  return result !== undefined && Number.isSafeInteger(Number(result)) ? Number(result) : undefined;
}

/** The largest number of bits of a shift: quotients by several powers become one, whose divisor must stay below 2^53. */
const mostBits = 12n;

function apply(op: Pair["op"], a: bigint, b: bigint): bigint | undefined {
  switch (op) {
    case "add":
      return a + b;
    case "sub":
      return a - b;
    case "mul":
      return a * b;
    case "min":
      return a < b ? a : b;
    case "max":
      return a > b ? a : b;
    case "floorDiv":
      return b === 0n ? undefined : floorDivide(a, b);
    case "ceilDiv":
      return b === 0n ? undefined : -floorDivide(-a, b);
    case "mod":
      return b === 0n ? undefined : a - b * floorDivide(a, b);
    case "and":
      return a & b;
    case "xor":
      return a ^ b;
    case "shiftLeft":
      return b < 0n || b > mostBits ? undefined : a << b;
    case "shiftRight":
      return b < 0n || b > mostBits ? undefined : a >> b;
    default:
      return op satisfies never;
  }
}

const floorDivide = (a: bigint, b: bigint): bigint => a / b - (a % b !== 0n && a < 0n !== b < 0n ? 1n : 0n);

/**
 * Builds the tree with the methods of Expr. Returns undefined if they throw: division by a constant 0, or a number
 * above 2^53.
 */
export function build(tree: Tree): Expr | undefined {
  try {
    return construct(tree);
  } catch (error) {
    if (error instanceof Error && /divisor is the constant 0|past 2\^53|must be 0 to 52/.test(error.message))
      return undefined;
    throw error;
  }
}

function construct(tree: Tree): Expr {
  if (typeof tree === "number") return constant(tree);
  if (typeof tree === "string") return symbols[tree] as Expr;
  const a = construct(tree.a);
  if (!("b" in tree)) return a[tree.op]();
  const b = construct(tree.b);
  return tree.op in bits ? bits[tree.op as keyof typeof bits](a, b) : a[tree.op as (typeof binary)[number]](b);
}

/** The tree as text, fully parenthesized. */
export function show(tree: Tree): string {
  if (typeof tree !== "object") return `${tree}`;
  return "b" in tree ? `${tree.op}(${show(tree.a)}, ${show(tree.b)})` : `${tree.op}(${show(tree.a)})`;
}

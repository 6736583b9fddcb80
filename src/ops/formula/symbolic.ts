/**
 * Formulas written as functions: `({ x, a, b }) => x.mul(a).add(b)`. The function is called once with a value for each operand it asks
 * for; methods are the functions of formulas, and each call notes a node. What comes out is printed as text and is from then on a
 * formula like any other. Numbers in the function are literals of that text: 2 is an integer, 0.5 a float.
 */
import { StridewiseError } from "../../base/errors.ts";
import { once, remember } from "../../base/remember.ts";
import { isComplex, type Value } from "../../storage/dtype.ts";
import { arityOf, type FormulaFunction, functionNames } from "./functions.ts";
import type { Node, OutputNode } from "./node.ts";
import { constants } from "./operators.ts";
import { mostNodes, tooLong } from "./parse.ts";
import { printFormula } from "./print.ts";

/** What a formula's function may use as a value. */
export type SymbolicLike = Symbolic | Value;

/** A value that is not computed yet, with the functions of formulas as methods: x.mul(2).add(b), c.where(a, b). */
export type Symbolic = SymbolicValue & {
  readonly [F in FormulaFunction]: (...others: readonly SymbolicLike[]) => Symbolic;
};

class SymbolicValue {
  /** @internal */ declare readonly node: Node;

  constructor(node: Node) {
    this.node = node;
  }

  /** JavaScript would compute with NaN. */
  [Symbol.toPrimitive](): never {
    throw new StridewiseError(
      "elementwise: a symbol is no number, + - * / cannot be used on it. Call its methods: x.mul(2).add(y)",
    );
  }
}

/** The calls of the function that runs. */
let calls = 0;

/** Gives the class its methods when the first formula is made. */
const makeReady = /* @__PURE__ */ once(() => {
  for (const fn of functionNames())
    Object.defineProperty(SymbolicValue.prototype, fn, {
      value(this: SymbolicValue, ...others: readonly SymbolicLike[]): SymbolicValue {
        const args = [this.node, ...others.map(nodeOf)];
        const { least } = arityOf(fn) as { least: number };
        if (args.length !== least)
          throw new StridewiseError(`elementwise: ${fn} takes ${least} values with its own, got ${args.length}`);
        if (++calls > mostNodes) throw new StridewiseError(`elementwise: ${tooLong}`);
        return new SymbolicValue({ kind: "call", fn, args, at: 0 });
      },
    });
  return null;
});

function nodeOf(value: unknown): Node {
  if (value instanceof SymbolicValue) return value.node;
  const literal = { kind: "literal", value: value as Value, at: 0 } as const;
  switch (typeof value) {
    case "number":
      return { ...literal, category: Number.isSafeInteger(value) && !Object.is(value, -0) ? "integer" : "float" };
    case "bigint":
      return { ...literal, category: "integer" };
    case "boolean":
      return { ...literal, category: "bool" };
  }
  if (isComplex(value)) return { ...literal, category: "complex" };
  throw new StridewiseError(
    `elementwise: the function computes with symbols and numbers, got ${String(value)}. Tensors are operands: give them by name`,
  );
}

function symbolOf(name: string): SymbolicValue {
  if (Object.hasOwn(constants, name))
    throw new StridewiseError(
      `elementwise: ${name} is a number in formulas and cannot be the name of an operand. Give it another name`,
    );
  return new SymbolicValue({ kind: "name", name, at: 0 });
}

/** The text of the formula that a function computes: of one value, or of a record of outputs. */
export function formulaOf(define: (symbols: never) => unknown): string {
  makeReady();
  const known = new Map<string, SymbolicValue>();
  const symbols = new Proxy(Object.freeze({}), {
    get: (_target, name) => remember(known, String(name), symbolOf),
  });
  calls = 0;
  const result = define(symbols as never);
  const isRecord =
    typeof result === "object" && result !== null && !(result instanceof SymbolicValue) && !isComplex(result);
  const outputs: OutputNode[] = isRecord
    ? Object.entries(result).map(([name, value]) => ({ name, value: nodeOf(value) }))
    : [{ name: null, value: nodeOf(result) }];
  return printFormula(outputs);
}

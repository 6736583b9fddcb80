/**
 * Formulas written as functions: `({ x, a, b }) => x.mul(a).add(b)`. The function is called once with a symbolic value for each operand that it
 * uses. Its methods are the functions of formulas, and each call records a node. The result is printed as the text of a formula, in
 * which numbers are literals: 2 is an integer, 0.5 a float.
 */
import { StridewiseError } from "../../base/errors.ts";
import { getOrCompute, once } from "../../base/lazy.ts";
import { isComplex, type Value } from "../../storage/dtype.ts";
import { arityOf, type FormulaFunction, functionNames } from "./functions.ts";
import type { Node, OutputNode } from "./node.ts";
import { constants } from "./operators.ts";
import { maxNodes, tooLong } from "./parse.ts";
import { printFormula } from "./print.ts";

/** A value in the function of a formula. */
export type SymbolicLike = Symbolic | Value;

/** A symbolic value, with the functions of formulas as methods: x.mul(2).add(b), c.where(a, b). */
export type Symbolic = SymbolicValue & {
  readonly [F in FormulaFunction]: (...others: readonly SymbolicLike[]) => Symbolic;
};

class SymbolicValue {
  /** @internal */ declare readonly node: Node;

  constructor(node: Node) {
    this.node = node;
  }

  /** Throws, because JavaScript would compute with NaN. */
  [Symbol.toPrimitive](): never {
    throw new StridewiseError(
      "elementwise: a symbol is not a number, so + - * / do not work. Call its methods: x.mul(2).add(y)",
    );
  }
}

/** The number of calls of the running function. */
const recorded = { calls: 0 };

/** Defines the methods of the class when the first formula is created. */
const makeReady = /* @__PURE__ */ once(() => {
  for (const fn of functionNames())
    Object.defineProperty(SymbolicValue.prototype, fn, {
      value(this: SymbolicValue, ...others: readonly SymbolicLike[]): SymbolicValue {
        const args = [this.node, ...others.map(nodeOf)];
        const { min } = arityOf(fn) as { min: number };
        if (args.length !== min)
          throw new StridewiseError(`elementwise: ${fn} takes ${min} values including its own, got ${args.length}`);
        if (++recorded.calls > maxNodes) throw new StridewiseError(`elementwise: ${tooLong}`);
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
    `elementwise: a formula computes with symbols and numbers, got ${String(value)}. Pass tensors as operands, by name`,
  );
}

function symbolOf(name: string): SymbolicValue {
  if (Object.hasOwn(constants, name))
    throw new StridewiseError(
      `elementwise: ${name} is a number in formulas and cannot be the name of an operand. Rename it`,
    );
  return new SymbolicValue({ kind: "name", name, at: 0 });
}

/** Returns the text of the formula of a function that returns one value, or an object of outputs. */
export function formulaOf(define: (symbols: never) => unknown): string {
  makeReady();
  const known = new Map<string, SymbolicValue>();
  const symbols = new Proxy(Object.freeze({}), {
    get: (_target, name) => getOrCompute(known, String(name), symbolOf),
  });
  recorded.calls = 0;
  const result = define(symbols as never);
  const isRecord =
    typeof result === "object" && result !== null && !(result instanceof SymbolicValue) && !isComplex(result);
  const outputs: OutputNode[] = isRecord
    ? Object.entries(result).map(([name, value]) => ({ name, value: nodeOf(value) }))
    : [{ name: null, value: nodeOf(result) }];
  return printFormula(outputs);
}

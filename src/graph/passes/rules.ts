/**
 * Algebraic rules as data: calls whose result has the same elements, bit for bit, as an existing value. Each rule holds for -0, infinities,
 * NaN, subnormal numbers and every dtype that it allows; the tests check all of them. Rules that change bits, such as x - x = 0 or the
 * associative law, are not here.
 */
import { type DType, dtypes } from "../../storage/dtype.ts";
import { toTypedArray } from "../../tensor/convert/to-array.ts";
import { type Argument, type Input, type Node, Value } from "../ir.ts";

/** Facts about values that rules use. */
export interface RuleContext {
  /** The input with this value; undefined for a result of a node. */
  inputOf(value: Value): Input | undefined;
  /** The call that computes a value; null if there is none, or it is a write. */
  nodeOf(value: Value): Pick<Node, "op" | "args"> | null;
}

/** A rule: `apply` returns the values that the results are equal to, or null if the rule does not apply. */
export interface Rule {
  readonly name: string;
  /** The names of the ops to whose calls the rule may apply. */
  readonly ops: readonly string[];
  apply(args: readonly Argument[], context: RuleContext, node: Node): readonly Value[] | null;
}

/** The value of an argument that is a number or a 0-d constant; null for other arguments. */
function numberOf(arg: Argument, { inputOf }: RuleContext): number | null {
  if (typeof arg === "number") return arg;
  if (!(arg instanceof Value) || arg.type.shape.length > 0) return null;
  const input = inputOf(arg);
  if (input?.kind !== "constant" || input.tensor === null) return null;
  const { category, parts } = dtypes[arg.type.dtype];
  if (category === "bool" || parts === 2 || input.tensor.size !== 1) return null;
  return Number(toTypedArray(input.tensor)[0]);
}

/** True if arguments from the third on have no effect: they are omitted. */
const areOmitted = (args: readonly Argument[], from = 2): boolean => args.slice(from).every((arg) => arg === undefined);

const isReal = ({ type }: Value): boolean => dtypes[type.dtype].parts === 1;
const isInteger = ({ type }: Value): boolean => dtypes[type.dtype].category === "integer";

/** A rule for `x op number`, and for `number op x` if the order does not matter. */
function unit(name: string, op: string, isUnit: (number: number, x: Value) => boolean, isCommutative: boolean): Rule {
  return {
    name,
    ops: [op],
    apply(args, context) {
      if (!areOmitted(args)) return null;
      const orders = isCommutative ? [args, [args[1], args[0]]] : [args];
      for (const [x, other] of orders) {
        const number = numberOf(other, context);
        if (x instanceof Value && isReal(x) && number !== null && isUnit(number, x)) return [x];
      }
      return null;
    },
  };
}

/** A rule for f(g(x)), where x is the first argument of both. */
const nested = (name: string, outer: string, inner: string, result: "x" | "inner"): Rule => ({
  name,
  ops: [outer],
  apply([value, ...rest], { nodeOf }) {
    if (!(value instanceof Value) || !areOmitted(rest, 0)) return null;
    const node = nodeOf(value);
    if (node?.op.name !== inner || !areOmitted(node.args, 1)) return null;
    const [x] = node.args;
    if (result === "inner") return [value];
    return x instanceof Value ? [x] : null;
  },
});

/** Functions with f(f(x)) = f(x). */
const idempotent = "abs relu floor ceil trunc round".split(" ");

/** Functions with f(x, x) = x. */
const ofEqual = "maximum minimum fmax fmin bitwiseAnd bitwiseOr logicalAnd logicalOr".split(" ");

const widths: Readonly<Record<string, number>> = { float16: 11, bfloat16: 8, float32: 24, float64: 53 };

/** True if every value of a dtype is a value of another one, so that a cast to it and back changes nothing. */
export function holdsAll(wide: DType, narrow: DType): boolean {
  if (wide === narrow) return true;
  const [from, to] = [dtypes[narrow], dtypes[wide]];
  if (from.parts === 2 || to.parts === 2) return wide === "complex128" && narrow === "complex64";
  if (from.category === "bool") return true;
  if (to.category === "bool") return false;
  const isUnsigned = (dtype: DType): boolean => dtype.startsWith("u");
  if (from.category === "integer") {
    const bits = from.itemsize * 8 - Number(!isUnsigned(narrow));
    if (to.category === "float") return wide in widths && bits <= widths[wide];
    return to.itemsize > from.itemsize && (isUnsigned(narrow) || !isUnsigned(wide));
  }
  return wide === "float64" || (wide === "float32" && from.itemsize === 2);
}

/** The dtype to which a call of `clone` casts. */
const isCast = ([x, , dtype]: readonly Argument[]): boolean =>
  x instanceof Value && typeof dtype === "string" && dtype !== x.type.dtype;

export const rules: readonly Rule[] = [
  unit("x * 1 = x", "mul", (number) => number === 1, true),
  unit("x / 1 = x", "div", (number) => number === 1, false),
  unit(
    "x + -0 = x, and x + 0 = x for integers",
    "add",
    (number, x) => Object.is(number, -0) || (number === 0 && isInteger(x)),
    true,
  ),
  unit("x - 0 = x", "sub", (number) => Object.is(number, 0), false),
  nested("-(-x) = x", "neg", "neg", "x"),
  nested("not not x = x", "logicalNot", "logicalNot", "x"),
  nested("~~x = x", "bitwiseNot", "bitwiseNot", "x"),
  ...idempotent.map((op) => nested(`${op}(${op}(x)) = ${op}(x)`, op, op, "inner")),
  {
    name: "f(x, x) = x",
    ops: ofEqual,
    apply: ([x, other, ...rest]) => (x instanceof Value && x === other && areOmitted(rest, 0) ? [x] : null),
  },
  {
    name: "where(c, x, x) = x",
    ops: ["where"],
    apply: ([, x, other, ...rest]) => (x instanceof Value && x === other && areOmitted(rest, 0) ? [x] : null),
  },
  {
    name: "a cast to a wider dtype and back is x",
    ops: ["clone"],
    apply([value, , dtype], { nodeOf }) {
      if (!(value instanceof Value) || typeof dtype !== "string") return null;
      const node = nodeOf(value);
      if (node?.op.name !== "clone" || !isCast(node.args)) return null;
      const [x] = node.args;
      return x instanceof Value && x.type.dtype === dtype && holdsAll(value.type.dtype, dtype) ? [x] : null;
    },
  },
  {
    name: "a copy has the elements of its tensor",
    ops: ["clone"],
    apply: (args) => (args[0] instanceof Value && !isCast(args) ? [args[0]] : null),
  },
  {
    name: "a formula that passes its operands on",
    ops: ["elementwise"],
    apply([text, operands], _context, { results }) {
      if (typeof text !== "string" || typeof operands !== "object" || operands === null) return null;
      const parts = text.split(";").map((each) => /^\s*\w+ = (\w+)\s*$/.exec(each)?.[1]);
      const values = parts.map((name) =>
        name === undefined ? null : (operands as { readonly [name: string]: Argument })[name],
      );
      return values.length === results.length && values.every((value) => value instanceof Value) ? values : null;
    },
  },
];

/**
 * Whether a loop has a vector form, and how many lanes it has: as many as the widest value that changes in the loop leaves room for.
 * There is none where something is masked or not a plain sequence of values, where an element's place is not known by its stride,
 * and where an operation has no vector instructions. The tables are asked with an assembler that writes nothing.
 */
import { remember } from "../../../base/remember.ts";
import type { AccumulateStatement, LoopStatement } from "../../../kernel/ir/kernel.ts";
import type { CallScalar, Scalar } from "../../../kernel/ir/scalar.ts";
import { operandsOf } from "../../../kernel/ir/visit.ts";
import type { DType } from "../../../storage/dtype.ts";
import type { Assembler } from "./assembler.ts";
import { bufferName, type Emission, innermost } from "./emission.ts";
import { representation } from "./representation.ts";
import { vectorCast } from "./vector-casts.ts";
import { vectorCall, vectorShiftByConstant } from "./vector-ops.ts";

const nothing = (): void => {};
const nowhere = (): number => 0;
const silent: Assembler = {
  op: nothing,
  put: nothing,
  local: nowhere,
  get: nothing,
  set: nothing,
  tee: nothing,
  constant: nowhere,
  hoist: nowhere,
  math: nowhere,
};

/** What the tables have answered: by function or kind of cast, then by a number made of dtypes and lanes. */
const answers = new Map<string, Map<number, boolean>>();

const ask = (about: string, number: number, answer: () => boolean): boolean =>
  remember(
    remember(answers, about, () => new Map<number, boolean>()),
    number,
    answer,
  );

/** The dtype that a function works on: of `select`, that of the two values. */
export const operandDType = ({ fn, args }: CallScalar): DType => (args[fn === "select" ? 1 : 0] as Scalar).dtype;

/** Leaves the value of a call on v128 locals on the stack; false if it has no vector form. */
export function vectorCallOf(a: Assembler, node: CallScalar, lanes: number, args: readonly number[]): boolean {
  const { fn } = node;
  const dtype = operandDType(node);
  const amount = node.args[1];
  if ((fn === "shiftLeft" || fn === "shiftRight") && amount?.kind === "constant")
    return vectorShiftByConstant(a, fn, dtype, lanes, args[0] as number, Number(amount.value));
  return vectorCall(a, fn, dtype, lanes, args);
}

function hasVectorForm(e: Emission, value: Scalar, lanes: number): boolean {
  const { accesses, changed } = innermost(e);
  if (value.kind === "load") return value.mask === undefined && accesses.has(value);
  return value.kind === "named" ? !changed.has(value.name) : hasInstructions(value, lanes);
}

/** Whether there are vector instructions for what a value does with its operands. */
export function hasInstructions(value: Scalar, lanes: number): boolean {
  switch (value.kind) {
    case "call": {
      const { number } = representation(operandDType(value));
      const isByConstant = value.args[1]?.kind === "constant";
      return ask(value.fn, (number * 32 + lanes) * 2 + Number(isByConstant), () =>
        vectorCallOf(silent, value, lanes, [0, 0, 0]),
      );
    }
    case "cast": {
      const { how, dtype } = value;
      const from = value.of.dtype;
      const pair = representation(from).number * 16 + representation(dtype).number;
      return ask(how, pair * 32 + lanes, () => vectorCast(silent, from, dtype, how, lanes, 0));
    }
    default:
      return true;
  }
}

/** Whether there are vector instructions for adding to an accumulator. */
export const canAccumulate = ({ fn, value: { dtype } }: AccumulateStatement, lanes: number): boolean =>
  ask(fn, (representation(dtype).number * 32 + lanes) * 2, () => vectorCall(silent, fn, dtype, lanes, [0, 0]));

/** How many rounds the innermost loop does at once, given the values that change in it; 1 if it has no vector form. */
export function lanesOf(e: Emission, loop: LoopStatement, changing: readonly Scalar[]): number {
  const { accesses } = innermost(e);
  if (loop.mode !== "vector") return 1;
  let widest = 1;
  let most = 16;
  for (const statement of loop.body) {
    switch (statement.kind) {
      case "let":
      case "index":
      case "barrier":
        break;
      case "accumulate":
        widest = Math.max(widest, representation(statement.value.dtype).bytes);
        most = loop.by;
        break;
      case "store": {
        if (statement.mask !== undefined || !accesses.has(statement)) return 1;
        widest = Math.max(widest, bufferName(e, statement.buffer).bytes);
        break;
      }
      default:
        return 1;
    }
  }
  for (const value of changing) {
    widest = Math.max(widest, representation(value.dtype).bytes);
    for (const operand of operandsOf(value)) widest = Math.max(widest, representation(operand.dtype).bytes);
  }
  const lanes = Math.min(16 / widest, most);
  if (lanes === 1 || !changing.every((value) => hasVectorForm(e, value, lanes))) return 1;
  return loop.body.every((statement) => statement.kind !== "accumulate" || canAccumulate(statement, lanes)) ? lanes : 1;
}

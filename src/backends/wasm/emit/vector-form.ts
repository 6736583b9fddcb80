/**
 * Decides whether a loop has a vector form, and its number of lanes, which the widest value that changes in the loop determines.
 * There is no vector form if something is masked or not a plain sequence of values, if an element's address is not given by a stride,
 * or if an operation has no vector instructions. The operation tables are queried with an assembler that writes nothing.
 *
 * A vector loop around other loops (the lane form) can compute several iterations at once if its inner loops are serial with the same
 * bounds for all iterations, if it adds only to its own accumulators, and if everything that depends on its index has vector
 * instructions. Values that do not depend on it stay scalars, and are splatted where they meet a vector. Returning undefined is always
 * correct: the iterations then run one by one.
 */
import { getOrCompute } from "../../../base/lazy.ts";
import type { Expr } from "../../../expr/expr.ts";
import { collectTerms, type Polynomial, type Term, withoutAtoms } from "../../../expr/polynomial.ts";
import type { AccumulateStatement, LoopStatement, Statement } from "../../../kernel/ir/kernel.ts";
import type { CallScalar, Scalar } from "../../../kernel/ir/scalar.ts";
import { operandsOf, rootsOf } from "../../../kernel/ir/visit.ts";
import type { DType } from "../../../storage/dtype.ts";
import type { MemoryAccess } from "./accesses.ts";
import { vectorCast } from "./casts.ts";
import { bufferName, type Emission, innermost, type LaneForm } from "./emission.ts";
import { type Assembler, representation } from "./representation.ts";
import { vectorCall, vectorShiftByConstant } from "./vector-ops.ts";

const nothing = (): void => {};
const noLocal = (): number => 0;
const silent: Assembler = {
  op: nothing,
  emit: nothing,
  emitFor: nothing,
  local: noLocal,
  get: nothing,
  set: nothing,
  hoist: noLocal,
  math: noLocal,
};

/** The cached answers of the tables: by function or kind of cast, then by a number that combines dtypes and lanes. */
const answers = new Map<string, Map<number, boolean>>();

const ask = (about: string, number: number, answer: () => boolean): boolean =>
  getOrCompute(
    getOrCompute(answers, about, () => new Map<number, boolean>()),
    number,
    answer,
  );

/** The dtype that a function works on; for `select`, that of the two values. */
export const operandDType = ({ fn, args }: CallScalar): DType => args[fn === "select" ? 1 : 0].dtype;

/** Leaves the value of a call on v128 locals on the stack. Returns false if it has no vector form. */
export function vectorCallOf(a: Assembler, node: CallScalar, lanes: number, args: readonly number[]): boolean {
  const { fn } = node;
  const dtype = operandDType(node);
  const amount = node.args[1];
  if ((fn === "shiftLeft" || fn === "shiftRight") && amount?.kind === "constant")
    return vectorShiftByConstant(a, fn, dtype, lanes, args[0], Number(amount.value));
  return vectorCall(a, fn, dtype, lanes, args);
}

function hasVectorForm(e: Emission, value: Scalar, lanes: number): boolean {
  const { accesses, changed } = innermost(e);
  if (value.kind === "load") return value.mask === undefined && accesses.has(value);
  return value.kind === "named" ? !changed.has(value.name) : hasInstructions(value, lanes);
}

/** True if and only if there are vector instructions for a value's operation. */
function hasInstructions(value: Scalar, lanes: number): boolean {
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

/** True if and only if there are vector instructions for adding to an accumulator. */
const canAccumulate = ({ fn, value: { dtype } }: AccumulateStatement, lanes: number): boolean =>
  ask(fn, (representation(dtype).number * 32 + lanes) * 2, () => vectorCall(silent, fn, dtype, lanes, [0, 0]));

/** The number of iterations that the innermost loop computes at once, given the values that change in it; 1 without a vector form. */
export function lanesOf(e: Emission, loop: LoopStatement, changing: readonly Scalar[]): number {
  const { accesses } = innermost(e);
  if (loop.mode !== "vector") return 1;
  let widest = 1;
  let max = 16;
  for (const statement of loop.body) {
    switch (statement.kind) {
      case "let":
      case "index":
      case "barrier":
        break;
      case "accumulate":
        widest = Math.max(widest, representation(statement.value.dtype).bytes);
        max = loop.by;
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
  const lanes = Math.min(16 / widest, max);
  if (lanes === 1 || !changing.every((value) => hasVectorForm(e, value, lanes))) return 1;
  return loop.body.every((statement) => statement.kind !== "accumulate" || canAccumulate(statement, lanes)) ? lanes : 1;
}

/** The lane form of a loop; undefined if it has none. */
export function laneFormOf(e: Emission, { mode, index, from, to, body }: LoopStatement): LaneForm | undefined {
  if (mode !== "vector") return undefined;
  const values = new Set<Scalar>();
  const names = new Set<string>();
  const strides = new Map<MemoryAccess, Polynomial>();
  const seen = new Set<Scalar>();
  const types = new Set<DType>();
  let isForm = true;
  const isLaned = (expr: Expr): boolean => expr.symbols.has(index);
  const addStride = (accessing: MemoryAccess): void => {
    const stride = slopeOf(accessing.index, index);
    if (stride === undefined || accessing.mask !== undefined) isForm = false;
    else strides.set(accessing, stride);
  };
  const look = (value: Scalar): void => {
    if (seen.has(value)) return;
    seen.add(value);
    const operands = operandsOf(value);
    operands.forEach(look);
    if (value.kind === "index" && isLaned(value.value)) isForm = false;
    const isOwn = value.kind === "load" ? isLaned(value.index) : value.kind === "named" && names.has(value.name);
    if (!isOwn && !operands.some((operand) => values.has(operand))) return;
    values.add(value);
    types.add(value.dtype);
    for (const operand of operands) types.add(operand.dtype);
    if (value.kind === "load") addStride(value);
  };
  const visit = (list: readonly Statement[]): void => {
    for (const statement of list) {
      rootsOf(statement).forEach(look);
      switch (statement.kind) {
        case "loop":
          if (statement.mode !== "serial" || isLaned(statement.from) || isLaned(statement.to)) isForm = false;
          visit(statement.body);
          break;
        case "accumulator":
          names.add(statement.name);
          types.add(statement.initial.dtype);
          break;
        case "accumulate":
          if (!names.has(statement.into)) isForm = false;
          break;
        case "let":
          if (values.has(statement.value)) names.add(statement.name);
          break;
        case "store":
          if (!isLaned(statement.index)) isForm = false;
          types.add(bufferName(e, statement.buffer).dtype);
          addStride(statement);
          break;
        case "index":
          if (isLaned(statement.value)) isForm = false;
          break;
        case "walk":
          if (isLaned(statement.position)) isForm = false;
          break;
        case "fetch":
          if (values.has(statement.value)) isForm = false;
          break;
        default:
          isForm = false;
      }
    }
  };
  visit(body);
  if (!isForm || types.size === 0) return undefined;
  const lanes = 16 / Math.max(...[...types].map((dtype) => representation(dtype).bytes));
  const count = from.value === undefined || to.value === undefined ? lanes : to.value - from.value;
  if (lanes === 1 || count < lanes) return undefined;
  const canAdd = (list: readonly Statement[]): boolean =>
    list.every((each) =>
      each.kind === "loop" ? canAdd(each.body) : each.kind !== "accumulate" || canAccumulate(each, lanes),
    );
  return canAdd(body) && [...values].every((value) => hasInstructions(value, lanes))
    ? { index, lanes, values, names, strides }
    : undefined;
}

/** The difference that one step of the symbol makes to an expression; undefined if it varies. */
function slopeOf({ terms }: Polynomial, symbol: string): Polynomial | undefined {
  const slopes: Term[] = [];
  for (const term of terms) {
    const own = term.atoms.filter((atom) => atom.kind === "symbol" && atom.name === symbol);
    const isHidden = term.atoms.some(
      (atom) => atom.kind !== "symbol" && atom.args.some((arg) => mentions(arg, symbol)),
    );
    if (isHidden || own.length > 1 || (own.length === 1 && term.den !== 1)) return undefined;
    if (own.length === 1) slopes.push(withoutAtoms(term, own) as Term);
  }
  return collectTerms(slopes);
}

const mentions = ({ terms }: Polynomial, symbol: string): boolean =>
  terms.some(({ atoms }) =>
    atoms.some((atom) =>
      atom.kind === "symbol" ? atom.name === symbol : atom.args.some((arg) => mentions(arg, symbol)),
    ),
  );

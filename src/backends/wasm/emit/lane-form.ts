/**
 * Whether a vector loop around other loops can do several rounds side by side, and what is a vector then.
 *
 * It can if its inner loops are serial ones with the same bounds for all rounds, if it adds to accumulators of its own only, and if
 * all that depends on its index has vector instructions. What does not depend on it stays a scalar, and is put into every lane where
 * it meets a vector. Undefined is always a right answer: the rounds are then done one by one.
 */
import type { Expr } from "../../../expr/expr.ts";
import { collect, type Polynomial, type Term, withoutAtoms } from "../../../expr/polynomial.ts";
import type { LoopStatement, Statement } from "../../../kernel/ir/kernel.ts";
import type { Scalar } from "../../../kernel/ir/scalar.ts";
import { operandsOf, rootsOf } from "../../../kernel/ir/visit.ts";
import type { DType } from "../../../storage/dtype.ts";
import type { Accessing } from "./accesses.ts";
import { bufferName, type Emission, type LaneForm } from "./emission.ts";
import { representation } from "./representation.ts";
import { canAccumulate, hasInstructions } from "./vector-form.ts";

/** How the rounds of a loop become lanes; undefined if they do not. */
export function laneFormOf(e: Emission, { mode, index, from, to, body }: LoopStatement): LaneForm | undefined {
  if (mode !== "vector") return undefined;
  const values = new Set<Scalar>();
  const names = new Set<string>();
  const strides = new Map<Accessing, Polynomial>();
  const seen = new Set<Scalar>();
  const types = new Set<DType>();
  let isForm = true;
  const isLaned = (expr: Expr): boolean => expr.symbols.has(index);
  const place = (accessing: Accessing): void => {
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
    if (value.kind === "load") place(value);
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
          place(statement);
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

/** What one step of the symbol adds to an expression; undefined if that is not the same for all steps. */
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
  return collect(slopes);
}

const mentions = ({ terms }: Polynomial, symbol: string): boolean =>
  terms.some(({ atoms }) =>
    atoms.some((atom) =>
      atom.kind === "symbol" ? atom.name === symbol : atom.args.some((arg) => mentions(arg, symbol)),
    ),
  );

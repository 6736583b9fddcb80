/**
 * Tangents of formulas: the derived formula (`formula-plan.ts`) over the tangents of the operands and what it reads of operands and
 * results, in one pass.
 */

import { add } from "../ops/elementwise/arithmetic.ts";
import { type DerivativeSource, forwardFormula } from "../ops/formula/derive.ts";
import { computeInOrder } from "../ops/formula-op.ts";
import type { FormulaOperand } from "../ops/formula-variant.ts";
import { isComplexDType } from "../storage/dtype.ts";
import { zeros } from "../tensor/create/create.ts";
import type { FormulaCall } from "../tensor/dispatch/operator.ts";
import { hasSizes } from "../tensor/geometry.ts";
import { isComplexTensor } from "../tensor/operand.ts";
import { Tensor } from "../tensor/tensor.ts";
import { expand, partView, to } from "../tensor/views/view-ops.ts";
import { type Direction, plansFor } from "./formula-plan.ts";

const forwards: Direction = { isForward: true, derive: forwardFormula };

/**
 * The tangents of the results of a formula; `like` are tensors with the shapes and dtypes of the results, and `results` gives those
 * where they are needed.
 */
export function formulaTangents(
  call: FormulaCall,
  like: readonly Tensor[],
  results: () => readonly Tensor[],
  tangentOf: (t: Tensor) => Tensor | null,
): Tensor[] {
  const { given } = call;
  const tangents = given.map((operand) => (operand instanceof Tensor ? tangentOf(operand) : null));
  const moving = tangents.reduce((bits, t, k) => (t === null ? bits : bits + 2 ** k), 0);
  const complex = [...given, ...like].some(isComplexTensor);
  const plans = plansFor(call, moving, complex, forwards);
  const read = ({ kind, index }: DerivativeSource): FormulaOperand => {
    if (kind === "tangent") return tangents[index] as Tensor;
    return kind === "result" ? results()[index] : (given[index] as FormulaOperand);
  };
  const found: (Tensor | undefined)[] = like.map(() => undefined);
  for (const { kernels, sources, targets } of plans)
    computeInOrder(kernels, sources.map(read)).forEach((made, k) => {
      const index = targets[k];
      const before = found[index];
      found[index] = before === undefined ? made : add(before, made);
    });
  return like.map((t, k) => fitted(found[k], t));
}

/** A tangent with the shape and dtype of its result; zeros where nothing passes. */
function fitted(tangent: Tensor | undefined, { dtype, shape }: Tensor): Tensor {
  if (tangent === undefined) return zeros(shape, { dtype });
  const part = isComplexTensor(tangent) && !isComplexDType(dtype) ? partView(tangent, "real") : tangent;
  return to(hasSizes(part, shape) ? part : expand(part, shape), dtype);
}

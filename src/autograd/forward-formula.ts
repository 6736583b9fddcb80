/** Tangents of formulas: the derived formula (`formula-node.ts`) over the tangents, operands and results that it reads, in one pass. */

import { add } from "../ops/elementwise/arithmetic.ts";
import { type DerivativeSource, forwardFormula } from "../ops/formula/derive.ts";
import { computeInOrder } from "../ops/formula-op.ts";
import type { FormulaOperand } from "../ops/formula-variant.ts";
import { isComplexDType } from "../storage/dtype.ts";
import { zeros } from "../tensor/create/create-ops.ts";
import type { FormulaCall } from "../tensor/dispatch/operator.ts";
import { hasSizes } from "../tensor/geometry.ts";
import { isComplexTensor } from "../tensor/operand.ts";
import { Tensor } from "../tensor/tensor.ts";
import { expand, partView, to } from "../tensor/views/view-ops.ts";
import { type Direction, plansFor } from "./formula-node.ts";

const forwards: Direction = { isForward: true, derive: forwardFormula };

/** The tangents of the results of a formula; `like` are tensors with the shapes and dtypes of the results, and `results` computes those. */
export function formulaTangents(
  call: FormulaCall,
  like: readonly Tensor[],
  results: () => readonly Tensor[],
  tangentOf: (t: Tensor) => Tensor | null,
): Tensor[] {
  const { operands } = call;
  const tangents = operands.map((operand) => (operand instanceof Tensor ? tangentOf(operand) : null));
  const moving = tangents.reduce((bits, t, k) => (t === null ? bits : bits + 2 ** k), 0);
  const complex = [...operands, ...like].some(isComplexTensor);
  const plans = plansFor(call, moving, complex, forwards);
  const read = ({ kind, index }: DerivativeSource): FormulaOperand => {
    if (kind === "tangent") return tangents[index] as Tensor;
    return kind === "result" ? results()[index] : (operands[index] as FormulaOperand);
  };
  const sums: (Tensor | undefined)[] = like.map(() => undefined);
  for (const { kernels, sources, targets } of plans)
    computeInOrder(kernels, sources.map(read)).forEach((term, k) => {
      const target = targets[k];
      const before = sums[target];
      sums[target] = before === undefined ? term : add(before, term);
    });
  return like.map((t, k) => fitted(sums[k], t));
}

/** A tangent with the shape and dtype of its result; zeros if the derivative is 0. */
function fitted(tangent: Tensor | undefined, { dtype, shape }: Tensor): Tensor {
  if (tangent === undefined) return zeros(shape, { dtype });
  const part = isComplexTensor(tangent) && !isComplexDType(dtype) ? partView(tangent, "real") : tangent;
  return to(hasSizes(part, shape) ? part : expand(part, shape), dtype);
}

/**
 * The op that unpacks LU factors, and the shapes of the three factors.
 */
import type { Tensor } from "../../tensor/tensor.ts";
import { add } from "../elementwise/arithmetic.ts";
import * as lus from "../linalg-core/lu.ts";
import { tril, triu } from "../movement/diagonals.ts";
import { pad } from "../movement/pad.ts";
import type { Result } from "../op.ts";
import type { GivesSome, OutOf } from "./linalg-types.ts";
import { type MatrixGradient, matrixOp } from "./matrix-op.ts";
import { checkPivots, matrixSizes } from "./matrix-rules.ts";

/** Returns the results P, L and U. */
export function luShapes({ dtype }: Tensor, rows: number, cols: number): readonly Result[] {
  const k = Math.min(rows, cols);
  return [
    { dtype, shape: [rows, rows] },
    { dtype, shape: [rows, k] },
    { dtype, shape: [k, cols] },
  ];
}

/** Packs the gradients of L and U into the gradient of the packed factors. */
export function packed(gL: Tensor, gU: Tensor, rows: number, cols: number): Tensor {
  const k = Math.min(rows, cols);
  return add(pad(tril(gL, -1), [0, cols - k]), pad(triu(gU), [0, 0, 0, rows - k]));
}

interface Packed {
  readonly LU: Tensor;
  readonly pivots: Tensor;
}
const unpackGradient: MatrixGradient<Packed> = ({ LU }, call) => {
  call.stop(0);
  const [rows, cols] = matrixSizes("luUnpack", LU);
  return ([, gL, gU]) => ({ LU: packed(gL, gU, rows, cols) });
};

type LuParts = { P: "same"; L: "same"; U: "same" };
/** Returns the factors P, L and U from the packed factors and pivots of luFactor. */
export const luUnpack: GivesSome<LuParts, [pivots: Tensor, options?: OutOf<LuParts>]> = /* @__PURE__ */ matrixOp(
  "luUnpack(LU, pivots)",
  ({ LU, pivots }: Packed, who) => {
    const [rows, cols] = matrixSizes(who, LU, "LU");
    checkPivots(who, LU, pivots);
    return {
      inputs: [LU, pivots],
      axes: [2, 1],
      results: luShapes(LU, rows, cols),
      run([packed, steps]) {
        const { p, l, u } = lus.luUnpack(packed, steps.re);
        return [p, l, u];
      },
    };
  },
  ["P", "L", "U"],
  unpackGradient,
  { batch: "vectors" },
);

/**
 * Linear algebra, the namespace `linalg`.
 */
export { multiDot } from "../contract/einsum.ts";
export { cond, det, matrixRank, slogdet } from "./determinants.ts";
export { LinAlgError } from "./error.ts";
export {
  cholesky,
  choleskyEx,
  householderProduct,
  ldlFactor,
  ldlFactorEx,
  lu,
  luFactor,
  luFactorEx,
  qr,
} from "./factors.ts";
export { type MatrixOrder, matrixNorm, norm, vectorNorm } from "./norms.ts";
export { matrixExp, matrixPower, tensorinv, tensorsolve } from "./powers.ts";
export { eig, eigh, eigvals, eigvalsh, svd, svdvals } from "./spectra.ts";
export { inv, invEx, ldlSolve, lstsq, luSolve, pinv, solve, solveEx, solveTriangular } from "./systems.ts";
export { cross, diagonal, vander, vecdot } from "./vectors.ts";

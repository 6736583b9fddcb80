/**
 * Errors of numerical routines: matrices without a result. Mistakes in shapes and dtypes are other errors.
 */
import { StridewiseError } from "../../base/errors.ts";

/** Thrown for a matrix without a result: singular, not positive-definite, or an iteration that did not converge. */
export class LinAlgError extends StridewiseError {
  override readonly name = "LinAlgError";
}

const sentences = {
  inverse: (info: number) => `The diagonal element ${info} is zero: the input is singular.`,
  solve: () => "The solver failed because the input matrix is singular.",
  definite: (info: number) => `The input is not positive-definite (the leading minor of order ${info} is not).`,
  pivot: (info: number) =>
    `U[${info},${info}] is zero, and luSolve would divide by it. To factorize anyway, use linalg.lu(A) or linalg.luFactorEx(A)`,
  rank: (info: number) => `The input does not have full rank (error code: ${info}).`,
  values: (info: number) =>
    info < 0
      ? "The algorithm failed to converge because the input has non-finite values."
      : `The algorithm failed to converge because the input is ill-conditioned or has too many repeated values (error code: ${info}).`,
} as const;

/** Throws if the `info` of a routine is not 0; `prefix` names the matrix in a batch. */
export function checkInfo(who: string, prefix: string, rule: keyof typeof sentences, info: number): void {
  if (info !== 0) throw new LinAlgError(`${who}: ${prefix}${sentences[rule](info)}`);
}

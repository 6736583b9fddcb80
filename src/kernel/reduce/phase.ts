/**
 * One phase of a reduction as statements. Every total starts with the identity. In every round of the outer modes the innermost mode is
 * combined segment by segment, each in its own vector loop, and the results are combined with the totals. So the order of the combinations
 * depends on the sizes only.
 */
import { constant, type Expr } from "../../expr/expr.ts";
import type { Statement } from "../ir/kernel.ts";
import { cast, namedScalar, type Scalar } from "../ir/scalar.ts";
import { accumulate, accumulator, loop } from "../ir/statements.ts";
import { loopSymbol } from "../ir/symbols.ts";
import { type Accumulation, segmentLength } from "./spec.ts";

/** Vectors that are combined in parallel, because each combination waits for the one before. */
const chains = 4;

interface PhaseLoops {
  readonly accumulators: readonly Accumulation[];
  /** The terms at element `i` of the innermost mode, one for each accumulator. */
  readonly terms: readonly Scalar[];
  /** The suffix of all names. */
  readonly end: string;
  /** The size of the innermost mode. */
  readonly n: Expr;
  readonly lanes: number;
  /** Further statements for each element. */
  readonly more?: readonly Statement[];
  /** Runs statements in every round of the outer modes. */
  eachRound(body: Statement[]): Statement;
}

/** Returns the statements of a phase, and its totals. */
export function phaseLoops(phase: PhaseLoops): [Statement[], Scalar[]] {
  const { accumulators, terms, end, n } = phase;
  const start = loopSymbol(`c${end}`).mul(segmentLength);
  const numberOf = (k: number): string => `${accumulators.length === 1 ? "" : k}${end}`;
  const [partOf, totalOf] = [(k: number) => `part${numberOf(k)}`, (k: number) => `total${numberOf(k)}`];
  const combined = accumulators.map(({ fn }, k) => accumulate(partOf(k), fn, terms[k]));
  const segments = [
    ...accumulators.map(({ fn }, k) => accumulator(partOf(k), fn, terms[k].dtype)),
    loop(
      "vector",
      `i${end}`,
      start,
      n.min(start.add(segmentLength)),
      [...combined, ...(phase.more ?? [])],
      phase.lanes * chains,
    ),
    ...accumulators.map(({ fn, total }, k) =>
      accumulate(totalOf(k), fn, cast(total, namedScalar(terms[k].dtype, partOf(k)))),
    ),
  ];
  const statements = [
    ...accumulators.map(({ fn, total }, k) => accumulator(totalOf(k), fn, total)),
    phase.eachRound([loop("serial", `c${end}`, constant(0), n.ceilDiv(segmentLength), segments)]),
  ];
  return [statements, accumulators.map(({ total }, k) => namedScalar(total, totalOf(k)))];
}

/**
 * One phase of a reduction as statements: every total begins with the identity, and in every round of the outer modes the innermost mode
 * is combined stretch by stretch, each in a vector loop of its own, whose parts go to the totals. So the order of the combinations
 * depends on nothing but the sizes.
 */
import { constant, type Expr } from "../../expr/expr.ts";
import type { DType } from "../../storage/dtype.ts";
import { identityOf } from "../ir/identity.ts";
import type { Statement } from "../ir/kernel.ts";
import { loop } from "../ir/loop.ts";
import { cast, constantScalar, namedScalar, type Scalar } from "../ir/scalar.ts";
import { loopSymbol } from "../ir/symbols.ts";
import { type Accumulation, stretch } from "./spec.ts";

/** Vectors that are combined side by side, because each combination waits for the one before. */
const chains = 4;

export interface PhaseLoops {
  readonly accumulators: readonly Accumulation[];
  /** The terms at element `i` of the innermost mode: one for each accumulator. */
  readonly terms: readonly Scalar[];
  /** What the names end with. */
  readonly end: string;
  /** The size of the innermost mode. */
  readonly n: Expr;
  readonly lanes: number;
  /** What else is done with each element. */
  readonly more?: readonly Statement[];
  /** Does statements in every round of the outer modes. */
  eachRound(body: Statement[]): Statement;
}

/** The statements of a phase, and its totals. */
export function phaseLoops(phase: PhaseLoops): [Statement[], Scalar[]] {
  const { accumulators, terms, end, n } = phase;
  const start = loopSymbol(`c${end}`).mul(stretch);
  const numberOf = (k: number): string => `${accumulators.length === 1 ? "" : k}${end}`;
  const each = (make: (k: number, accumulation: Accumulation, term: Scalar) => Statement): Statement[] =>
    accumulators.map((accumulation, k) => make(k, accumulation, terms[k]));
  const begin = (name: string, { fn }: Accumulation, dtype: DType): Statement => ({
    kind: "accumulator",
    name,
    initial: constantScalar(dtype, identityOf(fn, dtype)),
  });
  const combine = (into: string, { fn }: Accumulation, value: Scalar): Statement => ({
    kind: "accumulate",
    into,
    fn,
    value,
  });
  const inLoop = each((k, accumulation, term) => combine(`part${numberOf(k)}`, accumulation, term));
  const stretches = [
    ...each((k, accumulation, { dtype }) => begin(`part${numberOf(k)}`, accumulation, dtype)),
    loop(
      "vector",
      `i${end}`,
      start,
      n.min(start.add(stretch)),
      [...inLoop, ...(phase.more ?? [])],
      phase.lanes * chains,
    ),
    ...each((k, accumulation, { dtype }) => {
      const part = namedScalar(dtype, `part${numberOf(k)}`);
      return combine(`total${numberOf(k)}`, accumulation, cast(accumulation.total, part));
    }),
  ];
  const statements = [
    ...each((k, accumulation) => begin(`total${numberOf(k)}`, accumulation, accumulation.total)),
    phase.eachRound([loop("serial", `c${end}`, constant(0), n.ceilDiv(stretch), stretches)]),
  ];
  return [statements, accumulators.map(({ total }, k) => namedScalar(total, `total${numberOf(k)}`))];
}

/**
 * Where gradients differ from PyTorch's on purpose: for which records, and why. The runner counts these apart and prints the reasons.
 */
import type { Verdict } from "./judge.ts";
import type { Fields } from "./records.ts";

interface GradientDifference {
  readonly reason: string;
  /** `ours` is what differs, or the refusal. */
  readonly applies: (fields: Fields, ours: string) => boolean;
}

const nameOf = ({ op, name }: Fields): string => String(op ?? name);

/** True if a difference of elements is no larger than this, relative to the recorded one. */
function isWithin(ours: string, tolerance: number): boolean {
  const [, x, y] = /element \d+ is (\S+), recorded (\S+)$/.exec(ours) ?? [];
  return Math.abs(Number(x) - Number(y)) <= tolerance * Math.abs(Number(y));
}

const differences: readonly GradientDifference[] = [
  {
    reason: "PyTorch's hardsigmoid has a slope of 1/6 in float32, including for float64",
    applies: (fields, ours) => /hardsigmoid$/.test(nameOf(fields)) && isWithin(ours, 2 ** -24),
  },
  {
    reason: "a gradient that is zero everywhere may be none, and none may be zeros",
    applies: (_fields, ours) => /: (none, recorded zeros|zeros, recorded none)$/.test(ours),
  },
  {
    reason: "what as_strided_scatter writes over has no gradient; PyTorch gives it one, against differences",
    applies: ({ op }, ours) =>
      op === "as_strided_scatter" && /gradient of tensor 0: element \d+ is 0, recorded/.test(ours),
  },
  {
    reason: "kl_div at a target of 0: PyTorch's derivative of t * log(t) is 0/0 there, ours leaves that part out",
    applies: (fields, ours) => nameOf(fields) === "nn.kl_div" && /gradient of t: .*recorded NaN$/.test(ours),
  },
  {
    reason:
      "the tangent of fmax where both are equal is that of the first, as its gradient is; PyTorch's is that of the second",
    applies: (fields, ours) => nameOf(fields) === "binary.fmax.ties" && /^tangent: element 0 is/.test(ours),
  },
  {
    reason: "PyTorch has no tangent of scatter_reduce with a product",
    applies: (fields, ours) => nameOf(fields) === "scatter_reduce.prod" && /^tangent: .*recorded none$/.test(ours),
  },
];

/** The known difference that a record shows, if any. */
export function knownGradientDifference(fields: Fields, ours: string): Verdict | undefined {
  const found = differences.find(({ applies }) => applies(fields, ours));
  return found && { kind: "passed", way: "known difference", reason: found.reason };
}

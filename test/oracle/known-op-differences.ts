/**
 * Where ops differ from PyTorch's on purpose: for which records, and why. The runner counts these apart and prints the reasons.
 */
import type { Verdict } from "./judge.ts";
import type { Fields } from "./records.ts";
import type { Json } from "./values.ts";

interface OpDifference {
  readonly reason: string;
  /** `ours` is what differs, or the refusal; null if ours is a result where PyTorch refuses. */
  readonly applies: (fields: Fields, ours: string | null) => boolean;
}

const messageOf = ({ error }: Fields): string => (error as { readonly msg?: string } | undefined)?.msg ?? "";

const tensorsIn = (json: Json | undefined): { readonly dtype: string; readonly shape: readonly number[] }[] => {
  if (typeof json !== "object" || json === null) return [];
  if (Array.isArray(json)) return json.flatMap(tensorsIn);
  const { $t, ...rest } = json as Readonly<Record<string, Json>>;
  return $t !== undefined ? [$t as never] : Object.values(rest).flatMap(tensorsIn);
};

/** True if a difference of elements is no larger than this. */
function isWithin(ours: string | null, tolerance: number): boolean {
  const [, x, y] = /element \d+ is (\S+), recorded (\S+)$/.exec(ours ?? "") ?? [];
  return Math.abs(Number(x) - Number(y)) <= tolerance;
}

/** Rows for refusals of PyTorch's where ours has a result. */
const wider = (reason: string, message: RegExp, isMeant: (fields: Fields) => boolean = () => true): OpDifference => ({
  reason,
  applies: (fields, ours) => ours === null && message.test(messageOf(fields)) && isMeant(fields),
});

const differences: readonly OpDifference[] = [
  wider(
    "a number is an operand wherever a tensor is one",
    /must be Tensor, not (int|float|bool|complex)|got \((int, Tensor|Tensor, int)|'int' object|combination.*got \(int/,
  ),
  wider("an index may be int32, as positions are", /Expected dtype int64 for index/, ({ args }) =>
    tensorsIn(args).some(({ dtype }) => dtype === "int32"),
  ),
  wider("a whole number is an integer, 1.0 too", /got \(int, int, float\)/),
  wider(
    "ops are defined on more dtypes than PyTorch has kernels for",
    /not implemented for '\w+'|nansum does not support complex/,
  ),
  wider("an integer divided by 0 gives 0, and nothing is thrown: kernels do not stop halfway", /^ZeroDivisionError$/),
  wider("tensors have as many axes as one likes, PyTorch's at most 64", /up to 64 dims/, ({ input }) =>
    tensorsIn(input).some(({ shape }) => shape.length > 64),
  ),
  wider(
    "out may have any dtype that the result can be cast to",
    /Expected (object|out tensor)|dtype/,
    ({ kwargs }) => (kwargs as Readonly<Record<string, Json>> | undefined)?.out !== undefined,
  ),
  {
    reason: "PyTorch's Bessel and Airy functions are right to 8 digits in places, ours to 12",
    applies: ({ op }, ours) => /bessel|airy/.test(String(op)) && isWithin(ours, 1e-7),
  },
  {
    reason: "PyTorch's approximation by few columns draws random ones, and is right to some digits",
    applies: ({ op }, ours) => op === "svd_lowrank" && isWithin(ours, 1e-4),
  },
  {
    reason: "i0 of an infinite number is infinite, and NaN in PyTorch's float32",
    applies: ({ name }, ours) => name === "unary32.special.i0" && ours === "element 1 is Infinity, recorded NaN",
  },
  {
    reason:
      "a number takes the dtype of the tensor it meets, and one with a fraction is refused where that is an integer",
    applies: ({ out }, ours) =>
      ours !== null &&
      tensorsIn(out).every(({ dtype }) => /int/.test(dtype)) &&
      /is computed as u?int\d+, the dtype of the tensors/.test(ours),
  },
];

/** The known difference that a record shows, if any. */
export function knownOpDifference(fields: Fields, ours: string | null): Verdict | undefined {
  const found = differences.find(({ applies }) => applies(fields, ours));
  return found && { kind: "passed", way: "known difference", reason: found.reason };
}

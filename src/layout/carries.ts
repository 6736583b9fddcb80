/**
 * Whether the leaves of B may be composed one by one: A(x + y) = A(x) + A(y) for the values x, y of different leaves.
 *
 * For leaves that walked evenly this is so exactly when, in every mode of A, their largest digits add up to less than its
 * size: a sum that reaches size s of mode t carries 1 into mode t+1, and e(t+1) - s*e(t) is not 0, or the modes had
 * merged. Otherwise the definition itself is checked at every coordinate of B.
 */
import type { Mode } from "./coalesce.ts";
import type { Leaf, LeafResult } from "./compose-leaf.ts";
import { encodeModes, offsetOfIndex } from "./encode.ts";
import { add, type Int, int, isOne, isZero, lessEqualInt, signOf, valueOf } from "./int.ts";
import { refuse, type Trace } from "./trace.ts";

/** Refuses if the sum of two leaves is not composed as the sum of their compositions. */
export function checkCarries(
  modes: readonly Mode[],
  leaves: readonly Leaf[],
  results: readonly LeafResult[],
  trace?: Trace,
): void {
  if (modes.length === 1 || leaves.length < 2) return;
  let moving = 0;
  let sign = 0;
  let needsSums = false;
  for (let i = 0; i < leaves.length; i++) {
    const { size, stride } = leaves[i] as Leaf;
    if (isZero(stride) || isOne(size)) continue;
    needsSums ||= (results[i] as LeafResult).digits === undefined || (moving > 0 && signOf(stride) !== sign);
    sign = signOf(stride);
    moving++;
  }
  if (moving < 2) return;
  if (needsSums) checkSums(modes, leaves, trace);
  else for (let t = 0; t < modes.length - 1; t++) checkDigits(modes[t] as Mode, t, results, trace);
}

function checkDigits({ size }: Mode, t: number, results: readonly LeafResult[], trace?: Trace): void {
  let total: Int = int(0);
  let count = 0;
  for (const { digits } of results) {
    const digit = digits?.[t];
    if (digit === undefined || isZero(digit)) continue;
    total = add(total, digit);
    count++;
  }
  if (count < 2) return;
  const fits = lessEqualInt(add(total, int(1)), size);
  if (fits && !trace) return;
  const parts = results.flatMap(({ digits }) => digits?.[t] ?? []);
  if (fits) {
    trace?.note("no carry", { mode: t, size, digits: parts, total });
    return;
  }
  throw refuse(
    "composition",
    fits === false ? "carry" : "missing fact",
    { mode: t, size, total },
    `the modes of B together reach ${parts.join(" + ")} = ${total} in mode ${t} of A${fits === false ? `, which has size ${size}: ${verdict}` : `; it must be known that ${total} < ${size}`}`,
  );
}

/** Compares A(sum) with the sum of A over every coordinate of B: the definition. */
function checkSums(modes: readonly Mode[], leaves: readonly Leaf[], trace?: Trace): void {
  const encoding = encodeModes(modes, "composition");
  const sizes = leaves.map((leaf) => valueOf(leaf.size, "composition"));
  const strides = leaves.map((leaf) => valueOf(leaf.stride, "composition"));
  const count = sizes.reduce((a, b) => a * b);
  for (let i = 1; i < count; i++) {
    let rest = i;
    let index = 0;
    let apart = 0;
    for (const [k, size] of sizes.entries()) {
      const step = (rest % size) * (strides[k] as number);
      rest = Math.floor(rest / size);
      index += step;
      apart += offsetOfIndex(encoding, step);
    }
    const together = offsetOfIndex(encoding, index);
    if (together !== apart)
      throw refuse(
        "composition",
        "carry",
        { coordinate: i },
        `at coordinate ${i} of B, A(${index}) = ${together}, but mode by mode it is ${apart}: ${verdict}`,
      );
  }
  trace?.note("no carry anywhere", {});
}

const verdict = "the sum carries, so no layout of B's shape follows it";

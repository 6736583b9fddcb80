/**
 * One leaf n:d of a right-hand side B, composed with the open modes of A.
 *
 * The leaf steps through the modes s0:e0, s1:e1, ... as a number through the digits of a mixed radix. A mode is stepped over
 * (s divides d), filled (d divides s, and s/d divides the rest of n), or contains all remaining steps.
 * If none of these holds, the offsets A(0), A(d), A(2d), ... themselves decide whether a layout exists.
 *
 * The leaves of B may be composed one by one only if they do not carry: A(x + y) = A(x) + A(y) for values x, y of different leaves.
 * For leaves that stepped evenly this holds if and only if, in every mode of A, their largest digits add up to less than its
 * size: a sum that reaches size s of mode t carries 1 into mode t+1, and e(t+1) - s*e(t) is not 0, or the modes would have
 * merged. For other leaves the definition is checked at every coordinate of B.
 */
import type { LayoutError } from "../../base/errors.ts";
import { basisLike, type ScaledBasis, type StrideLeaf, scale } from "../basis.ts";
import { formatLayout } from "../format.ts";
import {
  _1,
  absInt,
  add,
  ceilDivInt,
  div,
  dividesInt,
  type Int,
  int,
  isOne,
  isStaticInt,
  isZero,
  knownValue,
  lessEqualInt,
  mul,
  signOf,
  sub,
  unproved,
  valueOf,
} from "../int.ts";
import type { Layout } from "../layout.ts";
import { offsetAt } from "../queries.ts";
import { refuse, type Trace } from "../trace.ts";
import { isTuple, leaves } from "../tuple.ts";
import type { Mode } from "./coalesce.ts";
import { areNumbers, encodeModes, fitLayout, isMisfit } from "./encode.ts";

/** The leaf of B with this number, counted from the left. A and B are for error messages. */
export interface Leaf {
  readonly a: Layout;
  readonly b: Layout;
  readonly index: number;
  readonly size: Int;
  readonly stride: Int;
}

/** The modes of the result, and the largest digit that the leaf reaches in each mode of A. */
export interface LeafResult {
  readonly modes: readonly Mode[];
  /** Undefined if the steps were uneven and the offsets decided. */
  readonly digits: readonly (Int | undefined)[] | undefined;
}

/** The reason why steps are uneven. */
interface Obstacle {
  readonly rule: string;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Composes the leaf with the modes; throws if no layout has the offsets. */
export function composeLeaf(modes: readonly Mode[], leaf: Leaf, trace?: Trace): LeafResult {
  const { size, stride } = leaf;
  if (isZero(stride)) return { modes: [{ size, stride }], digits: [] };
  if (modes.length === 1) return { modes: [{ size, stride: scale(stride, modes[0].stride) }], digits: [] };
  const walked = walk(modes, leaf, trace);
  return "rule" in walked ? followOffsets(modes, leaf, walked, trace) : walked;
}

function walk(modes: readonly Mode[], leaf: Leaf, trace?: Trace): LeafResult | Obstacle {
  if (lessEqualInt(0, leaf.stride) === undefined)
    return {
      rule: "missing fact",
      data: { stride: leaf.stride },
      text: unproved(`${leaf.stride} >= 0`),
    };
  const result: Mode[] = [];
  const digits: (Int | undefined)[] = [];
  let rest: Int = leaf.size;
  let step: Int = absInt(leaf.stride);
  const isDown = signOf(leaf.stride) < 0;
  const take = (size: Int, stride: StrideLeaf): void => {
    result.push({ size, stride: scale(isDown ? mul(int(-1), step) : step, stride) });
  };
  for (let t = 0; t < modes.length - 1; t++) {
    const { size, stride } = modes[t];
    digits.push(undefined);
    if (isOne(rest)) {
      step = ceilDivInt(step, size);
      continue;
    }
    if (dividesInt(size, step)) {
      const next = div(step, size);
      trace?.note("step over", t, size, step, next);
      step = next;
      continue;
    }
    const count = ceilDivInt(size, step);
    if (dividesInt(step, size) && dividesInt(count, rest)) {
      const next = div(rest, count);
      trace?.note("fill", t, size, step, count, next);
      take(count, stride);
      digits[t] = mul(sub(count, _1), step);
      rest = next;
    } else if (lessEqualInt(rest, count) && lessEqualInt(step, size)) {
      trace?.note("stay inside", t, size, step, rest);
      take(rest, stride);
      digits[t] = mul(sub(rest, _1), step);
      rest = _1;
    } else return obstacle(t, size, step, rest, count, leaf);
    step = _1;
  }
  if (result.length === 0 || !isOne(rest)) {
    trace?.note("last mode", step, rest);
    take(rest, modes[modes.length - 1].stride);
  }
  return { modes: result, digits };
}

/** "mode 1,0" of a nested shape, "the mode" of an integer. */
export const leafName = ({ b: { shape }, index }: Leaf): string =>
  isTuple(shape) ? `mode ${leaves<ScaledBasis>(basisLike(shape))[index].path}` : "the mode";

function obstacle(mode: number, size: Int, step: Int, rest: Int, count: Int, leaf: Leaf): Obstacle {
  const data: Record<string, unknown> = { leaf: leafName(leaf), mode, size, step, rest };
  const of = (rule: string, text: string): Obstacle => ({
    rule,
    data,
    text: `${data["leaf"]} of B (${leaf.size}:${leaf.stride}) at mode ${mode} of A (size ${size}): ${text}`,
  });
  if ([size, step, rest].some((x) => knownValue(x) === undefined)) {
    const facts = isOne(step)
      ? [`${rest} % ${size} = 0`, `${rest} <= ${size}`]
      : [`${step} % ${size} = 0`, `${size} % ${step} = 0 and ${rest} % ${count} = 0`, `${rest} <= ${count}`];
    data["facts"] = facts;
    return of("missing fact", unproved(facts.join(", or ")));
  }
  return dividesInt(step, size)
    ? of("shape divisibility", `${count} steps of ${step} fill the mode, and ${rest} is not a multiple of ${count}`)
    : of(
        "stride divisibility",
        `neither of step ${step} and size ${size} divides the other, and ${rest} steps leave the mode`,
      );
}

/** Returns the error of a composition that does not exist. Its text shows A and B, because a divide or product computes them. */
const refuseLeaf = ({ a, b }: Leaf, rule: string, data: Record<string, unknown>, text: string): LayoutError =>
  refuse("composition", rule, data, `with A = ${formatLayout(a)} and B = ${formatLayout(b)}, ${text}`);

/** Returns the layout of the offsets of uneven steps; throws if there is none. */
function followOffsets(modes: readonly Mode[], leaf: Leaf, obstacle: Obstacle, trace?: Trace): LeafResult {
  if (!areNumbers([...modes, leaf])) throw refuseLeaf(leaf, obstacle.rule, obstacle.data, obstacle.text);
  const size = valueOf(leaf.size);
  const stride = valueOf(leaf.stride);
  const encoding = encodeModes(modes);
  trace?.note("uneven", obstacle.text);
  const linearCount = Math.ceil(encoding.shape[0] / Math.abs(stride));
  const fit = fitLayout(size, (i) => offsetAt(encoding, i * stride), linearCount);
  if (isMisfit(fit))
    throw refuseLeaf(
      leaf,
      obstacle.rule,
      { ...obstacle.data, ...fit },
      `${obstacle.text}. No layout fits: ${fit.text}`,
    );
  const allStatic = isStaticInt(leaf.size) && isStaticInt(leaf.stride) && encoding.allStatic;
  const toInt = (n: number): Int => (allStatic ? int(n) : n);
  trace?.note("fit", fit.sizes, fit.strides);
  const result = fit.sizes.map((s, i) => ({
    size: toInt(s),
    stride: encoding.decode(fit.strides[i], toInt),
  }));
  return { modes: result, digits: undefined };
}

/** Throws if A of a sum of two leaves is not the sum of their compositions. */
export function checkCarries(
  modes: readonly Mode[],
  leaves: readonly Leaf[],
  results: readonly LeafResult[],
  trace?: Trace,
): void {
  if (modes.length === 1) return;
  let moving = 0;
  let sign = 0;
  let needsSums = false;
  for (const [k, { size, stride }] of leaves.entries()) {
    if (isZero(stride) || isOne(size)) continue;
    needsSums ||= !results[k].digits || (moving > 0 && signOf(stride) !== sign);
    sign = signOf(stride);
    moving++;
  }
  if (moving < 2) return;
  if (needsSums) checkSums(modes, leaves, trace);
  else for (let t = 0; t < modes.length - 1; t++) checkDigits(modes[t], t, leaves, results, trace);
}

function checkDigits(
  { size }: Mode,
  t: number,
  leaves: readonly Leaf[],
  results: readonly LeafResult[],
  trace?: Trace,
): void {
  const parts = results.flatMap(({ digits }) => digits?.[t] ?? []).filter((digit) => !isZero(digit));
  if (parts.length < 2) return;
  const total = parts.reduce(add);
  const fits = lessEqualInt(add(total, _1), size);
  if (fits) trace?.note("no carry", t, size, parts, total);
  else
    throw refuseLeaf(
      leaves[0],
      fits === false ? "carry" : "missing fact",
      { mode: t, size, total },
      `the modes of B reach ${parts.join(" + ")} = ${total} in mode ${t} of A (size ${size}): ${fits === false ? verdict : unproved(`${total} < ${size}`)}`,
    );
}

/** Compares A(sum) with the sum of A over every coordinate of B: the definition. */
function checkSums(modes: readonly Mode[], leaves: readonly Leaf[], trace?: Trace): void {
  const encoding = encodeModes(modes);
  const sizes = leaves.map((leaf) => valueOf(leaf.size));
  const strides = leaves.map((leaf) => valueOf(leaf.stride));
  const count = sizes.reduce((a, b) => a * b);
  for (let i = 1; i < count; i++) {
    let rest = i;
    let index = 0;
    let separateOffset = 0;
    sizes.forEach((size, k) => {
      const step = (rest % size) * strides[k];
      rest = Math.floor(rest / size);
      index += step;
      separateOffset += offsetAt(encoding, step);
    });
    const combinedOffset = offsetAt(encoding, index);
    if (combinedOffset !== separateOffset)
      throw refuseLeaf(
        leaves[0],
        "carry",
        { coordinate: i },
        `at coordinate ${i} of B, A(${index}) = ${combinedOffset}, but mode by mode it is ${separateOffset}: ${verdict}`,
      );
  }
  trace?.note("no carry anywhere");
}

const verdict = "the sum carries, so no layout exists";

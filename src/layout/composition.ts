/**
 * Composition: the layout that reads A through B.
 *
 * Promise: compatible(B, R), and R(c) = A(B(c)) for every coordinate c of B, where A goes on counting in its last mode
 * beyond its domain. Refused exactly when no such layout exists.
 *
 * How: A is brought to modes s0:e0, s1:e1, ... that no longer merge. Each leaf n:d of B walks over them like a number
 * over the digits of a mixed radix. Where the walk comes out even the answer is immediate; where it does not, the
 * offsets themselves decide (fit.ts). Leaves of B may be answered one by one only if their digits never carry.
 */
import { ShapeError } from "../base/errors.ts";
import { isBasis, type StrideLeaf, type StrideTuple, scale } from "./basis.ts";
import { type Mode, openModes } from "./coalesce.ts";
import { isUnderscore } from "./coord.ts";
import { encodeModes, offsetOfIndex } from "./encode.ts";
import { fitLayout, isMisfit } from "./fit.ts";
import { formatLayout, formatTuple } from "./format.ts";
import {
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
  valueOf,
} from "./int.ts";
import {
  type AnyLayout,
  isComposed,
  isLayout,
  type Layout,
  makeComposedLayout,
  modeOf,
  rank,
  rawLayout,
  sizeInt,
} from "./layout.ts";
import { applySwizzle, isSwizzle, type Swizzle, swizzleFromMasks, swizzleMasks } from "./swizzle.ts";
import { isTilerTuple, type Tiler } from "./tiler.ts";
import { note, refuse, type Trace, within } from "./trace.ts";
import { type IntTuple, isTuple, type Nested } from "./tuple.ts";

/** A leaf of B composed with A: its modes, and the largest digit it reaches in each mode of A. */
interface LeafResult {
  readonly modes: readonly Mode[];
  /** Undefined when the walk was uneven and the offsets decided. */
  readonly digits: readonly Int[] | undefined;
}

interface Leaf {
  readonly path: string;
  readonly size: Int;
  readonly stride: Int;
}

/** The modes of A that one part of B's codomain addresses, and the leaves of B that go there. */
interface Target {
  readonly modes: readonly Mode[];
  readonly leaves: Leaf[];
  readonly results: LeafResult[];
}

/** A composed with B: a layout, a by-mode tiler, an integer n (meaning n:1) or `_`. */
export function composition(a: Layout, b: Tiler, trace?: Trace): Layout;
export function composition(a: AnyLayout | Swizzle, b: Tiler | AnyLayout, trace?: Trace): AnyLayout;
export function composition(a: AnyLayout | Swizzle, b: Tiler | AnyLayout, trace?: Trace): AnyLayout {
  if (isSwizzle(a)) return composeSwizzle(a, b);
  if (isComposed(a)) return makeComposedLayout(a.outer, a.offset, composition(a.inner, b as Tiler, trace));
  if (isComposed(b)) return throughComposed(a, b, trace);
  if (isUnderscore(b) || b === null) return a;
  if (isTilerTuple(b)) {
    if (b.length > rank(a))
      throw new ShapeError(
        `composition: a tiler of ${b.length} modes for ${formatLayout(a)}, which has rank ${rank(a)}`,
      );
    const modes = Array.from({ length: rank(a) }, (_unused, i) => {
      const mode = modeOf(a, i);
      const tiler = b[i];
      if (tiler === undefined) return mode;
      note(trace, "by mode", { mode: i }, () => `mode ${i}: ${formatLayout(mode)} with ${describe(tiler)}`);
      return within(trace, () => composition(mode, tiler, trace));
    });
    return rawLayout(
      modes.map((mode) => mode.shape),
      modes.map((mode) => mode.stride),
    );
  }
  const right = isLayout(b) ? b : rawLayout(b as Int, int(1));
  return composeLayouts(a, right, trace);
}

const describe = (tiler: Tiler): string =>
  isLayout(tiler) ? formatLayout(tiler) : formatTuple(tiler as Nested<unknown>);

function composeSwizzle(a: Swizzle, b: Tiler | AnyLayout): AnyLayout {
  if (isLayout(b)) return makeComposedLayout(a, int(0), b);
  throw refuse(
    "composition",
    "swizzle",
    { a, b },
    `${a} composes with a plain layout only; compose the layout first, then the swizzle`,
  );
}

/** A o (S o 0 o L): the swizzle moves through A when A keeps its two bit fields apart. */
function throughComposed(a: Layout, b: Exclude<AnyLayout, Layout>, trace?: Trace): AnyLayout {
  if (!isZero(b.offset))
    throw refuse(
      "composition",
      "offset",
      { offset: b.offset },
      `the right side has offset ${b.offset}; only 0 can be moved through a layout`,
    );
  if (!isSwizzle(b.outer)) return composition(composition(a, b.outer, trace), b.inner, trace);
  return composition(composeWithSwizzle(a, b.outer), b.inner, trace);
}

/** A o S = S' o A, where S' has the images of the bits of S; checked, and refused where A does not keep the fields apart. */
export function composeWithSwizzle(a: Layout, sw: Swizzle): AnyLayout {
  const encoding = encodeModes(openModes(a), "composition");
  const at = (index: number): number => offsetOfIndex(encoding, index);
  const count = valueOf(sizeInt(a));
  // Bits that no index of A has set are never read: they would only widen the field.
  const { low } = swizzleMasks(sw);
  let bits = sw.bits;
  while (bits > 0 && low.y * 2 ** (bits - 1) >= count) bits--;
  const field = 2 ** bits - 1;
  const moved = swizzleFromMasks(at(low.y * field), at(low.z * field));
  for (let i = 0; i < count; i++)
    if (!moved || applySwizzle(moved, at(i)) !== at(applySwizzle(sw, i)))
      throw refuse(
        "composition",
        "swizzle",
        { layout: formatLayout(a), swizzle: String(sw), index: i },
        `${formatLayout(a)} after ${sw} is no swizzle over a layout: the layout spreads the fields of bits that ${sw} mixes`,
      );
  return makeComposedLayout(moved as Swizzle, int(0), a);
}

function composeLayouts(a: Layout, b: Layout, trace?: Trace): Layout {
  const targets = new Map<string, Target>();
  const targetOf = (stride: StrideLeaf): Target => {
    const path = isBasis(stride) ? stride.path : [];
    const key = path.join();
    let target = targets.get(key);
    if (!target) {
      const part = path.length === 0 ? a : modeOf(a, ...path);
      target = { modes: openModes(part), leaves: [], results: [] };
      note(trace, "coalesce", { part: formatLayout(part), modes: target.modes }, () => {
        const where = path.length === 0 ? "A" : `mode ${path.join(",")} of A`;
        return `${where} = ${formatLayout(part)}, coalesced: ${formatModes((target as Target).modes)}; its last mode is open`;
      });
      targets.set(key, target);
    }
    return target;
  };
  const walkB = (shape: IntTuple, stride: StrideTuple, path: string): Layout => {
    if (isTuple(shape)) {
      const parts = shape.map((mode, i) =>
        walkB(mode as IntTuple, (stride as readonly StrideTuple[])[i] as StrideTuple, path ? `${path},${i}` : `${i}`),
      );
      return rawLayout(
        parts.map((part) => part.shape),
        parts.map((part) => part.stride),
      );
    }
    const target = targetOf(stride as StrideLeaf);
    const leaf: Leaf = { path, size: shape as Int, stride: isBasis(stride) ? stride.value : (stride as Int) };
    note(
      trace,
      "leaf",
      { path, size: leaf.size, stride: leaf.stride },
      () => `${leafName(leaf)} of B: ${leaf.size} steps of ${leaf.stride}`,
    );
    const result = within(trace, () => composeLeaf(target.modes, leaf, trace));
    target.leaves.push(leaf);
    target.results.push(result);
    const modes = result.modes;
    return modes.length === 1
      ? rawLayout((modes[0] as Mode).size, (modes[0] as Mode).stride)
      : rawLayout(
          modes.map((mode) => mode.size),
          modes.map((mode) => mode.stride),
        );
  };
  const result = walkB(b.shape, b.stride, "");
  for (const target of targets.values()) checkCarries(target, trace);
  note(trace, "result", { result }, () => `A o B = ${formatLayout(result)}`);
  return result;
}

const leafName = (leaf: Leaf): string => (leaf.path === "" ? "the mode" : `mode ${leaf.path}`);
const formatModes = (modes: readonly Mode[]): string =>
  `(${modes.map((mode) => mode.size).join(",")}):(${modes.map((mode) => mode.stride).join(",")})`;

/** What stands in the way of an even walk. */
type Obstacle = {
  readonly rule: string;
  readonly text: string;
  readonly data: Record<string, unknown>;
  readonly missing?: boolean;
};

function composeLeaf(modes: readonly Mode[], leaf: Leaf, trace?: Trace): LeafResult {
  const { size, stride } = leaf;
  const last = modes[modes.length - 1] as Mode;
  if (isZero(stride)) return { modes: [{ size, stride }], digits: [] };
  if (isZero(size)) return { modes: [{ size, stride: int(0) }], digits: [] };
  if (modes.length === 1) return { modes: [{ size, stride: scale(stride, last.stride) }], digits: [] };
  const walked = walk(modes, leaf, trace);
  if (!("rule" in walked)) return walked;
  return fitLeaf(modes, leaf, walked, trace);
}

/** Walks n:d over the modes of A; the answer, or the first obstacle to an even walk. */
function walk(modes: readonly Mode[], leaf: Leaf, trace?: Trace): LeafResult | Obstacle {
  const sign = signOf(leaf.stride);
  const signed = (d: Int): Int => (sign < 0 ? mul(int(-1), d) : d);
  const result: Mode[] = [];
  const digits: Int[] = [];
  let rest: Int = leaf.size;
  let step: Int = absInt(leaf.stride);
  for (let t = 0; t < modes.length - 1; t++) {
    const { size, stride } = modes[t] as Mode;
    if (isOne(rest)) {
      step = ceilDivInt(step, size);
      continue;
    }
    if (dividesInt(size, step)) {
      note(
        trace,
        "step over",
        { mode: t, size, step },
        () =>
          `mode ${t} of A (size ${size}): the step ${step} is a multiple, so it is stepped over; step ${div(step, size)} remains`,
      );
      step = div(step, size);
      continue;
    }
    const room = ceilDivInt(size, step);
    const even = dividesInt(step, size);
    if (even && dividesInt(room, rest)) {
      note(
        trace,
        "fill",
        { mode: t, size, step, taken: room },
        () =>
          `mode ${t} of A (size ${size}): ${room} steps of ${step} fill it; ${div(rest, room)} steps remain in the next modes`,
      );
      result.push({ size: room, stride: scale(signed(step), stride) });
      digits[t] = mul(sub(room, int(1)), step);
      rest = div(rest, room);
      step = int(1);
    } else if (lessEqualInt(rest, room) && lessEqualInt(step, size)) {
      note(
        trace,
        "stay inside",
        { mode: t, size, step, taken: rest },
        () => `mode ${t} of A (size ${size}): all ${rest} steps of ${step} stay inside it`,
      );
      result.push({ size: rest, stride: scale(signed(step), stride) });
      digits[t] = mul(sub(rest, int(1)), step);
      rest = int(1);
      step = int(1);
    } else return obstacle(t, size, step, rest, room, leaf);
  }
  const last = modes[modes.length - 1] as Mode;
  if (result.length === 0 || !isOne(rest)) {
    note(
      trace,
      "last mode",
      { size: rest, step },
      () => `the last mode of A takes the remaining ${rest} steps of ${step}`,
    );
    result.push({ size: rest, stride: scale(signed(step), last.stride) });
  }
  return { modes: result, digits };
}

function obstacle(mode: number, size: Int, step: Int, rest: Int, room: Int, leaf: Leaf): Obstacle {
  const data = { leaf: leaf.path, mode, size, step, rest };
  const known = [size, step, rest].every((x) => knownValue(x) !== undefined);
  const where = `${leafName(leaf)} of B (${leaf.size}:${leaf.stride}) at mode ${mode} of A (size ${size})`;
  if (!known) {
    const facts = [
      `${step} % ${size} = 0`,
      `${size} % ${step} = 0 and ${rest} % (${size}/${step}) = 0`,
      `${rest} <= ${room}`,
    ];
    return {
      rule: "missing fact",
      data: { ...data, facts },
      missing: true,
      text: `${where}: one of these must be known: ${facts.join("; or ")}`,
    };
  }
  if (!dividesInt(step, size))
    return {
      rule: "stride divisibility",
      data,
      text: `${where}: a step of ${step} neither divides the size ${size} nor is a multiple of it, and ${rest} steps do not stay inside`,
    };
  return {
    rule: "shape divisibility",
    data,
    text: `${where}: ${room} steps of ${step} fill the mode, and ${rest} is not a multiple of ${room}`,
  };
}

/** The walk is uneven: the offsets A(0), A(d), A(2d), ... decide whether a layout can still follow them. */
function fitLeaf(modes: readonly Mode[], leaf: Leaf, met: Obstacle, trace?: Trace): LeafResult {
  const size = knownValue(leaf.size);
  const stride = knownValue(leaf.stride);
  const encoding = met.missing || size === undefined || stride === undefined ? undefined : encodeModes(modes);
  if (!encoding || size === undefined || stride === undefined)
    throw refuse("composition", met.rule, met.data, met.text);
  note(trace, met.rule, met.data, () => `${met.text}; the offsets themselves decide`);
  const fit = fitLayout(size, (i) => offsetOfIndex(encoding, i * stride));
  if (isMisfit(fit))
    throw refuse(
      "composition",
      met.rule,
      { ...met.data, index: fit.index, expected: fit.expected, found: fit.found },
      `${met.text}. No layout fits: ${fit.text}`,
    );
  const allStatic = isStaticInt(leaf.size) && isStaticInt(leaf.stride) && encoding.allStatic;
  const mark = (n: number): Int => (allStatic ? int(n) : n);
  note(
    trace,
    "fit",
    { sizes: fit.sizes, strides: fit.strides },
    () => `the offsets are those of (${fit.sizes.join(",")}):(${fit.strides.join(",")})`,
  );
  return {
    modes: fit.sizes.map((s, i) => ({ size: mark(s), stride: encoding.decode(fit.strides[i] as number, mark) })),
    digits: undefined,
  };
}

/**
 * R distributes over the leaves of B only if A(x + y) = A(x) + A(y) for the values x, y of different leaves.
 * For leaves that walked evenly this is so exactly when the sums of their digits stay below the sizes of A's modes:
 * a sum that reaches size s of mode t carries 1 into mode t+1, and e(t+1) - s*e(t) is not 0, or the modes had merged.
 */
function checkCarries(target: Target, trace?: Trace): void {
  const { modes, leaves, results } = target;
  const active = leaves
    .map((leaf, i) => ({ leaf, digits: (results[i] as LeafResult).digits }))
    .filter(({ leaf }) => !isZero(leaf.stride) && !isOne(leaf.size));
  if (modes.length === 1 || active.length < 2 || leaves.some((leaf) => isZero(leaf.size))) return;
  const signs = new Set(active.map(({ leaf }) => signOf(leaf.stride)));
  if (signs.size > 1 || active.some(({ digits }) => digits === undefined)) {
    checkSums(target, trace);
    return;
  }
  for (let t = 0; t < modes.length - 1; t++) {
    const parts = active.map(({ digits }) => digits?.[t] ?? int(0)).filter((digit) => !isZero(digit));
    if (parts.length < 2) continue;
    const total = parts.reduce(add);
    const size = (modes[t] as Mode).size;
    const fits = lessEqualInt(add(total, int(1)), size);
    const data = { mode: t, size, digits: parts, total };
    if (fits) {
      note(
        trace,
        "no carry",
        data,
        () =>
          `mode ${t} of A (size ${size}): the largest digits ${parts.join(" + ")} = ${total} stay below ${size}, so the modes of B do not disturb each other`,
      );
      continue;
    }
    if (fits === undefined)
      throw refuse(
        "composition",
        "missing fact",
        data,
        `the modes of B reach ${parts.join(" + ")} in mode ${t} of A; it must be known that ${total} < ${size}`,
      );
    throw refuse(
      "composition",
      "carry",
      data,
      `the modes of B together reach ${parts.join(" + ")} = ${total} in mode ${t} of A, which has size ${size}: the sum carries into mode ${t + 1}, so no layout of B's shape follows it`,
    );
  }
}

/** Compares A(sum) with the sum of A over every coordinate of B: the definition itself. */
function checkSums(target: Target, trace?: Trace): void {
  const encoding = encodeModes(target.modes, "composition");
  const sizes = target.leaves.map((leaf) => knownOr(leaf.size));
  const strides = target.leaves.map((leaf) => knownOr(leaf.stride));
  const digit = sizes.map(() => 0);
  for (;;) {
    let k = 0;
    while (k < digit.length && digit[k] === (sizes[k] as number) - 1) digit[k++] = 0;
    if (k === digit.length) break;
    (digit[k] as number)++;
    let index = 0;
    let apart = 0;
    digit.forEach((c, i) => {
      index += c * (strides[i] as number);
      apart += offsetOfIndex(encoding, c * (strides[i] as number));
    });
    const together = offsetOfIndex(encoding, index);
    if (together !== apart)
      throw refuse(
        "composition",
        "carry",
        { coordinate: [...digit], index, together, apart },
        `at coordinate (${digit.join(",")}) of B, A(${index}) is ${together}, but its modes one by one add up to ${apart}: the sum carries, so no layout of B's shape follows it`,
      );
  }
  note(trace, "no carry", {}, () => "every sum of B's modes was compared with A: they do not disturb each other");
}

function knownOr(x: Int): number {
  const value = knownValue(x);
  if (value === undefined)
    throw refuse(
      "composition",
      "missing fact",
      { value: x },
      `the value of ${x} must be known to check the modes of B against each other`,
    );
  return value;
}

/** True if and only if composition(a, b) has an answer. */
export function isAdmissible(a: Layout, b: Tiler): boolean {
  try {
    composition(a, b);
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === "LayoutError") return false;
    throw error;
  }
}

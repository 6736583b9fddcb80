/**
 * Composition: the layout that reads A through B.
 *
 * Promise: compatible(B, R), and R(c) = A(B(c)) for every coordinate c of B, where A goes on counting in its last mode
 * beyond its domain. Refused exactly when no such layout exists.
 *
 * How: A is brought to modes that no longer merge; every leaf of B is composed with them (compose-leaf.ts); the leaves
 * may be answered one by one only if their sums never carry (carries.ts).
 */
import { isBasis, type ScaledBasis, type StrideTuple } from "./basis.ts";
import { byMode } from "./by-mode.ts";
import { checkCarries } from "./carries.ts";
import { fromModes, type Mode, openModes } from "./coalesce.ts";
import { composeLeaf, type Leaf, type LeafResult, leafName } from "./compose-leaf.ts";
import { isUnderscore } from "./coord.ts";
import { encodeModes, offsetOfIndex } from "./encode.ts";
import { formatLayout } from "./format.ts";
import { type Int, int, isZero, valueOf } from "./int.ts";
import {
  type AnyLayout,
  type ComposedLayout,
  isComposed,
  isLayout,
  type Layout,
  makeComposedLayout,
  rawLayout,
} from "./layout.ts";
import { modeOf, offsets, sizeInt } from "./queries.ts";
import { applySwizzle, isSwizzle, type Swizzle, swizzleFromMasks, swizzleMasks } from "./swizzle.ts";
import { isTilerTuple, makeTile, type Tiler } from "./tiler.ts";
import { isRefused, refuse, refuseEmpty, type Trace } from "./trace.ts";
import { type IntTuple, isTuple, leaves, mapLeaves, type Nested } from "./tuple.ts";

/** A composed with B: a layout, a by-mode tiler, an integer n (meaning n:1) or `_`. */
export function composition(a: Layout, b: Tiler, trace?: Trace): Layout;
export function composition(a: AnyLayout | Swizzle, b: Tiler | AnyLayout | Swizzle, trace?: Trace): AnyLayout;
export function composition(a: AnyLayout | Swizzle, b: Tiler | AnyLayout | Swizzle, trace?: Trace): AnyLayout {
  if (isSwizzle(a)) return composeSwizzle(a, b);
  if (isComposed(a)) return makeComposedLayout(a.outer, a.offset, composition(a.inner, b as Tiler, trace));
  if (isLayout(b)) return new Composer(a, b, trace).run();
  if (isComposed(b)) return throughComposed(a, b, trace);
  if (isSwizzle(b)) return composeWithSwizzle(a, b);
  if (isUnderscore(b) || b === null) return a;
  if (isTilerTuple(b)) return byMode("composition", a, b, trace, composition);
  return new Composer(a, makeTile(b as Int), trace).run();
}

function composeSwizzle(a: Swizzle, b: Tiler | AnyLayout | Swizzle): AnyLayout {
  if (isLayout(b)) return makeComposedLayout(a, int(0), b);
  throw refuse("composition", "swizzle", { a, b }, `${a} composes with a plain layout only`);
}

/** A o (S o 0 o L): the swizzle moves through A when A keeps its two bit fields apart. */
function throughComposed(a: Layout, b: ComposedLayout, trace?: Trace): AnyLayout {
  if (!isZero(b.offset))
    throw refuse(
      "composition",
      "offset",
      { offset: b.offset },
      `the right side has offset ${b.offset}; only 0 can be moved through a layout`,
    );
  if (!isSwizzle(b.outer)) return composition(composition(a, b.outer, trace), b.inner, trace);
  const swizzled = composeWithSwizzle(a, b.outer, offsets(b.inner));
  return isComposed(swizzled)
    ? makeComposedLayout(swizzled.outer, swizzled.offset, composition(a, b.inner, trace))
    : composition(a, b.inner, trace);
}

/**
 * A o S = S' o A at the given indices (by default the domain of A), where S' has the images of the bits of S. Refused where A does not
 * keep the fields apart. The result has the inner layout `domain`, which agrees with A at these indices.
 */
export function composeWithSwizzle(
  a: Layout,
  sw: Swizzle,
  indices: readonly number[] = Array.from({ length: valueOf(sizeInt(a)) }, (_unused, i) => i),
  domain = a,
): AnyLayout {
  const encoding = encodeModes(openModes(a), "composition");
  const at = (index: number): number => offsetOfIndex(encoding, index);
  // Bits that no index has set are never read: they would only widen the field.
  const { low } = swizzleMasks(sw);
  const largest = indices.reduce((x, y) => Math.max(x, y), 0);
  let bits = sw.bits;
  while (bits > 0 && low.y * 2 ** (bits - 1) > largest) bits--;
  const field = 2 ** bits - 1;
  const moved = swizzleFromMasks(at(low.y * field), at(low.z * field));
  for (const i of indices)
    if (!moved || applySwizzle(moved, at(i)) !== at(applySwizzle(sw, i)))
      throw refuse(
        "composition",
        "swizzle",
        { layout: formatLayout(a), swizzle: String(sw), index: i },
        `${formatLayout(a)} after ${sw} is no swizzle over a layout: it spreads the bits that ${sw} mixes`,
      );
  return makeComposedLayout(moved as Swizzle, int(0), domain);
}

/** What a shape without coordinates composes to. */
const zeroStrides = (shape: IntTuple): Layout =>
  rawLayout(shape, mapLeaves(shape as Nested<Int>, () => int(0)) as IntTuple);

/** The part of A that leaves with one kind of stride address: all of A, or the mode that a basis stride names. */
interface Target {
  readonly modes: readonly Mode[];
  readonly leaves: Leaf[];
  readonly results: LeafResult[];
}

/** Composes one plain layout with another, leaf by leaf. */
class Composer {
  readonly #a: Layout;
  readonly #b: Layout;
  readonly #trace: Trace | undefined;
  #whole: Target | undefined;
  #parts: Map<string, Target> | undefined;
  #leafCount = 0;

  constructor(a: Layout, b: Layout, trace: Trace | undefined) {
    this.#a = a;
    this.#b = b;
    this.#trace = trace;
  }

  run(): Layout {
    if (leaves<Int>(this.#b.shape as Nested<Int>).some(isZero)) return zeroStrides(this.#b.shape);
    const result = this.#walk(this.#b.shape, this.#b.stride);
    for (const target of [this.#whole, ...(this.#parts?.values() ?? [])])
      if (target) checkCarries(target.modes, target.leaves, target.results, this.#trace);
    this.#trace?.note("result", { result });
    return result;
  }

  #walk(shape: IntTuple, stride: StrideTuple): Layout {
    if (!isTuple(shape)) return this.#leaf(shape as Int, stride as Int | ScaledBasis);
    const shapes = new Array<IntTuple>(shape.length);
    const strides = new Array<StrideTuple>(shape.length);
    for (let i = 0; i < shape.length; i++) {
      const part = this.#walk(shape[i] as IntTuple, (stride as readonly StrideTuple[])[i] as StrideTuple);
      shapes[i] = part.shape;
      strides[i] = part.stride;
    }
    return rawLayout(shapes, strides);
  }

  #leaf(size: Int, stride: Int | ScaledBasis): Layout {
    if (!isBasis(stride)) this.#whole ??= this.#target(this.#a, "A");
    const target = isBasis(stride) ? this.#part(stride.path) : (this.#whole as Target);
    const step = isBasis(stride) ? stride.value : stride;
    const leaf: Leaf = { of: this.#b.shape, index: this.#leafCount++, size, stride: step };
    const trace = this.#trace;
    trace?.note("leaf", { leaf: leafName(leaf), size, stride: step });
    trace?.enter();
    const result = composeLeaf(target.modes, leaf, trace);
    trace?.leave();
    target.leaves.push(leaf);
    target.results.push(result);
    return fromModes(result.modes);
  }

  #part(path: readonly number[]): Target {
    this.#parts ??= new Map();
    const key = path.join();
    let target = this.#parts.get(key);
    if (!target) {
      target = this.#target(modeOf(this.#a, ...path), `mode ${key} of A`);
      this.#parts.set(key, target);
    }
    return target;
  }

  #target(part: Layout, name: string): Target {
    const modes = openModes(part);
    refuseEmpty("composition", part, modes);
    this.#trace?.note("open modes", { part: name, layout: part, modes });
    return { modes, leaves: [], results: [] };
  }
}

/** True if and only if composition(a, b) has an answer. */
export function isAdmissible(a: Layout, b: Tiler): boolean {
  try {
    composition(a, b);
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
}

/**
 * Products: a layout repeated over another one.
 *
 * logicalProduct(A, T) = (A, A* o T) with A* the complement of A up to cosize(A) * cosize(T): mode 0 is A itself, mode 1 is
 * compatible with T and places the copies. zipped, tiled and flat gather as in divide.ts; blocked and raked pair the modes.
 */
import { LayoutError } from "../../base/errors.ts";
import { isUnderscore } from "../coord.ts";
import { formatLayout, formatTuple } from "../format.ts";
import { dividesInt, type Int, mul } from "../int.ts";
import {
  type AnyLayout,
  checkLayout,
  concatenate,
  isLayout,
  joinModes,
  type Layout,
  LayoutLeft,
  type Major,
  makeOrderedLayout,
  modesOf,
  onInner,
} from "../layout.ts";
import { padToRank } from "../modes.ts";
import { cosizeInt, rank } from "../queries.ts";
import { ceilDiv } from "../shape.ts";
import { isTilerTuple, makeTile, type Tiler } from "../tiler.ts";
import type { Trace } from "../trace.ts";
import { type IntTuple, isTuple, type Nested, productEach, wrap } from "../tuple.ts";
import type { TwoModes } from "../types/layout-types.ts";
import { complement } from "./complement.ts";
import { byMode, composition } from "./composition.ts";
import { arrange, unpackBoth, unpackRest } from "./divide.ts";

/** A layout repeated over a tiler, mode by mode if the tiler is an array; modes past the tiler stay as they are. */
export function logicalProduct(block: Layout, tiler: Tiler, trace?: Trace): Layout;
export function logicalProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function logicalProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return onInner("logicalProduct", block, (l) => multiplyLayout(l, tiler, trace));
}

function multiplyLayout(block: Layout, tiler: Tiler, trace?: Trace): Layout {
  if (tiler === null || isUnderscore(tiler)) return block;
  if (isTilerTuple(tiler)) return byMode("product", block, tiler, trace, multiplyLayout);
  const copies = isLayout(tiler) ? tiler : makeTile(tiler);
  // Not size(A): where A has gaps, copies past them must meet the last mode of the complement.
  const target = mul(cosizeInt(block), cosizeInt(copies));
  trace?.note("free places", { block, copies, target });
  trace?.enter();
  const free = complement(block, target, trace);
  trace?.leave();
  trace?.note("place copies", { copies, free });
  trace?.enter();
  const placed = composition(free, copies, trace);
  trace?.leave();
  return concatenate(block, placed);
}

/** ((blocks),(copies)) */
export function zippedProduct(block: Layout, tiler: Tiler, trace?: Trace): TwoModes;
export function zippedProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function zippedProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return arrange("zippedProduct", block, tiler, trace, multiplyLayout);
}

/** ((blocks),copies,copies,...) */
export function tiledProduct(block: Layout, tiler: Tiler, trace?: Trace): Layout;
export function tiledProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function tiledProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return arrange("tiledProduct", block, tiler, trace, multiplyLayout, unpackRest);
}

/** (block,block,...,copies,copies,...) */
export function flatProduct(block: Layout, tiler: Tiler, trace?: Trace): Layout;
export function flatProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function flatProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return arrange("flatProduct", block, tiler, trace, multiplyLayout, unpackBoth);
}

function pairedProduct(block: AnyLayout, tiler: Layout, trace: Trace | undefined, blocksFirst: boolean): AnyLayout {
  const who = blocksFirst ? "blockedProduct" : "rakedProduct";
  checkLayout(who, tiler);
  return onInner(who, block, (l) => {
    const width = Math.max(rank(l), rank(tiler));
    const [block, copies] = [padToRank(l, width), padToRank(tiler, width)];
    const [blocks, placed] = modesOf(multiplyLayout(block, copies, trace)) as [Layout, Layout];
    // A leaf of the tiler may have become a tuple, but stays one mode.
    const partsOf = (of: Layout, like: Layout): Layout[] => (isTuple(like.shape) ? modesOf(of) : [of]);
    const others = partsOf(placed, copies);
    return joinModes(
      partsOf(blocks, block).map((part, i) => {
        const copy = others[i];
        return joinModes(blocksFirst ? [part, copy] : [copy, part]);
      }),
    );
  });
}

/** Mode i is (block i, copies i): whole blocks side by side. rank(result) = max(rank(block), rank(tiler)). */
export function blockedProduct(block: Layout, tiler: Layout, trace?: Trace): Layout;
export function blockedProduct(block: AnyLayout, tiler: Layout, trace?: Trace): AnyLayout;
export function blockedProduct(block: AnyLayout, tiler: Layout, trace?: Trace): AnyLayout {
  return pairedProduct(block, tiler, trace, true);
}

/** Mode i is (copies i, block i): the blocks interleaved. rank(result) = max(rank(block), rank(tiler)). */
export function rakedProduct(block: Layout, tiler: Layout, trace?: Trace): Layout;
export function rakedProduct(block: AnyLayout, tiler: Layout, trace?: Trace): AnyLayout;
export function rakedProduct(block: AnyLayout, tiler: Layout, trace?: Trace): AnyLayout {
  return pairedProduct(block, tiler, trace, false);
}

/**
 * A block repeated until it has the shape `target`, across its modes in the given order (leftmost first by default).
 *
 * Promise: every mode of the result has the size of the mode of the target.
 */
export function tileToShape(block: Layout, target: IntTuple, order?: IntTuple | Major): Layout;
export function tileToShape(block: AnyLayout, target: IntTuple, order?: IntTuple | Major): AnyLayout;
export function tileToShape(block: AnyLayout, target: IntTuple, order: IntTuple | Major = LayoutLeft): AnyLayout {
  return onInner("tileToShape", block, (l) => {
    const modes = wrap(productEach(target) as Nested<Int>) as readonly Int[];
    for (const [i, part] of (wrap(productEach(l.shape) as Nested<Int>) as readonly Int[]).entries()) {
      const size = modes[i];
      if (size === undefined || dividesInt(part, size) !== true)
        throw new LayoutError(
          `tileToShape: size ${part} of mode ${i} of ${formatLayout(l)} must divide that of ${formatTuple(target)}`,
        );
    }
    const padded = padToRank(l, modes.length);
    return blockedProduct(padded, makeOrderedLayout(ceilDiv(productEach(target), productEach(padded.shape)), order));
  });
}

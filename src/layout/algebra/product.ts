/**
 * Products: a layout repeated over another one.
 *
 * logicalProduct(A, T) = (A, A* o T) with A* the complement of A up to cosize(A) * cosize(T): mode 0 is A itself, mode 1 is
 * compatible with T and steps from copy to copy. zipped, tiled and flat gather as in divide.ts; blocked and raked pair the modes.
 */
import { LayoutError } from "../../base/errors.ts";
import { formatLayout, formatTuple } from "../format.ts";
import { dividesInt, type Int, mul } from "../int.ts";
import {
  type AnyLayout,
  checkLayout,
  isLayout,
  joinModes,
  type Layout,
  LayoutLeft,
  type Major,
  makeLayout,
  makeOrderedLayout,
  modesOf,
  onInner,
  type Tiler,
} from "../layout.ts";
import { padToRank } from "../modes.ts";
import { cosizeInt, rank } from "../queries.ts";
import { ceilDiv } from "../shape.ts";
import type { Trace } from "../trace.ts";
import { differingRanks, type IntTuple, isTuple, type Nested, productEach, wrap } from "../tuple.ts";
import type { TwoModes } from "../types/layout-types.ts";
import { complement } from "./complement.ts";
import { composition } from "./composition.ts";
import { arrange, type Pair, pairModes, unpackBoth, unpackRestModes } from "./divide.ts";

/** Repeats a layout over a tiler, mode by mode if the tiler is an array; modes past the tiler stay unchanged. */
export function logicalProduct(block: Layout, tiler: Tiler, trace?: Trace): Layout;
export function logicalProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function logicalProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return onInner("logicalProduct", block, (l) => pairModes(l, tiler, trace, repeatOver));
}

/** Repeats a layout over one tile. */
function repeatOver(block: Layout, tiler: Layout | Int, trace?: Trace): Pair {
  const copies: Layout = isLayout(tiler) ? tiler : makeLayout(tiler);
  // Not size(A): if A has gaps, copies past them must reach the last mode of the complement.
  const target = mul(cosizeInt(block), cosizeInt(copies));
  trace?.enter("free offsets", block, copies, target);
  const free = complement(block, target, trace);
  trace?.leave();
  trace?.enter("place copies", copies, free);
  const placed = composition(free, copies, trace);
  trace?.leave();
  return [block, placed];
}

/** Repeats into ((blocks),(copies)). */
export function zippedProduct(block: Layout, tiler: Tiler, trace?: Trace): TwoModes;
export function zippedProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function zippedProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return arrange("zippedProduct", block, tiler, trace, repeatOver);
}

/** Repeats into ((blocks),copies,copies,...). */
export function tiledProduct(block: Layout, tiler: Tiler, trace?: Trace): Layout;
export function tiledProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function tiledProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return arrange("tiledProduct", block, tiler, trace, repeatOver, unpackRestModes);
}

/** Repeats into (block,block,...,copies,copies,...). */
export function flatProduct(block: Layout, tiler: Tiler, trace?: Trace): Layout;
export function flatProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function flatProduct(block: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return arrange("flatProduct", block, tiler, trace, repeatOver, unpackBoth);
}

function pairedProduct(block: AnyLayout, tiler: Layout, trace: Trace | undefined, blocksFirst: boolean): AnyLayout {
  const who = blocksFirst ? "blockedProduct" : "rakedProduct";
  checkLayout(who, tiler);
  return onInner(who, block, (l) => {
    const width = Math.max(rank(l), rank(tiler));
    const [block, copies] = [padToRank(l, width), padToRank(tiler, width)];
    const [blocks, placed] = repeatOver(block, copies, trace);
    // A leaf of the tiler may have become a tuple, but stays one mode.
    const partsOf = (layout: Layout, like: Layout): Layout[] => (isTuple(like.shape) ? modesOf(layout) : [layout]);
    const others = partsOf(placed, copies);
    return joinModes(
      partsOf(blocks, block).map((part, i) => {
        const copy = others[i];
        return joinModes(blocksFirst ? [part, copy] : [copy, part]);
      }),
    );
  });
}

/** Repeats with mode i = (block i, copies i): whole blocks next to each other. rank(result) = max(rank(block), rank(tiler)). */
export function blockedProduct(block: Layout, tiler: Layout, trace?: Trace): Layout;
export function blockedProduct(block: AnyLayout, tiler: Layout, trace?: Trace): AnyLayout;
export function blockedProduct(block: AnyLayout, tiler: Layout, trace?: Trace): AnyLayout {
  return pairedProduct(block, tiler, trace, true);
}

/** Repeats with mode i = (copies i, block i): the blocks interleaved. rank(result) = max(rank(block), rank(tiler)). */
export function rakedProduct(block: Layout, tiler: Layout, trace?: Trace): Layout;
export function rakedProduct(block: AnyLayout, tiler: Layout, trace?: Trace): AnyLayout;
export function rakedProduct(block: AnyLayout, tiler: Layout, trace?: Trace): AnyLayout {
  return pairedProduct(block, tiler, trace, false);
}

/**
 * Repeats a block until it has the shape `target`, across its modes in the given order (leftmost first by default).
 *
 * Postcondition: every mode of the result has the size of the mode of the target.
 */
export function tileToShape(block: Layout, target: IntTuple, order?: IntTuple | Major): Layout;
export function tileToShape(block: AnyLayout, target: IntTuple, order?: IntTuple | Major): AnyLayout;
export function tileToShape(block: AnyLayout, target: IntTuple, order: IntTuple | Major = LayoutLeft): AnyLayout {
  return onInner("tileToShape", block, (l) => {
    const modes = wrap(productEach(target) as Nested<Int>) as readonly Int[];
    const parts = wrap(productEach(l.shape) as Nested<Int>) as readonly Int[];
    if (parts.length > modes.length) throw differingRanks("tileToShape", l.shape, target);
    for (const [i, part] of parts.entries())
      if (dividesInt(part, modes[i]) !== true)
        throw new LayoutError(
          `tileToShape: size ${part} of mode ${i} of ${formatLayout(l)} does not divide ${modes[i]} in ${formatTuple(target)}`,
        );
    const padded = padToRank(l, modes.length);
    return blockedProduct(padded, makeOrderedLayout(ceilDiv(productEach(target), productEach(padded.shape)), order));
  });
}

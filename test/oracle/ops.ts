/**
 * The operations that records name, one row each: how the library computes it, what its answer must satisfy, and whether
 * any answer exists. An operation without a row is skipped by name. To support another one, add a row.
 */
import * as lib from "../../src/layout/index.ts";
import * as tuples from "../../src/layout/int-tuple.ts";
import * as coords from "./coord-properties.ts";
import { findLeftInverse } from "./existence.ts";
import { isPlainLayout, type PlainLayout, type PlainTiler, sizeOf, type Tuple, valuesOf } from "./plain.ts";
import * as property from "./properties.ts";
import * as tiling from "./tiling-properties.ts";
import { asLayout, asNumber, asTiler, asTuple, type Json, type Marking, type Value } from "./values.ts";

export interface Recorded {
  readonly marking: Marking;
  readonly expected: Json | undefined;
}

export interface Op {
  /** The library's answer. What is recorded tells only how much of it to give: the number of values, the C++ or Python form. */
  readonly run: (args: readonly Value[], recorded: Recorded) => Value;
  /** Whether an answer is right, by brute force on the recorded arguments. */
  readonly holds?: (args: readonly Json[], answer: Json) => boolean;
  /** Whether there is any right answer. */
  readonly exists?: (args: readonly Json[]) => boolean;
  /** The part of a recorded answer that ours is compared with. */
  readonly view?: (expected: Json) => Json;
  /** How far an answer reaches, where a right one may stop short: ours must reach as far as a recorded right one. */
  readonly reach?: (answer: Json) => number;
  /** True if only the 1-D function matters, not the modes of the answer: coalesce, inverses, complement. */
  readonly isFlat?: boolean;
}

const layoutOf = (json: Json | undefined): PlainLayout => json as unknown as PlainLayout;
const tilerOf = (json: Json | undefined): PlainTiler => json as unknown as PlainTiler;
const tupleOf = (json: Json | undefined): Tuple => json as Tuple;

const binary = (
  run: (a: lib.Layout, b: lib.Tiler) => lib.AnyLayout,
  holds: (a: PlainLayout, b: PlainTiler, r: PlainLayout) => boolean,
  exists: (a: PlainLayout, b: PlainTiler) => boolean,
): Op => ({
  run: ([a, b]) => run(asLayout(a), asTiler(b)),
  holds: ([a, b], r) => isPlainLayout(r) && holds(layoutOf(a), tilerOf(b), layoutOf(r)),
  exists: ([a, b]) => exists(layoutOf(a), tilerOf(b)),
});

const divide = (run: (a: lib.Layout, b: lib.Tiler) => lib.AnyLayout, form: tiling.Gathering): Op =>
  gatheredOp(run, tiling.isLogicalDivide, tiling.logicalDivideExists, form);
const multiply = (run: (a: lib.Layout, b: lib.Tiler) => lib.AnyLayout, form: tiling.Gathering): Op =>
  gatheredOp(run, tiling.isLogicalProduct, tiling.logicalProductExists, form);

/** A gathered form is right if and only if some right by-mode result has it; an answer that is given shows which. */
function gatheredOp(
  run: (a: lib.Layout, b: lib.Tiler) => lib.AnyLayout,
  holds: (a: PlainLayout, b: PlainTiler, r: PlainLayout) => boolean,
  exists: (a: PlainLayout, b: PlainTiler) => boolean,
  form: tiling.Gathering,
): Op {
  return {
    run: ([a, b]) => run(asLayout(a), asTiler(b)),
    holds: ([a, b], r) => {
      if (!isPlainLayout(r)) return false;
      return tiling.scattered(form, layoutOf(a), tilerOf(b), r).some((pairs) => holds(layoutOf(a), tilerOf(b), pairs));
    },
    exists: ([a, b]) => exists(layoutOf(a), tilerOf(b)),
  };
}

const paired = (run: (a: lib.Layout, b: lib.Layout) => lib.Layout, blocksFirst: boolean): Op => ({
  run: ([a, b]) => run(asLayout(a), asLayout(b)),
  holds: ([a, b], r) => isPlainLayout(r) && tiling.isPairedProduct(layoutOf(a), layoutOf(b), layoutOf(r), blocksFirst),
  exists: ([a, b]) => tiling.logicalProductExists(layoutOf(a), tilerOf(b)),
});

const relation = (run: (a: lib.IntTuple, b: lib.IntTuple) => boolean): Op => ({
  run: ([a, b]) => run(asTuple(a), asTuple(b)),
});

/** The cosize of a layout, which the default complement fills. */
const cosizeOf = (l: PlainLayout): number => 1 + Math.max(0, ...valuesOf(l));

export const ops: Readonly<Record<string, Op>> = {
  // questions
  size: { run: ([l]) => lib.size(asLayout(l)) },
  cosize: { run: ([l]) => lib.cosize(asLayout(l)) },
  coshape: { run: ([l]) => lib.coshape(asLayout(l)) },
  rank: { run: ([l]) => lib.rank(asLayout(l)) },
  depth: { run: ([l]) => lib.depth(asLayout(l)) },
  call: { run: ([l], recorded) => lib.offsets(asLayout(l)).slice(0, lengthOf(recorded, 64)) },
  product: { run: ([t]) => tuples.product(asTuple(t)) },
  tuple_max: { run: ([t]) => tuples.tupleMax(asTuple(t)) },
  inner_product: { run: ([a, b]) => tuples.innerProduct(asTuple(a), asTuple(b)) },
  prefix_product: {
    // The C++ has no prefix_product; what is recorded for it is compact_col_major, which gives a static size 1 stride 0.
    run: ([shape, start], { marking }) => {
      const from = start === undefined ? lib.int(1) : (start as lib.Int);
      return marking === "static"
        ? lib.compactColMajor(asTuple(shape), from)
        : tuples.prefixProduct(asTuple(shape), from);
    },
  },
  elem_scale: { run: ([a, b]) => tuples.elemScale(asTuple(a), asTuple(b)) },
  ceil_div: { run: ([a, b]) => lib.ceilDiv(asTuple(a), asTuple(b)) },
  round_up: { run: ([a, b]) => tuples.roundUp(asTuple(a), asTuple(b)) },
  shape_div: {
    run: ([a, b]) => tuples.shapeDiv(asTuple(a), asTuple(b)),
    holds: ([a, b], r) => coords.isShapeDiv(tupleOf(a), tupleOf(b), tupleOf(r)),
    exists: ([a, b]) => coords.shapeDivided(tupleOf(a), tupleOf(b)) !== undefined,
  },
  congruent: relation(lib.congruent),
  weakly_congruent: relation(lib.weaklyCongruent),
  compatible: relation(lib.compatible),
  evenly_divides: { run: ([shape, tiler]) => lib.evenlyDivides(asTuple(shape), tiler as lib.Tiler) },
  elem_less: relation(tuples.elemLess),
  elem_leq: relation(tuples.elemLeq),
  lex_less: relation(tuples.lexLess),
  lex_leq: relation(tuples.lexLeq),
  colex_less: relation(tuples.colexLess),
  colex_leq: relation(tuples.colexLeq),

  // coordinates
  crd2idx: { run: ([crd, shape, stride]) => lib.crd2idx(crd as lib.SliceCoord, asTuple(shape), asTuple(stride)) },
  idx2crd: {
    run: ([index, shape, stride]) =>
      lib.idx2crd(asTuple(index), asTuple(shape), stride === undefined ? undefined : asTuple(stride)),
    holds: ([index, shape, stride], r) =>
      stride === undefined
        ? coords.isCoordOf(tupleOf(index), tupleOf(shape), tupleOf(r))
        : coords.isStridedCoordOf(tupleOf(index), tupleOf(shape), tupleOf(stride), tupleOf(r)),
  },
  crd2crd: {
    run: ([crd, from, to]) => lib.crd2crd(crd as lib.Coord, asTuple(from), asTuple(to)),
    holds: ([crd, from, to], r) => coords.isConvertedCoord(tupleOf(crd), tupleOf(from), tupleOf(to), tupleOf(r)),
  },
  slice_and_offset: {
    run: ([crd, l]) => [...lib.sliceAndOffset(crd as lib.SliceCoord, asLayout(l))] as Value,
    holds: ([crd, l], r) => {
      const [part, offset] = r as readonly [Json, number];
      return coords.isSlice(crd, layoutOf(l), layoutOf(part), offset);
    },
  },
  dice: { run: ([crd, l]) => lib.dice(crd as lib.SliceCoord, asLayout(l)) },

  // making layouts
  compact_col_major: { run: ([shape]) => lib.makeLayout(asTuple(shape), lib.LayoutLeft) },
  compact_row_major: { run: ([shape]) => lib.makeLayout(asTuple(shape), lib.LayoutRight) },
  make_ordered_layout: { run: ([shape, order]) => lib.makeOrderedLayout(asTuple(shape), asTuple(order)) },
  make_fragment_like: { run: ([l]) => lib.makeFragmentLike(asLayout(l)) },
  make_layout_like: { run: ([l]) => lib.makeLayoutLike(asLayout(l)) },
  append: { run: ([l, extra]) => lib.append(asLayout(l), asLayout(extra)) },
  prepend: { run: ([l, extra]) => lib.prepend(asLayout(l), asLayout(extra)) },
  replace: { run: ([i, l, mode]) => lib.replace(asLayout(l), asNumber(i), asLayout(mode)) },
  flatten: { run: ([l]) => lib.flatten(asLayout(l)) },
  group: { run: ([l, begin, end]) => lib.group(asLayout(l), asNumber(begin), asNumber(end)) },
  take: { run: ([l, begin, end]) => lib.take(asLayout(l), asNumber(begin), asNumber(end)) },
  select: { run: ([l, modes]) => lib.select(asLayout(l), ...(modes as readonly Value[]).map(asNumber)) },

  // the algebra
  coalesce: {
    run: ([l, profile]) => lib.coalesce(asLayout(l), profile === undefined ? undefined : asTuple(profile)),
    holds: ([l, profile], r) =>
      isPlainLayout(r) && property.isCoalesced(layoutOf(l), layoutOf(r), profile as Tuple | undefined),
    isFlat: true,
  },
  filter: {
    run: ([l, profile]) => lib.filter(asLayout(l), profile === undefined ? undefined : asTuple(profile)),
    holds: ([l, profile], r) =>
      isPlainLayout(r) && property.isFiltered(layoutOf(l), layoutOf(r), profile as Tuple | undefined),
    isFlat: true,
  },
  filter_zeros: { run: ([l]) => lib.filterZeros(asLayout(l)) },
  composition: binary(lib.composition, property.isComposition, property.compositionExists),
  composition_bymode: binary(lib.composition, property.isComposition, property.compositionExists),
  complement: {
    run: ([l, target]) => lib.complement(asLayout(l), target === undefined ? undefined : asTuple(target)),
    holds: ([l, target], r) => isPlainLayout(r) && property.isComplement(layoutOf(l), targetOf(l, target), layoutOf(r)),
    exists: ([l, target]) => property.complementExists(layoutOf(l), targetOf(l, target)),
    isFlat: true,
  },
  complement_default: {
    run: ([l]) => lib.complement(asLayout(l)),
    holds: ([l], r) => isPlainLayout(r) && property.isComplement(layoutOf(l), targetOf(l, undefined), layoutOf(r)),
    exists: ([l]) => property.complementExists(layoutOf(l), targetOf(l, undefined)),
    isFlat: true,
  },
  right_inverse: {
    run: ([l]) => lib.rightInverse(asLayout(l)),
    holds: ([l], r) => isPlainLayout(r) && property.isRightInverse(layoutOf(l), layoutOf(r)),
    reach: (r) => sizeOf(layoutOf(r).shape),
    isFlat: true,
  },
  left_inverse: {
    run: ([l]) => lib.leftInverse(asLayout(l)),
    holds: ([l], r) => isPlainLayout(r) && property.isLeftInverse(layoutOf(l), layoutOf(r)),
    exists: ([l]) => findLeftInverse(layoutOf(l)) !== undefined,
    isFlat: true,
  },
  nullspace: { run: ([l]) => lib.nullspace(asLayout(l)), isFlat: true },
  max_common_vector: {
    run: ([a, b]) => lib.maxCommonVector(asLayout(a), asLayout(b)),
    holds: ([a, b], r) => property.isCommonVector(layoutOf(a), layoutOf(b), r as number),
  },
  max_common_layout: {
    run: ([a, b]) => lib.maxCommonLayout(asLayout(a), asLayout(b)),
    holds: ([a, b], r) => isPlainLayout(r) && property.isCommonLayout(layoutOf(a), layoutOf(b), r),
    isFlat: true,
  },
  domain_distribute: { run: ([shape, count]) => lib.domainDistribute(asTuple(shape), count as lib.Int), isFlat: true },

  // tiles
  logical_divide: binary(lib.logicalDivide, tiling.isLogicalDivide, tiling.logicalDivideExists),
  zipped_divide: divide(lib.zippedDivide, "zipped"),
  tiled_divide: divide(lib.tiledDivide, "tiled"),
  flat_divide: divide(lib.flatDivide, "flat"),
  logical_product: binary(lib.logicalProduct, tiling.isLogicalProduct, tiling.logicalProductExists),
  zipped_product: multiply(lib.zippedProduct, "zipped"),
  tiled_product: multiply(lib.tiledProduct, "tiled"),
  flat_product: multiply(lib.flatProduct, "flat"),
  blocked_product: paired(lib.blockedProduct, true),
  raked_product: paired(lib.rakedProduct, false),
  tile_to_shape: {
    run: ([l, target, order]) =>
      lib.tileToShape(asLayout(l), asTuple(target), order === undefined ? undefined : asTuple(order)),
  },
  inner_partition: {
    run: ([l, tiler, crd]) => [...lib.innerPartition(asLayout(l), asTiler(tiler), crd as lib.SliceCoord)] as Value,
  },
  outer_partition: {
    run: ([l, tiler, crd]) => [...lib.outerPartition(asLayout(l), asTiler(tiler), crd as lib.SliceCoord)] as Value,
  },
  local_tile: {
    run: ([l, tiler, crd]) => [...lib.localTile(asLayout(l), asTiler(tiler), crd as lib.SliceCoord)] as Value,
  },
  local_partition: {
    run: ([l, threads, i]) => [...lib.localPartition(asLayout(l), asLayout(threads), i as lib.Int)] as Value,
  },

  // widths and swizzles
  upcast: {
    run: ([n, l]) => lib.upcast(asLayout(l), asNumber(n)),
    holds: ([n, l], r) => isPlainLayout(r) && coords.isUpcast(n as number, layoutOf(l), layoutOf(r)),
  },
  downcast: {
    run: ([n, l]) => lib.downcast(asLayout(l), asNumber(n)),
    holds: ([n, l], r) => isPlainLayout(r) && coords.isDowncast(n as number, layoutOf(l), layoutOf(r)),
  },
  swizzle: {
    run: ([parts], recorded) => {
      const sw = swizzleOf(parts as Value);
      return Array.from({ length: lengthOf(recorded, 32) }, (_unused, x) => lib.applySwizzle(sw, x));
    },
    holds: ([parts], r) => coords.isSwizzled(parts as readonly [number, number, number], r as readonly number[]),
  },
  composed_layout: {
    run: ([l], recorded) => {
      const layout = l as lib.AnyLayout;
      const expected = recorded.expected;
      const values = Array.isArray(expected)
        ? expected
        : (expected as { values?: readonly Json[] } | undefined)?.values;
      return lib.offsets(layout).slice(0, values?.length);
    },
    holds: ([l], r) => coords.isComposedValues(l as unknown as coords.PlainComposed, r as readonly number[]),
    view: (expected) => (Array.isArray(expected) ? expected : (expected as { values: Json }).values),
  },
  max_alignment: { run: ([l]) => lib.maxAlignment(asLayout(l)) },
};

function lengthOf(recorded: Recorded, otherwise: number): number {
  return Array.isArray(recorded.expected) ? recorded.expected.length : otherwise;
}

const swizzleOf = (parts: Value): lib.Swizzle =>
  lib.isSwizzle(parts)
    ? parts
    : lib.swizzle(...((parts as readonly Value[]).map(asNumber) as [number, number, number]));

function targetOf(l: Json | undefined, target: Json | undefined): Tuple {
  if (target === undefined) return cosizeOf(layoutOf(l));
  return isPlainLayout(target) ? sizeOf(target.shape) : tupleOf(target);
}

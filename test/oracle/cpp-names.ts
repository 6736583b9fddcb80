/**
 * The names of the C++ notation and what they are here, one row each: types, functions, methods. An expression with a name
 * that has no row is skipped by that name. To support another one, add a row.
 */
import { StridewiseError } from "../../src/base/errors.ts";
import { addCoords, basisLike } from "../../src/layout/basis.ts";
import * as lib from "../../src/layout/index.ts";
import * as tuples from "../../src/layout/int-tuple.ts";
import type { DType } from "../../src/storage/dtype.ts";
import { withLayout } from "../../src/tensor/cute/tensor-modes.ts";
import { tensorFunctions, tensorMethods, tensorTypes } from "./cpp-tensors.ts";
import {
  type Call,
  type CppType,
  type CppValue,
  elementsOf,
  type Fn,
  isAnyLayout,
  isMajor,
  isTensor,
  isType,
  layoutAndOffset,
  type Method,
  printed,
  textOf,
} from "./cpp-values.ts";
import { drawn } from "./draw-module.ts";
import { asNumber, asTiler, asTuple } from "./values.ts";

const any = (value: CppValue | undefined): lib.AnyLayout => value as lib.AnyLayout;
const plain = (value: CppValue | undefined): lib.Layout => value as lib.Layout;
const tuple = (value: CppValue | undefined): lib.IntTuple => asTuple(value as never);
const tiler = (value: CppValue | undefined): lib.Tiler => asTiler(value as never);
const number = (value: CppValue | undefined): number => asNumber(value as never);
const slice = (value: CppValue | undefined): lib.SliceCoord => value as lib.SliceCoord;
const layoutOf = (value: CppValue | undefined): lib.AnyLayout => (isTensor(value) ? value.layout : any(value));
const shapeOf = (value: CppValue | undefined): lib.IntTuple =>
  isTensor(value) || isAnyLayout(value) ? lib.shapeOf(layoutOf(value)) : tuple(value);
const numbers = (values: readonly CppValue[]): number[] => values.map(number);
const modeAt = (of: CppValue | undefined, path: readonly CppValue[]): lib.IntTuple =>
  numbers(path).reduce<lib.IntTuple>((t, i) => (t as readonly lib.IntTuple[])[i] as lib.IntTuple, shapeOf(of));
const widthOf = (value: CppValue | undefined): number => (isType(value) ? value.bits : Number.NaN);

const refused = (why: string): never => {
  throw new StridewiseError(why);
};

const asTupleValue: Fn = ({ args }) => [...args] as never;
const asTemplateTuple: Fn = ({ template }) => [...template] as never;
const constant: Fn = ({ template, args }) => lib.int(number(template[0] ?? args[0]));

/** A function of a layout that works on a tensor by its layout, the engine staying where it is. */
const onLayout =
  (f: (layout: lib.AnyLayout, call: Call) => lib.AnyLayout): Fn =>
  (call) => {
    const [first] = call.args;
    return isTensor(first) ? withLayout(first, f(first.layout, call)) : f(any(first), call);
  };

const relation =
  (f: (a: lib.IntTuple, b: lib.IntTuple) => boolean): Fn =>
  ({ args: [a, b] }) =>
    f(shapeOf(a), shapeOf(b));
const onTuples =
  (f: (a: lib.IntTuple, b: lib.IntTuple) => lib.IntTuple): Fn =>
  ({ args: [a, b] }) =>
    f(tuple(a), tuple(b)) as CppValue;

function makeLayout({ args: [first, second, ...rest] }: Call): lib.AnyLayout {
  if (isAnyLayout(first))
    return lib.concatenate(...([first, ...(second === undefined ? [] : [second]), ...rest] as lib.Layout[]));
  if (isMajor(second)) return lib.makeLayout(tuple(first), second.major);
  return second === undefined ? lib.makeLayout(tuple(first)) : lib.makeLayout(tuple(first), tuple(second));
}

const words = (values: readonly unknown[]): string => values.map(String).join(" ");
const valuesOf = (value: CppValue | undefined): string =>
  words(isTensor(value) ? elementsOf(value).map(textOf) : lib.offsets(any(value)));

/** Rows of offsets: `0 2|1 3`. */
function grid(layout: lib.AnyLayout): string {
  const [rows, columns] = [lib.size(layout, 0), lib.size(layout, 1)];
  return Array.from({ length: rows }, (_unused, m) =>
    words(Array.from({ length: columns }, (_also, n) => lib.offsetAt(layout, [m, n]))),
  ).join("|");
}

/** The sizes of the modes of every mode, as numbers. */
const modeSizes = (shape: lib.IntTuple): string =>
  Array.isArray(shape)
    ? `(${shape.map((mode) => (Array.isArray(mode) ? `(${mode.map((m) => lib.size(m as never)).join(",")})` : String(lib.size(mode as never)))).join(",")})`
    : String(lib.size(shape as never));

const printing =
  (text: (call: Call) => string): Fn =>
  (call) => {
    call.print(text(call));
    return true;
  };

const scalar = (bits: number, dtype?: DType): Fn => {
  const type: CppType = dtype === undefined ? { kind: "type", bits } : { kind: "type", bits, dtype };
  return () => type;
};
const scalarTypes: Readonly<Record<string, Fn>> = {
  bool: scalar(8, "bool"),
  char: scalar(8, "int8"),
  int8_t: scalar(8, "int8"),
  uint8_t: scalar(8, "uint8"),
  int16_t: scalar(16, "int16"),
  uint16_t: scalar(16, "uint16"),
  int: scalar(32, "int32"),
  unsigned: scalar(32, "uint32"),
  int32_t: scalar(32, "int32"),
  uint32_t: scalar(32, "uint32"),
  float: scalar(32, "float32"),
  int64_t: scalar(64, "int64"),
  uint64_t: scalar(64, "uint64"),
  double: scalar(64, "float64"),
  half_t: scalar(16, "float16"),
  bfloat16_t: scalar(16, "bfloat16"),
  uint128_t: scalar(128),
  int4_t: scalar(4),
  uint4_t: scalar(4),
  uint2_t: scalar(2),
  uint1b_t: scalar(1),
};

/** Types and constants; a `{}` after them changes nothing. */
export const types: Readonly<Record<string, Fn>> = {
  Int: constant,
  C: constant,
  Shape: asTemplateTuple,
  Stride: asTemplateTuple,
  Step: asTemplateTuple,
  Tile: asTemplateTuple,
  Coord: asTemplateTuple,
  X: () => lib._,
  Underscore: () => lib._,
  E: ({ template }) => lib.E(...numbers(template)),
  Layout: ({ template }) => makeLayout({ args: template, template: [], print: () => {} }),
  LayoutLeft: () => ({ kind: "major", major: "left" }),
  LayoutRight: () => ({ kind: "major", major: "right" }),
  GenColMajor: () => ({ kind: "major", major: "left" }),
  GenRowMajor: () => ({ kind: "major", major: "right" }),
  Swizzle: ({ template }) => lib.swizzle(...(numbers(template) as [number, number, number])),
  ...tensorTypes,
  ...scalarTypes,
};

export const functions: Readonly<Record<string, Fn>> = {
  // tuples and layouts
  make_shape: asTupleValue,
  make_stride: asTupleValue,
  make_coord: asTupleValue,
  make_tile: asTupleValue,
  make_step: asTupleValue,
  make_tuple: asTupleValue,
  make_arithmetic_tuple: asTupleValue,
  make_basis_like: ({ args }) => basisLike(tuple(args[0])) as CppValue,
  as_arithmetic_tuple: ({ args }) => args[0] as CppValue,
  make_layout: makeLayout,
  make_ordered_layout: ({ args: [shape, order] }) =>
    lib.makeOrderedLayout(tuple(shape), isMajor(order) ? order.major : tuple(order)),
  make_layout_like: ({ args }) => lib.makeLayoutLike(plain(args[0])),
  make_identity_layout: ({ args }) => lib.makeIdentityLayout(tuple(args[0])),
  make_composed_layout: ({ args: [outer, offset, inner] }) =>
    lib.makeComposedLayout(outer as never, offset as lib.Int, plain(inner)),
  make_swizzle: ({ template: [y, z] }) =>
    lib.swizzleFromMasks(number(y), number(z)) ?? refused(`make_swizzle<${y},${z}>: no swizzle`),
  layout: ({ args, template }) => lib.modeOf(layoutOf(args[0]), ...numbers(template)),
  shape: ({ args, template }) => modeAt(args[0], template) as CppValue,
  stride: ({ args, template }) => lib.strideOf(layoutOf(args[0]) as lib.Layout, ...numbers(template)) as CppValue,
  get: ({ args, template }) =>
    isAnyLayout(args[0]) ? lib.modeOf(args[0], ...numbers(template)) : (modeAt(args[0], template) as CppValue),
  size: ({ args, template }) => lib.sizeInt(modeAt(args[0], template)),
  rank: ({ args, template }) => lib.int(lib.rank(modeAt(args[0], template))),
  depth: ({ args, template }) => lib.int(lib.depth(modeAt(args[0], template))),
  cosize: ({ args, template }) => lib.cosizeInt(layoutOf(args[0]), ...numbers(template)),
  coshape: ({ args, template }) => lib.coshape(layoutOf(args[0]), ...numbers(template)) as CppValue,
  coprofile: ({ args }) => lib.coprofile(plain(args[0])) as CppValue,
  append: ({ args: [a, b] }) => lib.append(plain(a), plain(b)),
  prepend: ({ args: [a, b] }) => lib.prepend(plain(a), plain(b)),
  replace: ({ args: [a, b], template }) => lib.replace(plain(a), number(template[0]), plain(b)),
  take: onLayout((l, { template: [begin, end] }) => lib.take(l, number(begin), number(end))),
  select: onLayout((l, { template }) => lib.select(l, ...numbers(template))),
  group: onLayout((l, { template: [begin, end] }) => lib.group(l, number(begin), number(end))),
  group_modes: onLayout((l, { template: [begin, end] }) => lib.group(l, number(begin), number(end))),
  flatten: onLayout((l) => lib.flatten(l)),
  unflatten: ({ args: [l, profile] }) => lib.unflatten(any(l), tuple(profile)),
  zip: ({ args: [a, b] }) => (b === undefined ? lib.zip(any(a)) : lib.zip(lib.concatenate(plain(a), plain(b)))),

  // shapes and coordinates
  product: ({ args }) => tuples.product(shapeOf(args[0])),
  product_each: ({ args }) => tuples.productEach(shapeOf(args[0])) as CppValue,
  sum: ({ args }) => tuples.sum(tuple(args[0])),
  shape_div: onTuples(tuples.shapeDiv),
  ceil_div: ({ args: [a, b] }) =>
    (Array.isArray(b) && b.some((part) => lib.isLayout(part))
      ? b.map((part, i) =>
          lib.ceilDivLayout((tuple(a) as readonly lib.IntTuple[])[i] as lib.IntTuple, part as lib.Layout),
        )
      : lib.isLayout(b)
        ? lib.ceilDivLayout(tuple(a), b)
        : lib.ceilDiv(tuple(a), tuple(b))) as CppValue,
  round_up: onTuples(tuples.roundUp),
  elem_scale: onTuples(tuples.elemScale),
  inner_product: onTuples(tuples.innerProduct),
  compact_col_major: ({ args: [shape] }) => lib.compactColMajor(tuple(shape)) as CppValue,
  compact_row_major: ({ args: [shape] }) => lib.compactRowMajor(tuple(shape)) as CppValue,
  congruent: relation(lib.congruent),
  weakly_congruent: relation(lib.weaklyCongruent),
  compatible: relation(lib.compatible),
  elem_less: relation(tuples.elemLess),
  elem_leq: relation(tuples.elemLeq),
  lex_less: relation(tuples.lexLess),
  lex_leq: relation(tuples.lexLeq),
  colex_less: relation(tuples.colexLess),
  colex_leq: relation(tuples.colexLeq),
  crd2idx: ({ args: [crd, shape, stride] }) =>
    lib.crd2idx(slice(crd), tuple(shape), stride === undefined ? undefined : tuple(stride)) as CppValue,
  idx2crd: ({ args: [index, shape, stride] }) =>
    lib.idx2crd(tuple(index), tuple(shape), stride === undefined ? undefined : tuple(stride)) as CppValue,
  crd2crd: ({ args: [crd, from, to] }) => lib.crd2crd(crd as lib.Coord, tuple(from), tuple(to)) as CppValue,
  slice: ({ args: [crd, l] }) => lib.slice(slice(crd), plain(l)),
  dice: ({ args: [crd, l] }) => lib.dice(slice(crd), plain(l)),
  slice_and_offset: ({ args: [crd, l] }) => [...lib.sliceAndOffset(slice(crd), any(l))] as never,

  // the algebra
  coalesce: onLayout((l, { args }) => lib.coalesce(l, args[1] === undefined ? undefined : tuple(args[1]))),
  filter: onLayout((l, { args }) => lib.filter(l, args[1] === undefined ? undefined : tuple(args[1]))),
  filter_zeros: onLayout((l) => lib.filterZeros(l as lib.Layout)),
  composition: onLayout((l, { args }) => lib.composition(l, args[1] as never)),
  complement: ({ args: [l, target] }) => lib.complement(any(l), target as never),
  right_inverse: ({ args }) => lib.rightInverse(any(args[0])),
  left_inverse: ({ args }) => lib.leftInverse(any(args[0])),
  nullspace: ({ args }) => lib.nullspace(plain(args[0])),
  max_common_vector: ({ args: [a, b] }) => lib.maxCommonVector(layoutOf(a), layoutOf(b)),
  max_common_layout: ({ args: [a, b] }) => lib.maxCommonLayout(layoutOf(a), layoutOf(b)),
  domain_distribute: ({ args: [shape, count] }) => lib.domainDistribute(tuple(shape), count as lib.Int),
  logical_divide: onLayout((l, { args }) => lib.logicalDivide(l, tiler(args[1]))),
  zipped_divide: onLayout((l, { args }) => lib.zippedDivide(l, tiler(args[1]))),
  tiled_divide: onLayout((l, { args }) => lib.tiledDivide(l, tiler(args[1]))),
  flat_divide: onLayout((l, { args }) => lib.flatDivide(l, tiler(args[1]))),
  logical_product: onLayout((l, { args }) => lib.logicalProduct(l, tiler(args[1]))),
  zipped_product: onLayout((l, { args }) => lib.zippedProduct(l, tiler(args[1]))),
  tiled_product: onLayout((l, { args }) => lib.tiledProduct(l, tiler(args[1]))),
  flat_product: onLayout((l, { args }) => lib.flatProduct(l, tiler(args[1]))),
  blocked_product: onLayout((l, { args }) => lib.blockedProduct(l, plain(args[1]))),
  raked_product: onLayout((l, { args }) => lib.rakedProduct(l, plain(args[1]))),
  tile_to_shape: onLayout((l, { args: [, target, order] }) =>
    lib.tileToShape(l, tuple(target), order === undefined ? undefined : isMajor(order) ? order.major : tuple(order)),
  ),
  upcast: onLayout((l, { template }) => lib.upcast(l, number(template[0]))),
  downcast: onLayout((l, { template }) => lib.downcast(l, number(template[0]))),
  recast_layout: onLayout((l, { template: [from, to] }) => lib.recastLayout(l, widthOf(from), widthOf(to))),
  max_alignment: ({ args }) => lib.maxAlignment(layoutOf(args[0])),

  ...tensorFunctions,

  // printing
  print: printing(({ args }) => printed(args[0] as CppValue)),
  printf: printing(({ args: [format, ...values] }) => {
    let next = 0;
    return String(format).replaceAll(/%(?:%|[0-9]*[dsu])/g, (mark) =>
      mark === "%%" ? "%" : printed(values[next++] as CppValue).replaceAll("_", ""),
    );
  }),
  vals: printing(({ args }) => valuesOf(args[0])),
  tv: printing(({ args }) => valuesOf(args[0])),
  cvals: printing(({ args }) => valuesOf(args[0])),
  lo: printing(({ args }) => layoutAndOffset(args[0] as CppValue)),
  print_layout: printing(({ args }) => drawn("printLayout", layoutOf(args[0]))),
  print_latex: printing(({ args }) => drawn("printLatex", layoutOf(args[0]))),
  VALS: printing(({ args }) => valuesOf(args[0])),
  GRID: printing(({ args }) => grid(layoutOf(args[0]))),
  BOOL: printing(({ args }) => String(args[0])),
  SHP: printing(({ args }) => modeSizes(shapeOf(args[0]))),
  SHAPE: printing(({ args }) => printed(shapeOf(args[0]) as CppValue)),
  SL: printing(({ args }) => layoutAndOffset(args[0] as CppValue)),
  PT: printing(({ args }) => printed(args[0] as CppValue)),
  PL: printing(({ args }) => drawn("printLayout", layoutOf(args[0]))),
};

export const methods: Readonly<Record<string, Method>> = {
  ...tensorMethods,
  layout: (self) => layoutOf(self),
  shape: (self) => shapeOf(self) as CppValue,
  stride: (self) => (layoutOf(self) as lib.Layout).stride as CppValue,
  size: (self) => lib.sizeInt(shapeOf(self)),
  cosize: (self) => lib.cosizeInt(layoutOf(self)),
  get_hier_coord: (self, { args: [index] }) => hierCoord(plain(self), index),
  get_1d_coord: (self, { args: [index] }) =>
    lib.crd2idx(hierCoord(plain(self), index) as lib.Coord, plain(self).shape) as CppValue,
  get_flat_coord: (self, { args: [index] }) => {
    const l = plain(self);
    return lib.crd2crd(hierCoord(l, index) as lib.Coord, l.shape, tuples.productEach(l.shape)) as CppValue;
  },
  with_shape: (self, { args }) => lib.withShape(any(self), args.length === 1 ? tuple(args[0]) : tuple(args as never)),
  compose: (self, { args }) => lib.composition(any(self), (args.length === 1 ? args[0] : [...args]) as never),
  tile: (self, { args }) => lib.tiledDivide(any(self), (args.length === 1 ? args[0] : [...args]) as never),
};

const hierCoord = (l: lib.Layout, index: CppValue | undefined): CppValue =>
  lib.idx2crd(tuple(index), l.shape, l.stride) as CppValue;

/** Operators: sums of coordinates, multiples of basis vectors and integers, equality. */
export const operators: Readonly<Record<string, (a: CppValue, b: CppValue) => CppValue>> = {
  "+": (a, b) => addCoords(tuple(a), tuple(b)) as CppValue,
  "*": (a, b) => {
    const [basis, factor] = lib.isBasis(a) ? [a, b] : [b, a];
    if (!lib.isBasis(basis)) return tuples.product([a, b] as never);
    const layout = lib.composition(lib.makeLayout(1 << 20, basis), lib.makeLayout(2, factor as lib.Int));
    return layout.stride as CppValue;
  },
  "==": (a, b) => printed(a).replaceAll("_", "") === printed(b).replaceAll("_", ""),
};

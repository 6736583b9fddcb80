/**
 * Moving elements between windows along a nest of two operands, target first: the bits as they are when the dtypes agree, a
 * cast when they differ. Source and target must not overlap, unless every element stays in its place; `loops.ts` sees to that.
 * Equal dtypes are moved as integers of their width, so that no bit of a NaN changes.
 */
import { type ArrayKind, type DType, dtypes, type TypedArray } from "../storage/dtype.ts";
import { reader, writer } from "./element.ts";
import { type Nest, nextTurn } from "./nest.ts";
import type { Windows } from "./windows.ts";

/** The two innermost loops over array slots: where both sides start, how they step, how often. */
interface Plane {
  to: number;
  from: number;
  readonly rows: number;
  readonly toRow: number;
  readonly fromRow: number;
  readonly size: number;
  readonly toStep: number;
  readonly fromStep: number;
}

// Rows with fewer slots than this are copied by a loop: making a view for a block move costs more.
const shortestBlock = 32;

// Dtypes whose array holds the values themselves: storing a number there is the cast.
const plain: ReadonlySet<DType> = new Set<DType>([
  "uint8",
  "int8",
  "int16",
  "uint16",
  "int32",
  "uint32",
  "float32",
  "float64",
]);

/** Moves every element of the nest from one window to another, cast to the target's dtype. */
export function moveElements(nest: Nest, to: Windows, toType: DType, from: Windows, fromType: DType): void {
  const target = dtypes[toType];
  const source = dtypes[fromType];
  if (toType === fromType) {
    const { itemsize } = target;
    const kind: ArrayKind = itemsize === 1 ? "u8" : itemsize === 2 ? "u16" : "i32";
    moveSlots(nest, to.array(kind), from.array(kind), kind, Math.max(1, itemsize / 4));
  } else if (plain.has(toType) && plain.has(fromType))
    moveSlots(nest, to.array(target.array), from.array(source.array), "cast", 1);
  else castElements(nest, to.array(target.array), toType, from.array(source.array), fromType);
}

/** Moves `width` neighbouring slots per element; `how` names the loop for these two arrays. */
function moveSlots(nest: Nest, to: TypedArray, from: TypedArray, how: ArrayKind | "cast", width: number): void {
  const loops = nest.sizes.length;
  const turns = loops > 2 ? nest.sizes.map(() => 0) : nest.sizes;
  const positions = loops > 2 ? nest.starts.slice() : nest.starts;
  const plane: Plane = {
    to: 0,
    from: 0,
    rows: loops > 1 ? (nest.sizes[loops - 2] as number) : 1,
    toRow: loops > 1 ? width * stepOf(nest, 0, 2) : 0,
    fromRow: loops > 1 ? width * stepOf(nest, 1, 2) : 0,
    size: loops > 0 ? (nest.sizes[loops - 1] as number) : 1,
    toStep: loops > 0 ? width * stepOf(nest, 0, 1) : width,
    fromStep: loops > 0 ? width * stepOf(nest, 1, 1) : width,
  };
  const isBlock = plane.toStep === width && plane.fromStep === width && plane.size * width >= shortestBlock;
  do {
    plane.to = width * (positions[0] as number);
    plane.from = width * (positions[1] as number);
    if (isBlock) moveBlocks(to, from, plane, width);
    else if (how === "cast") moveNumbers(to as Float64Array, from as Float64Array, plane);
    else if (width > 1) moveWide(to as Int32Array, from as Int32Array, plane, width);
    else if (how === "i32") moveWords(to as Int32Array, from as Int32Array, plane);
    else if (how === "u16") moveShorts(to as Uint16Array, from as Uint16Array, plane);
    else moveBytes(to as Uint8Array, from as Uint8Array, plane);
  } while (loops > 2 && nextTurn(nest, 2, turns, positions));
}

/** The step of operand `k` in the loop that is `inner`-th from the inside. */
function stepOf(nest: Nest, k: number, inner: number): number {
  const strides = nest.strides[k] as number[];
  return strides[strides.length - inner] as number;
}

function moveBlocks(to: TypedArray, from: TypedArray, plane: Plane, width: number): void {
  const count = plane.size * width;
  for (let row = 0; row < plane.rows; row++) {
    const at = plane.to + row * plane.toRow;
    const start = plane.from + row * plane.fromRow;
    if (to === from) to.copyWithin(at, start, start + count);
    else (to as Int32Array).set((from as Int32Array).subarray(start, start + count), at);
  }
}

// The same loop once per kind of array, so that each one only ever meets its own.
function moveBytes(to: Uint8Array, from: Uint8Array, plane: Plane): void {
  const { rows, toRow, fromRow, size, toStep, fromStep } = plane;
  for (let row = 0; row < rows; row++) {
    let at = plane.to + row * toRow;
    let start = plane.from + row * fromRow;
    for (let i = 0; i < size; i++, at += toStep, start += fromStep) to[at] = from[start] as number;
  }
}

function moveShorts(to: Uint16Array, from: Uint16Array, plane: Plane): void {
  const { rows, toRow, fromRow, size, toStep, fromStep } = plane;
  for (let row = 0; row < rows; row++) {
    let at = plane.to + row * toRow;
    let start = plane.from + row * fromRow;
    for (let i = 0; i < size; i++, at += toStep, start += fromStep) to[at] = from[start] as number;
  }
}

function moveWords(to: Int32Array, from: Int32Array, plane: Plane): void {
  const { rows, toRow, fromRow, size, toStep, fromStep } = plane;
  for (let row = 0; row < rows; row++) {
    let at = plane.to + row * toRow;
    let start = plane.from + row * fromRow;
    for (let i = 0; i < size; i++, at += toStep, start += fromStep) to[at] = from[start] as number;
  }
}

function moveWide(to: Int32Array, from: Int32Array, plane: Plane, width: number): void {
  const { rows, toRow, fromRow, size, toStep, fromStep } = plane;
  for (let row = 0; row < rows; row++) {
    let at = plane.to + row * toRow;
    let start = plane.from + row * fromRow;
    for (let i = 0; i < size; i++, at += toStep, start += fromStep)
      for (let word = 0; word < width; word++) to[at + word] = from[start + word] as number;
  }
}

/** Any two arrays of numbers, whatever their kinds. */
function moveNumbers(to: Float64Array, from: Float64Array, plane: Plane): void {
  const { rows, toRow, fromRow, size, toStep, fromStep } = plane;
  for (let row = 0; row < rows; row++) {
    let at = plane.to + row * toRow;
    let start = plane.from + row * fromRow;
    for (let i = 0; i < size; i++, at += toStep, start += fromStep) to[at] = from[start] as number;
  }
}

/** The general cast, one value at a time; 64-bit integers pass as bigints, so that none is rounded on the way. */
function castElements(nest: Nest, to: TypedArray, toType: DType, from: TypedArray, fromType: DType): void {
  const write = writer(toType);
  const read = reader(fromType, "bigint");
  const loops = nest.sizes.length;
  const size = loops > 0 ? (nest.sizes[loops - 1] as number) : 1;
  const toStep = loops > 0 ? stepOf(nest, 0, 1) : 0;
  const fromStep = loops > 0 ? stepOf(nest, 1, 1) : 0;
  const positions = nest.starts.slice();
  const turns = nest.sizes.map(() => 0);
  do {
    let at = positions[0] as number;
    let start = positions[1] as number;
    for (let i = 0; i < size; i++, at += toStep, start += fromStep) write(to, at, read(from, start));
  } while (nextTurn(nest, 1, turns, positions));
}

/**
 * The vectors of a copy path, numbered in the memory order of both tensors: vector 0 is the first part of the run.
 * Each is moved by itself, as whole words, or converted element by element where the dtypes differ. This is how swizzled
 * tensors are copied and how threads share a copy; plain strides are left to the loops of `../../kernel`.
 */
import { reader, writer } from "../../kernel/element.ts";
import { knownValue } from "../../layout/int.ts";
import type { ComposedLayout } from "../../layout/layout.ts";
import { applySwizzle, isSwizzle, type Swizzle } from "../../layout/swizzle.ts";
import { type ArrayKind, type DType, dtypes, type TypedArray } from "../../storage/dtype.ts";
import { storageOf, type Tensor } from "../tensor.ts";
import { placeIn, wholeMemory } from "../whole-memory.ts";
import type { CopyPath } from "./copy-path.ts";
import { isComposedTensor } from "./strided-axes.ts";

/** One side of a copy: where its vectors begin, in elements from the start of its memory. */
interface Side {
  readonly first: number;
  readonly strides: readonly number[];
  readonly swizzle: Swizzle | null;
  readonly offset: number;
  /** Where the vector at a swizzled offset begins; refused where it does not end inside the storage. */
  readonly placeOf: (offset: number) => number;
}

function sideOf(t: Tensor, strides: readonly number[], vector: number, who: string): Side {
  const storage = wholeMemory(t, who);
  const info = dtypes[t.dtype];
  const first = storage.byteOffset / info.itemsize + t.start;
  const last = vector - 1;
  const side = { first, strides, placeOf: (offset: number) => placeIn(t, storage, info, offset + last, who) - last };
  if (!isComposedTensor(t)) return { ...side, swizzle: null, offset: 0 };
  const { outer, offset } = t.layout as ComposedLayout;
  return { ...side, swizzle: isSwizzle(outer) ? outer : null, offset: knownValue(offset) ?? 0 };
}

const placeOf = (side: Side, inside: number): number =>
  side.swizzle === null ? side.first + inside : side.placeOf(applySwizzle(side.swizzle, side.offset + inside));

/** The words in which elements of so many bytes are moved. */
const wordOf = (bytes: number): ArrayKind => (bytes % 4 === 0 ? "i32" : bytes % 2 === 0 ? "u16" : "u8");

/** Moves the `vector`-element vectors with the numbers `first`, `first + step`, ... below the number of vectors. */
export function moveVectors(
  source: Tensor,
  destination: Tensor,
  path: CopyPath,
  vector: number,
  first: number,
  step: number,
  who: string,
): void {
  // Writable first: that may move or grow the memory.
  const target = storageOf(destination, who).writable();
  const memory = storageOf(source, who).readable();
  const from = sideOf(source, path.from, vector, who);
  const to = sideOf(destination, path.to, vector, who);
  const shape = path.shape as readonly number[];
  const inRun = path.run / vector;
  let count = inRun;
  for (let axis = 1; axis < shape.length; axis++) count *= shape[axis] as number;
  const move =
    source.type === destination.type
      ? wordMover(target, memory, vector * dtypes[source.dtype].itemsize, dtypes[source.dtype].itemsize)
      : castMover(target, destination.dtype, memory, source.dtype);
  for (let j = first; j < count; j += step) {
    let rest = Math.floor(j / inRun);
    let fromOffset = (j % inRun) * vector;
    let toOffset = fromOffset;
    for (let axis = 1; rest > 0; axis++) {
      const size = shape[axis] as number;
      const digit = rest % size;
      fromOffset += digit * (from.strides[axis] as number);
      toOffset += digit * (to.strides[axis] as number);
      rest = (rest - digit) / size;
    }
    move(placeOf(to, toOffset), placeOf(from, fromOffset));
  }
}

interface Memory {
  array(kind: ArrayKind): TypedArray;
}

type Mover = (to: number, from: number) => void;

/** Moves `bytes` bytes from one element on, the places counted in elements. */
function wordMover(target: Memory, memory: Memory, bytes: number, itemsize: number): Mover {
  const kind = wordOf(Math.min(bytes, 4));
  const width = kind === "i32" ? 4 : kind === "u16" ? 2 : 1;
  const words = bytes / width;
  const scale = itemsize / width;
  const into = target.array(kind) as Int32Array;
  const out = memory.array(kind) as Int32Array;
  return (to, from) => {
    const at = to * scale;
    const start = from * scale;
    for (let word = 0; word < words; word++) into[at + word] = out[start + word] as number;
  };
}

/** Converts one element; 64-bit integers pass as bigints. */
function castMover(target: Memory, toType: DType, memory: Memory, fromType: DType): Mover {
  const write = writer(toType);
  const read = reader(fromType, "bigint");
  const into = target.array(dtypes[toType].array);
  const out = memory.array(dtypes[fromType].array);
  return (to, from) => write(into, to, read(out, from));
}

/**
 * Copies between elements that are selected by lists of offsets, for indexing with tensors.
 * An operand is a storage, a start and two lists; element (k, r) is at start + outer[k] + inner[r], in elements. Both operands have the same
 * dtype and lists of the same lengths.
 */
import { constant, type Expr } from "../expr/expr.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import { fixedStorage } from "./copy.ts";
import type { Kernel, Statement } from "./ir/kernel.ts";
import { loadScalar } from "./ir/scalar.ts";
import { blockedLoop, loop, store } from "./ir/statements.ts";
import { loopSymbol, offsetSymbol, sizeFrom, sizeSymbol } from "./ir/symbols.ts";
import { bitTypes } from "./map/copy-kernel.ts";
import { shortName } from "./map/short-name.ts";
import type { ElementStorage } from "./operand.ts";
import type { Buffer, ProgramBuilder } from "./program/builder.ts";
import { KernelTable } from "./program/kernels.ts";
import { lowerInHeap } from "./program/lower-in-heap.ts";
import { execute, withWorkspace } from "./program/run-program.ts";

export interface Scattered {
  readonly storage: ElementStorage;
  readonly start: number;
  readonly outer: ArrayLike<number>;
  readonly inner: ArrayLike<number>;
}

/** The number of rows per unit, if rows may be copied in any order. */
const block = 256;
const kernels = /* @__PURE__ */ new KernelTable();

/**
 * Copies element (k, r) of `from` to element (k, r) of `to`, in row-major order of (k, r): if elements of `to`
 * have equal offsets, the last write wins. The two operands must not overlap.
 */
export function moveScattered(from: Scattered, to: Scattered, dtype: DType): void {
  if (to.outer.length === 0 || to.inner.length === 0) return;
  const { itemsize } = dtypes[dtype];
  const isWide = itemsize === 16;
  const [source, target] = isWide ? [inHalves(from), inHalves(to)] : [from, to];
  // The lists are also operands, which are written to memory before the program runs.
  const lists = [target.outer, target.inner, source.outer, source.inner];
  withWorkspace(4 * lists.reduce((sum, list) => sum + list.length, 0), (memory, byteOffset) => {
    const words = memory.array("i32");
    let at = byteOffset / 4;
    const starts = lists.map((list) => {
      const start = at;
      words.set(list, at);
      at += list.length;
      return start;
    });
    const storage = fixedStorage(memory, 0);
    execute([to], [from], (builder) =>
      lowerMove(
        builder,
        source,
        target,
        isWide ? 8 : itemsize,
        starts.map((start) => ({ storage, start, itemsize: 4 })),
      ),
    );
  });
}

/** Elements of 16 bytes as pairs of 8 bytes. */
function inHalves({ storage, start, outer, inner }: Scattered): Scattered {
  const pairs = new Float64Array(2 * inner.length);
  for (let r = 0; r < pairs.length; r++) pairs[r] = 2 * inner[r >> 1] + (r & 1);
  return { storage, start: 2 * start, outer: Float64Array.from(outer, (offset) => 2 * offset), inner: pairs };
}

function lowerMove(
  builder: ProgramBuilder,
  from: Scattered,
  to: Scattered,
  itemsize: number,
  lists: readonly Buffer[],
): void {
  const [count, width] = [to.outer.length, to.inner.length];
  const rows = isRising(to.outer) ? Math.min(count, block) : count;
  const dtype = bitTypes[itemsize];
  lowerInHeap(builder, bufferOf(from, itemsize), dtype, spanOf(from), false, (source) =>
    lowerInHeap(builder, bufferOf(to, itemsize), dtype, spanOf(to), true, (target) =>
      builder.launch({
        kernel: kernels.entry(itemsize, () => moveKernel(dtype)),
        buffers: [target, source, ...lists],
        sizes: [count, width, rows],
        units: Math.ceil(count / rows),
        unitSize: rows * width,
      }),
    ),
  );
}

const bufferOf = ({ storage, start }: Scattered, itemsize: number): Buffer => ({ storage, start, itemsize });

function spanOf({ outer, inner }: Scattered): readonly [low: number, high: number] {
  const [[lowOuter, highOuter], [lowInner, highInner]] = [rangeOf(outer), rangeOf(inner)];
  return [lowOuter + lowInner, highOuter + highInner];
}

function rangeOf(list: ArrayLike<number>): readonly [low: number, high: number] {
  let low = list[0];
  let high = list[0];
  for (let k = 1; k < list.length; k++) {
    low = Math.min(low, list[k]);
    high = Math.max(high, list[k]);
  }
  return [low, high];
}

/** True if the offsets increase, so that no two rows have the same offset. */
function isRising(offsets: ArrayLike<number>): boolean {
  for (let k = 1; k < offsets.length; k++) if (offsets[k] <= offsets[k - 1]) return false;
  return true;
}

/** out[outOuter[k] + outInner[r]] = x[xOuter[k] + xInner[r]] */
function moveKernel(dtype: DType): Kernel {
  const sizes = [sizeFrom("count", 1), sizeFrom("width", 1), sizeFrom("rows", 1)];
  const [count, width, rows] = sizes.map(sizeSymbol);
  const [k, r] = [loopSymbol("k"), loopSymbol("r")];
  const lists = ["out_outer", "out_inner", "x_outer", "x_inner"];
  const fetch = (name: string, list: string, index: Expr): Statement => ({
    kind: "fetch",
    name,
    value: loadScalar("int32", list, index),
  });
  const at = (name: string): Expr => offsetSymbol(`${name}_row`).add(offsetSymbol(`${name}_column`));
  return {
    name: `${shortName(dtype)}_move_scattered`,
    buffers: [
      { name: "out", dtype, access: "write" },
      { name: "x", dtype, access: "read" },
      ...lists.map((name) => ({ name, dtype: "int32", access: "read" }) as const),
    ],
    scalars: [],
    sizes,
    modes: [],
    body: [
      blockedLoop("k", count, rows, [
        fetch("out_row", "out_outer", k),
        fetch("x_row", "x_outer", k),
        loop("serial", "r", constant(0), width, [
          fetch("out_column", "out_inner", r),
          fetch("x_column", "x_inner", r),
          store("out", at("out"), loadScalar(dtype, "x", at("x"))),
        ]),
      ]),
    ],
  };
}

/** Returns the offset of every element of a strided region, in row-major order. */
export function offsetsOf(shape: readonly number[], stride: readonly number[]): Float64Array {
  let size = 1;
  for (const extent of shape) size *= extent;
  const result = new Float64Array(size);
  let repeat = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const extent = shape[axis];
    const step = stride[axis];
    for (let i = 0; i < size; i++) result[i] = result[i] + (Math.floor(i / repeat) % extent) * step;
    repeat *= extent;
  }
  return result;
}

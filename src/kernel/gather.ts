/**
 * Moving elements between places given by lists of offsets: what index tensors need.
 * An operand is a storage, a start and two lists; element (k, r) lies at start + outer[k] + inner[r], in elements. Both
 * operands have the same dtype and lists of the same lengths.
 */
import { constant, type Expr } from "../expr/expr.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import { copyBytes, type Memory } from "../storage/memory.ts";
import { type KernelCall, kernelBackend } from "./backend.ts";
import type { Kernel, SizeParameter, Statement } from "./ir/kernel.ts";
import { loop } from "./ir/loop.ts";
import { loadScalar } from "./ir/scalar.ts";
import { loopSymbol, offsetSymbol, sizeSymbol } from "./ir/symbols.ts";
import { presentCall } from "./launch/call.ts";
import { ProgramTable, runProgram } from "./launch/programs.ts";
import { spoilRecording } from "./launch/recording.ts";
import { withBytes } from "./launch/temporary.ts";
import { bitTypes } from "./map/copy-kernel.ts";
import { shortName } from "./map/short-name.ts";
import type { ElementStorage } from "./operand.ts";

export interface Scattered {
  readonly storage: ElementStorage;
  readonly start: number;
  readonly outer: ArrayLike<number>;
  readonly inner: ArrayLike<number>;
}

/** Rows that one unit moves, where rows may be moved in any order. */
const block = 256;
let table: ProgramTable | null = null;

/**
 * Copies element (k, r) of `from` to element (k, r) of `to`, for all k, and r within k, in order: where places of `to` are equal, the
 * last one stays. The two do not lie across each other.
 */
export function moveScattered(from: Scattered, to: Scattered, dtype: DType): void {
  if (to.outer.length === 0 || to.inner.length === 0) return;
  to.storage.writable();
  from.storage.readable();
  const { itemsize } = dtypes[dtype];
  if (itemsize === 16) move(inHalves(from), inHalves(to), 8);
  else move(from, to, itemsize);
}

/** Elements of 16 bytes as pairs of 8. */
function inHalves({ storage, start, outer, inner }: Scattered): Scattered {
  const pairs = new Float64Array(2 * inner.length);
  for (let r = 0; r < pairs.length; r++) pairs[r] = 2 * (inner[r >> 1] as number) + (r & 1);
  return { storage, start: 2 * start, outer: Float64Array.from(outer, (offset) => 2 * offset), inner: pairs };
}

function move(from: Scattered, to: Scattered, itemsize: number): void {
  const [count, width] = [to.outer.length, to.inner.length];
  // The lists of places are not among what is launched.
  spoilRecording();
  withBytes(8 * (count + width), (memory, byteOffset) =>
    withReach(from, itemsize, false, (source, sourceAddress) =>
      withReach(to, itemsize, true, (target, targetAddress) => {
        const call = presentCall();
        setBuffer(call, 0, target, targetAddress);
        setBuffer(call, 1, source, sourceAddress);
        const words = memory.array("i32");
        let at = byteOffset / 4;
        for (const [k, list] of [to.outer, to.inner, from.outer, from.inner].entries()) {
          setBuffer(call, 2 + k, memory, at * 4);
          words.set(list, at);
          at += list.length;
        }
        const rows = isRising(to.outer) ? Math.min(count, block) : count;
        call.sizes[0] = count;
        call.sizes[1] = width;
        call.sizes[2] = rows;
        call.units = Math.ceil(count / rows);
        call.unitSize = rows * width;
        table ??= new ProgramTable();
        runProgram(table, itemsize, () => moveKernel(bitTypes[itemsize] as DType));
      }),
    ),
  );
}

function setBuffer(call: KernelCall, k: number, memory: Memory, address: number): void {
  call.memories[k] = memory;
  call.addresses[k] = address;
}

/** True if no two rows have one place, as far as can be told at a glance. */
function isRising(offsets: ArrayLike<number>): boolean {
  for (let k = 1; k < offsets.length; k++) if ((offsets[k] as number) <= (offsets[k - 1] as number)) return false;
  return true;
}

/** Calls `use` with where element 0 lies, in memory that the backend reaches: a copy of what the lists span, if need be. */
function withReach(
  { storage, start, outer, inner }: Scattered,
  itemsize: number,
  isWritten: boolean,
  use: (memory: Memory, address: number) => void,
): void {
  const memory = storage.readable();
  const address = storage.byteOffset + start * itemsize;
  if (kernelBackend().reaches(memory)) {
    use(memory, address);
    return;
  }
  const [low, high] = [least(outer) + least(inner), most(outer) + most(inner)];
  const bytes = (high - low + 1) * itemsize;
  const from = address + low * itemsize;
  withBytes(bytes, (copy, byteOffset) => {
    copyBytes(memory, from, copy, byteOffset, bytes);
    use(copy, byteOffset - low * itemsize);
    if (isWritten) copyBytes(copy, byteOffset, memory, from, bytes);
  });
}

function least(list: ArrayLike<number>): number {
  let result = list[0] as number;
  for (let k = 1; k < list.length; k++) result = Math.min(result, list[k] as number);
  return result;
}

function most(list: ArrayLike<number>): number {
  let result = list[0] as number;
  for (let k = 1; k < list.length; k++) result = Math.max(result, list[k] as number);
  return result;
}

const size = (name: string): SizeParameter => ({ name, min: 1, max: 2 ** 31 - 1 });
/** out[outOuter[k] + outInner[r]] = x[xOuter[k] + xInner[r]] */
function moveKernel(dtype: DType): Kernel {
  const sizes = [size("count"), size("width"), size("rows")];
  const [count, width, rows] = sizes.map(sizeSymbol) as [Expr, Expr, Expr];
  const [u, k, r] = [loopSymbol("u"), loopSymbol("k"), loopSymbol("r")];
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
      loop("parallel", "u", constant(0), count.ceilDiv(rows), [
        loop("serial", "k", u.mul(rows), count.min(u.mul(rows).add(rows)), [
          fetch("out_row", "out_outer", k),
          fetch("x_row", "x_outer", k),
          loop("serial", "r", constant(0), width, [
            fetch("out_column", "out_inner", r),
            fetch("x_column", "x_inner", r),
            { kind: "store", buffer: "out", index: at("out"), value: loadScalar(dtype, "x", at("x")) },
          ]),
        ]),
      ]),
    ],
  };
}

/** The offset of every element of a strided region, in row-major order. */
export function offsetsOf(shape: readonly number[], stride: readonly number[]): Float64Array {
  let size = 1;
  for (const extent of shape) size *= extent;
  const result = new Float64Array(size);
  let repeat = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const extent = shape[axis] as number;
    const step = stride[axis] as number;
    for (let i = 0; i < size; i++) result[i] = (result[i] as number) + (Math.floor(i / repeat) % extent) * step;
    repeat *= extent;
  }
  return result;
}

/**
 * Stream compaction: the elements, or their flat indices, where a mask is true, in order.
 *
 * A unit is a block of the mask. The first program counts the true elements of each block; the counts are read and added up, which gives the
 * size of the result and the start of each block in it. In the second program a unit collects its elements in its own memory, where it
 * stores every element and advances only past those that are true, so that random masks cost no mispredicted branches, and copies them
 * to the result. Operands are dense lines.
 *
 * The bytes of a mask are added as they are, which is faster than a test for 0. The first program also finds the largest byte; if it is
 * not 0 or 1, which only memory of the user can have, both run with bytes that are tested.
 */
import { ceilDiv } from "../base/ints.ts";
import { listOf } from "../base/list-of.ts";
import { constant, type Expr } from "../expr/expr.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import { fixedStorage } from "./copy.ts";
import type { Kernel, Statement } from "./ir/kernel.ts";
import { cast, constantScalar, indexScalar, loadScalar, namedScalar } from "./ir/scalar.ts";
import { accumulate, accumulator, allocate, indexStatement, loop, store } from "./ir/statements.ts";
import { loopSymbol, offsetSymbol, sizeFrom, sizeSymbol } from "./ir/symbols.ts";
import { bitTypes } from "./map/copy-kernel.ts";
import { shortName } from "./map/short-name.ts";
import type { Operand } from "./operand.ts";
import type { Buffer, ProgramBuilder } from "./program/builder.ts";
import { KernelTable } from "./program/kernels.ts";
import { lowerInHeap } from "./program/lower-in-heap.ts";
import { execute, withWorkspace } from "./program/run-program.ts";

/** Elements of a unit, and those of one round of its loop. */
const block = 2048;
const unrolled = 16;

const kernels = /* @__PURE__ */ new KernelTable();

/** Elements of 16 bytes are not compacted; their indices are. */
export const isCompactable = (dtype: DType): boolean => bitTypes[dtypes[dtype].itemsize] !== undefined;

/**
 * Counts the true elements of a mask, and calls `allocate` with that number. It returns the operand for the result, which gets the values where
 * the mask is true, or without values the numbers of these elements, as int32.
 */
export function compact(mask: Operand, values: Operand | null, allocate: (count: number) => Operand): void {
  const n = mask.shape[0];
  if (n === 0) {
    allocate(0);
    return;
  }
  const units = ceilDiv(n, block);
  // For each block its number of true elements, which becomes its start in the result, and its largest byte.
  withWorkspace(8 * units, (memory, byteOffset) => {
    const list = (k: number): Buffer => ({
      storage: fixedStorage(memory, 0),
      start: byteOffset / 4 + k * units,
      itemsize: 4,
    });
    const [starts, largest] = [list(0), list(1)];
    let byte: ByteType = "uint8";
    const launch = (builder: ProgramBuilder, name: string, make: () => Kernel, buffers: readonly Buffer[]): void =>
      builder.launch({
        kernel: kernels.entry(`${name} ${byte}`, make),
        buffers,
        sizes: [n, units],
        units,
        unitSize: block,
      });
    const countBlocks = (): void =>
      execute([], [mask], (builder) =>
        lineInHeap(builder, mask, false, (from) =>
          launch(builder, "count", () => countKernel(byte), [starts, largest, from]),
        ),
      );
    countBlocks();
    const words = (): Int32Array => memory.array("i32");
    if (
      words()
        .subarray(largest.start, largest.start + units)
        .some((max) => max > 1)
    ) {
      byte = "bool";
      countBlocks();
    }
    const count = toStarts(words().subarray(starts.start, starts.start + units));
    const out = allocate(count);
    if (count === 0) return;
    const dtype = values === null ? null : bitTypes[dtypes[values.dtype].itemsize];
    const operands = [out, mask, ...(values === null ? [] : [values])];
    execute([out], operands.slice(1), (builder) => {
      const lowerFrom = (k: number, buffers: readonly Buffer[]): void => {
        if (k < operands.length)
          lineInHeap(builder, operands[k], k === 0, (buffer) => lowerFrom(k + 1, [...buffers, buffer]));
        else launch(builder, `compact ${dtype}`, () => compactKernel(dtype, byte), [...buffers, starts]);
      };
      lowerFrom(0, []);
    });
  });
}

/** Replaces each count by the sum of those before it, and returns the sum of all. */
function toStarts(counts: Int32Array): number {
  let sum = 0;
  for (let k = 0; k < counts.length; k++) {
    const own = counts[k];
    counts[k] = sum;
    sum += own;
  }
  return sum;
}

/** Calls `lower` with a dense line that the backend can address. */
function lineInHeap(builder: ProgramBuilder, line: Operand, isWritten: boolean, lower: (buffer: Buffer) => void): void {
  const { storage, offset: start, dtype, shape } = line;
  const buffer = { storage, start, itemsize: dtypes[dtype].itemsize };
  lowerInHeap(builder, buffer, dtype, [0, shape[0] - 1], isWritten, lower);
}

/** The dtype in which the bytes of a mask are read: unchanged, or compared with 0. */
export type ByteType = "uint8" | "bool";

const sizes = [sizeFrom("n", 0), sizeFrom("units", 0)];

/** counts[u] = the number of true elements of block u, and largest[u] = its largest byte */
export function countKernel(byte: ByteType): Kernel {
  const [n, units] = sizes.map(sizeSymbol);
  const [u, i, j] = ["u", "i", "j"].map(loopSymbol);
  const first = u.mul(block);
  const eachByte = (index: string, body: Statement, lanes: number): Statement =>
    loop("vector", index, first, n.min(first.add(block)), [body], lanes);
  const asByte = cast("uint8", loadScalar(byte, "mask", j));
  return {
    name: `count_true_${byte}`,
    buffers: [
      { name: "counts", dtype: "int32", access: "write" },
      { name: "largest", dtype: "int32", access: "write" },
      { name: "mask", dtype: byte, access: "read" },
    ],
    scalars: [],
    sizes,
    modes: [],
    body: [
      loop("parallel", "u", constant(0), units, [
        accumulator("count", "add", "int16"),
        accumulator("max", "max", "uint8"),
        eachByte("i", accumulate("count", "add", cast("int16", loadScalar(byte, "mask", i))), 16),
        eachByte("j", accumulate("max", "max", asByte), 32),
        store("counts", u, cast("int32", namedScalar("int16", "count"))),
        store("largest", u, cast("int32", namedScalar("uint8", "max"))),
      ]),
    ],
  };
}

/** Returns the kernel that compacts elements of a dtype, or with null the numbers of elements. */
export function compactKernel(dtype: DType | null, byte: ByteType): Kernel {
  const own = dtype ?? "int32";
  const [n, units] = sizes.map(sizeSymbol);
  const [u, g, i, j, first, length] = ["u", "g", "i", "j", "first", "length"].map(loopSymbol);
  const [start, total] = ["start", "total"].map(offsetSymbol);
  const count = namedScalar("int32", "count");
  /** Keeps the element at an index of the block if it is true; the next one overwrites it if it is not. */
  const keep = (index: Expr, end: string): Statement[] => {
    const number = first.add(index);
    const value = dtype === null ? indexScalar(own, number) : loadScalar(own, "x", number);
    return [
      { kind: "fetch", name: `slot${end}`, value: count },
      store("kept", offsetSymbol(`slot${end}`), value),
      accumulate("count", "add", cast("int32", loadScalar(byte, "mask", number))),
    ];
  };
  const groups = length.floorDiv(unrolled);
  const rounds = listOf(unrolled, (k) => keep(g.mul(unrolled).add(k), `${k}`)).flat();
  return {
    name: `${dtype === null ? "numbers_of_true" : `${shortName(own)}_compact`}_${byte}`,
    buffers: [
      { name: "out", dtype: own, access: "write" },
      { name: "mask", dtype: byte, access: "read" },
      ...(dtype === null ? [] : [{ name: "x", dtype, access: "read" } as const]),
      { name: "starts", dtype: "int32", access: "read" },
    ],
    scalars: [],
    sizes,
    modes: [],
    body: [
      loop("parallel", "u", constant(0), units, [
        // The element after the last true one is stored, too.
        allocate("kept", own, block + 1, "smem"),
        indexStatement("first", u.mul(block)),
        indexStatement("length", n.sub(first).min(block)),
        { kind: "accumulator", name: "count", initial: constantScalar("int32", 0) },
        loop("serial", "g", constant(0), groups, rounds),
        loop("serial", "i", groups.mul(unrolled), length, keep(i, "")),
        { kind: "fetch", name: "start", value: loadScalar("int32", "starts", u) },
        { kind: "fetch", name: "total", value: count },
        loop("vector", "j", constant(0), total, [store("out", start.add(j), loadScalar(own, "kept", j))], 16),
      ]),
    ],
  };
}

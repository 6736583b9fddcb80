/**
 * A stable radix sort of long rows by one kernel: its elements, or their indices, in ascending or descending order. -0 equals 0 where indices
 * are sorted and comes before it where elements are; NaN is the largest number.
 *
 * A unit sorts a row. It turns elements into keys, unsigned integers in the same order, and counts all their digits of 8 bits in one pass;
 * then it moves the keys digit by digit, the least significant first, between the halves of a buffer. A digit that all keys share
 * is skipped: its loop has no rounds, and the halves do not change roles.
 */
import { constant, type Expr } from "../expr/expr.ts";
import { type DType, dtypes, isHalf } from "../storage/dtype.ts";
import type { Kernel, Statement } from "./ir/kernel.ts";
import { bitcast, call, cast, constantScalar, indexScalar, loadScalar, namedScalar, type Scalar } from "./ir/scalar.ts";
import { accumulate, allocate, letStatement, loop, store } from "./ir/statements.ts";
import { loopSymbol, offsetSymbol, sizeFrom, sizeSymbol } from "./ir/symbols.ts";
import { bitTypes } from "./map/copy-kernel.ts";
import { shortName } from "./map/short-name.ts";
import type { Operand } from "./operand.ts";
import type { Buffer, ProgramBuilder } from "./program/builder.ts";
import { KernelTable } from "./program/kernels.ts";
import { lowerInHeap } from "./program/lower-in-heap.ts";

/** The shortest row that the kernel sorts; a loop without tables sorts shorter rows faster. */
export const longRow = 4096;
/** The largest number of elements that one launch sorts, if it sorts several rows. */
const maxTogether = 2 ** 22;

/** The output: the sorted elements, or their int32 indices. */
export type Sorted = "values" | "indices";

/** True if the kernel sorts elements of a dtype: all dtypes except complex ones, float16 and bfloat16. */
export const isSortable = (dtype: DType): boolean => dtypes[dtype].category !== "complex" && !isHalf(dtype);

const kernels = /* @__PURE__ */ new KernelTable();

/** Adds the steps that sort the rows of a dense input, rows x n, into a dense output of the same shape. */
export function lowerSort(
  builder: ProgramBuilder,
  sorted: Sorted,
  input: Operand,
  output: Operand,
  descending = false,
): void {
  const { dtype, shape } = input;
  const [rows, n] = shape;
  if (rows * n === 0) return;
  const keyBytes = Math.max(4, dtypes[dtype].itemsize);
  const kernel = kernels.entry(`${sorted} ${dtype} ${descending}`, () => sortKernel(sorted, dtype, descending));
  const together = Math.min(rows, Math.max(1, Math.floor(maxTogether / n)));
  const bufferOf = (operand: Operand): Buffer => ({
    storage: operand.storage,
    start: operand.offset,
    itemsize: dtypes[operand.dtype].itemsize,
  });
  builder.workspace(0, () => {
    const take = (itemsize: number): Buffer => {
      const [storage, byteOffset] = builder.take(2 * together * n * itemsize);
      return { storage, start: byteOffset / itemsize, itemsize };
    };
    const scratch = [take(keyBytes), ...(sorted === "indices" ? [take(4)] : [])];
    const reach = [0, rows * n - 1] as const;
    lowerInHeap(builder, bufferOf(output), output.dtype, reach, true, (to) =>
      lowerInHeap(builder, bufferOf(input), dtype, reach, false, (from) => {
        for (let row = 0; row < rows; row += together) {
          const units = Math.min(together, rows - row);
          const moved = (buffer: Buffer): Buffer => ({ ...buffer, start: buffer.start + row * n });
          builder.launch({
            kernel,
            buffers: [moved(to), moved(from), ...scratch],
            sizes: [n, units],
            units,
            unitSize: n,
          });
        }
      }),
    );
  });
}

interface KeyForm {
  /** The dtypes of elements as bits, and of keys. */
  readonly bits: DType;
  readonly key: "uint32" | "uint64";
  readonly digits: number;
  keyOf(bits: Scalar): Scalar;
  /** The bits of a key; zeros have their signs, and NaN is one of its bit patterns. */
  bitsOf(key: Scalar): Scalar;
}

/** Returns the conversions between elements of a dtype and keys. With `hasOneZero` both zeros have the same key. */
function keyForm(dtype: DType, descending: boolean, hasOneZero: boolean): KeyForm {
  const { itemsize, category } = dtypes[dtype];
  const bits = bitTypes[itemsize];
  const isWide = itemsize === 8;
  const [key, int] = isWide ? (["uint64", "int64"] as const) : (["uint32", "int32"] as const);
  const number = (value: bigint): Scalar =>
    constantScalar(int, isWide ? BigInt.asIntN(64, value) : Number(BigInt.asIntN(32, value)));
  const width = BigInt(8 * itemsize);
  const [sign, all] = [1n << (width - 1n), (1n << width) - 1n];
  const isFloat = category === "float";
  const isSigned = dtype.startsWith("int");
  const flipped = (value: Scalar): Scalar => (descending ? call("xor", value, number(all)) : value);
  const signs = (value: Scalar): Scalar => call("shiftRight", value, number(width - 1n));
  const infinity = isWide ? 0x7ff0000000000000n : 0x7f800000n;
  const floatKey = (value: Scalar): Scalar => {
    const size = call("and", value, number(sign - 1n));
    const ordered = call("xor", value, call("or", signs(value), number(sign)));
    const joined = hasOneZero ? call("select", call("eq", size, number(0n)), number(sign), ordered) : ordered;
    return call("select", call("gt", size, number(infinity)), number(-1n), joined);
  };
  return {
    bits,
    key,
    digits: itemsize,
    keyOf(value) {
      // Bits of one or two bytes become a word without a sign.
      const word = itemsize < 4 ? call("and", cast(int, value), number(all)) : cast(int, value);
      return bitcast(key, flipped(isFloat ? floatKey(word) : isSigned ? call("xor", word, number(sign)) : word));
    },
    bitsOf(value) {
      const word = flipped(bitcast(int, value));
      if (!isFloat) return cast(bits, isSigned ? call("xor", word, number(sign)) : word);
      return call("xor", word, call("or", call("xor", signs(word), number(-1n)), number(sign)));
    },
  };
}

export function sortKernel(sorted: Sorted, dtype: DType, descending: boolean): Kernel {
  const isIndices = sorted === "indices";
  const { bits, key, digits, keyOf, bitsOf } = keyForm(dtype, descending, isIndices);
  const sizes = [sizeFrom("n", 1), sizeFrom("rows", 0)];
  const [n, rows] = sizes.map(sizeSymbol);
  const [u, i, z] = ["u", "i", "z"].map(loopSymbol);
  const row = u.mul(n);
  /** The index of an element of one half of the row's scratch memory. */
  const inHalf = (half: Expr, index: Expr): Expr => row.mul(2).add(half.mul(n)).add(index);
  const digitOf = (value: Scalar, digit: number): Scalar => {
    const shift = constantScalar(key, key === "uint64" ? BigInt(8 * digit) : 8 * digit);
    const mask = constantScalar(key, key === "uint64" ? 255n : 255);
    return call("and", digit === 0 ? value : call("shiftRight", value, shift), mask);
  };
  const fetch = (name: string, value: Scalar): Statement => ({ kind: "fetch", name, value });
  const zero = constantScalar("int32", 0);
  const each = (make: (digit: number) => Statement[]): Statement[] =>
    Array.from({ length: digits }, (_, digit) => make(digit)).flat();
  const firstKey = namedScalar(key, "key");
  const body: Statement[] = [
    ...each((d) => [allocate(`counts${d}`, "int32", 256, "smem")]),
    loop(
      "vector",
      "z",
      constant(0),
      constant(256),
      each((d) => [store(`counts${d}`, z, zero)]),
      4,
    ),
    loop("serial", "i", constant(0), n, [
      letStatement("key", keyOf(loadScalar(bits, "x", row.add(i)))),
      store("keys", inHalf(constant(0), i), firstKey),
      ...(isIndices ? [store("order", inHalf(constant(0), i), indexScalar("int32", i))] : []),
      ...each((d) => [
        fetch(`digit${d}`, digitOf(firstKey, d)),
        store(
          `counts${d}`,
          offsetSymbol(`digit${d}`),
          call("add", loadScalar("int32", `counts${d}`, offsetSymbol(`digit${d}`)), constantScalar("int32", 1)),
        ),
      ]),
    ]),
    { kind: "accumulator", name: "half", initial: zero },
    ...each((d) => passStatements(d)),
    fetch("last", namedScalar("int32", "half")),
    loop(
      "vector",
      "o",
      constant(0),
      n,
      [
        store(
          "out",
          row.add(loopSymbol("o")),
          isIndices
            ? loadScalar("int32", "order", inHalf(offsetSymbol("last"), loopSymbol("o")))
            : bitsOf(loadScalar(key, "keys", inHalf(offsetSymbol("last"), loopSymbol("o")))),
        ),
      ],
      4,
    ),
  ];

  /** Turns the counts of a digit into starts, and moves the keys; no key is moved if they all share the digit. */
  function passStatements(d: number): Statement[] {
    const [from, moves, index, bucket] = [`from${d}`, `moves${d}`, `index${d}`, `bucket${d}`].map(offsetSymbol);
    const [q, m] = [`q${d}`, `m${d}`].map(loopSymbol);
    const counts = `counts${d}`;
    const [own, sum, max, moved] = [`own${d}`, `sum${d}`, `max${d}`, `moved${d}`];
    const to = constant(1).sub(from);
    return [
      { kind: "accumulator", name: sum, initial: zero },
      { kind: "accumulator", name: max, initial: zero },
      loop("serial", `q${d}`, constant(0), constant(256), [
        letStatement(own, loadScalar("int32", counts, q)),
        store(counts, q, namedScalar("int32", sum)),
        accumulate(sum, "add", namedScalar("int32", own)),
        accumulate(max, "max", namedScalar("int32", own)),
      ]),
      fetch(`from${d}`, namedScalar("int32", "half")),
      fetch(`moves${d}`, cast("int32", call("lt", namedScalar("int32", max), indexScalar("int32", n)))),
      loop("serial", `m${d}`, constant(0), n.mul(moves), [
        letStatement(moved, loadScalar(key, "keys", inHalf(from, m))),
        fetch(`bucket${d}`, digitOf(namedScalar(key, moved), d)),
        fetch(`index${d}`, loadScalar("int32", counts, bucket)),
        store("keys", inHalf(to, index), namedScalar(key, moved)),
        ...(isIndices ? [store("order", inHalf(to, index), loadScalar("int32", "order", inHalf(from, m)))] : []),
        store(counts, bucket, indexScalar("int32", index.add(1))),
      ]),
      // The halves change roles: 1 - half.
      accumulate("half", "add", indexScalar("int32", moves.sub(moves.mul(from).mul(2)))),
    ];
  }
  return {
    name: `${shortName(dtype)}_sort_${sorted}${descending ? "_descending" : ""}`,
    buffers: [
      { name: "out", dtype: isIndices ? "int32" : bits, access: "write" },
      { name: "x", dtype: bits, access: "read" },
      { name: "keys", dtype: key, access: "readwrite" },
      ...(isIndices ? [{ name: "order", dtype: "int32", access: "readwrite" } as const] : []),
    ],
    scalars: [],
    sizes,
    modes: [],
    body: [loop("parallel", "u", constant(0), rows, body)],
  };
}

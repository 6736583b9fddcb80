/**
 * Runs the code that the operation tables of the WebAssembly backend emit, over arrays: a module that loads elements,
 * computes, and stores them. In vector form the bytes above the lanes are filled with noise, which operations must
 * ignore. Also the values to try for each dtype, and the comparison of results, in which all NaNs are equal.
 */
import { expect } from "vitest";
import { Builder } from "../../src/backends/wasm/emit/builder.ts";
import { scalarLoad, scalarStore, vectorLoad, vectorStore } from "../../src/backends/wasm/emit/memory-ops.ts";
import { type Assembler, representation, tee } from "../../src/backends/wasm/emit/representation.ts";
import { encodeModule } from "../../src/backends/wasm/encoder/module.ts";
import { reader, writer } from "../../src/kernel/element.ts";
import { type ArrayKind, type DType, dtypes, type TypedArray, type Value } from "../../src/storage/dtype.ts";

export const loweredDTypes = [
  "bool",
  "int8",
  "uint8",
  "int16",
  "uint16",
  "int32",
  "uint32",
  "int64",
  "uint64",
  "float32",
  "float64",
] as const satisfies readonly DType[];

/** 1 is the scalar form. */
export const laneCounts = [1, 2, 4, 8, 16] as const;

const arrays: Readonly<Record<ArrayKind, (length: number) => TypedArray>> = {
  i8: (n) => new Int8Array(n),
  u8: (n) => new Uint8Array(n),
  i16: (n) => new Int16Array(n),
  u16: (n) => new Uint16Array(n),
  i32: (n) => new Int32Array(n),
  u32: (n) => new Uint32Array(n),
  i64: (n) => new BigInt64Array(n),
  u64: (n) => new BigUint64Array(n),
  f32: (n) => new Float32Array(n),
  f64: (n) => new Float64Array(n),
};

export const arrayOf = (dtype: DType, length: number): TypedArray => arrays[dtypes[dtype].array](length);

const bytesOf = (array: TypedArray): Uint8Array => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** The function with the code that `write` emits, in a memory of two pages. */
export function instantiate(
  write: (a: Builder) => void,
  params: Readonly<Record<string, "i32">>,
): { run: (...args: number[]) => void; memory: Uint8Array } {
  const builder = new Builder(params);
  write(builder);
  const memory = new WebAssembly.Memory({ initial: 2, maximum: 2 });
  const bytes = encodeModule({
    name: "test",
    imports: [
      { module: "env", name: "memory", kind: "memory", shared: false, initial: 2, maximum: 2 },
      ...builder.imports,
    ],
    functions: [builder.finish("run")],
    exports: [{ name: "run", function: builder.imports.length }],
  });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), {
    env: { memory },
    Math: Math as unknown as WebAssembly.ModuleImports,
  });
  return { run: instance.exports["run"] as (...args: number[]) => void, memory: new Uint8Array(memory.buffer) };
}

const stride = 0x7000;

/** Noise above the low `used` bytes of the v128 on the stack. */
function pollute(a: Assembler, used: number): void {
  if (used === 16) return;
  const low = Array.from({ length: 16 }, (_, i) => (i < used ? 255 : 0));
  a.op("v128.const", low);
  a.op("v128.and");
  a.op(
    "v128.const",
    low.map((byte, i) => (byte ? 0 : (37 * i + 201) % 256)),
  );
  a.op("v128.or");
}

/**
 * Applies an operation to arrays of equal length, a multiple of `lanes` that fits in 28 kB. `emit` takes locals with an
 * element of each input, leaves one of `to` on the stack and returns true; if it returns false, so does this function.
 */
export function applyElementwise(
  inputs: readonly { readonly dtype: DType; readonly values: TypedArray }[],
  to: DType,
  lanes: number,
  emit: (a: Assembler, args: readonly number[]) => boolean,
): TypedArray | false {
  let emitted = true;
  const all = [...inputs.map(({ dtype }) => dtype), to];
  const { run, memory } = instantiate(
    (a) => {
      const pointers = all.map(() => a.local("i32"));
      pointers.forEach((pointer, k) => {
        a.op("i32.const", stride * k);
        a.set(pointer);
      });
      const body: typeof a.code = [];
      const before = a.code;
      a.code = body;
      const args = inputs.map(({ dtype }, k) => {
        const local = a.local(lanes === 1 ? representation(dtype).type : "v128");
        a.get(pointers[k] as number);
        if (lanes === 1) scalarLoad(a, dtype);
        else {
          vectorLoad(a, dtype, lanes);
          if (dtype !== "bool") pollute(a, lanes * dtypes[dtype].itemsize);
        }
        a.set(local);
        return local;
      });
      const out = pointers.at(-1) as number;
      if (lanes === 1) a.get(out);
      const length = body.length;
      emitted = emit(a, args);
      if (!emitted) {
        expect(body.length, "a refused operation has emitted something").toBe(length);
        a.code = [];
        return;
      }
      if (lanes === 1) scalarStore(a, to);
      else {
        const result = a.local("v128");
        a.set(result);
        vectorStore(a, to, lanes, out, result);
      }
      a.code = before;
      a.op("loop");
      a.append(body);
      all.forEach((dtype, k) => {
        a.get(pointers[k] as number);
        a.op("i32.const", lanes * dtypes[dtype].itemsize);
        a.op("i32.add");
        a.set(pointers[k] as number);
      });
      a.get(0);
      a.op("i32.const", 1);
      a.op("i32.sub");
      a.emit(tee(0));
      a.op("br_if", 0);
      a.op("end");
    },
    { rounds: "i32" },
  );
  if (!emitted) return false;
  const count = (inputs[0] as { values: TypedArray }).values.length;
  inputs.forEach(({ values }, k) => {
    memory.set(bytesOf(values), stride * k);
  });
  const result = arrayOf(to, count);
  const start = stride * inputs.length;
  memory.fill(0xee, start);
  run(count / lanes);
  bytesOf(result).set(memory.subarray(start, start + result.byteLength));
  expect(memory[start + result.byteLength], "the byte after the result").toBe(0xee);
  return result;
}

/** A generator of 32-bit numbers, the same in every run. */
export function randomWords(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
}

/** The difficult values of a dtype. */
export function extremes(dtype: DType): Value[] {
  const { category, itemsize } = dtypes[dtype];
  if (category === "bool") return [false, true];
  if (category === "float") {
    const [tiny, min, max, epsilon] =
      dtype === "float32"
        ? [2 ** -149, 2 ** -126, (2 - 2 ** -23) * 2 ** 127, 2 ** -23]
        : [2 ** -1074, 2 ** -1022, Number.MAX_VALUE, 2 ** -52];
    const sizes = [0, 1, 0.5, 1.5, 2.5, 3, tiny, min, max, 1 + epsilon, 2 ** 23 + 1, 2 ** 31, 2 ** 52 + 1, 2 ** 63];
    return [...sizes.flatMap((x) => [x, -x]), Infinity, -Infinity, Number.NaN];
  }
  const signed = dtype.startsWith("i");
  const top = 1n << BigInt(8 * itemsize - (signed ? 1 : 0));
  const near = signed ? [-top, 1n - top, -1n, -2n, -7n] : [top / 2n, top / 2n - 1n];
  return [0n, 1n, 2n, 3n, 7n, 8n, BigInt(8 * itemsize - 1), BigInt(8 * itemsize), top - 2n, top - 1n, ...near];
}

/** Numbers with random bits, small integers and fractions among them. */
export function randomArray(dtype: DType, length: number, words: () => number): TypedArray {
  const array = arrayOf(dtype, length);
  const bytes = bytesOf(array);
  for (let i = 0; i < bytes.length; i++) bytes[i] = dtype === "bool" ? words() & 1 : words();
  const write = writer(dtype);
  for (let i = 0; i < length; i += 3) {
    const size = 2 ** (words() % 70);
    write(array, i, ((words() % 2001) - 1000) * (words() & 1 ? size / 64 : 1 / 8));
  }
  return array;
}

/** Arrays of `arity` operands: every combination of extremes (up to three operands), then random ones; a multiple of 16. */
export function operands(types: readonly DType[], random: number, seed: number): TypedArray[] {
  const words = randomWords(seed);
  const tables = types.map(extremes);
  const combinations = tables.reduce((product, table) => product * table.length, 1);
  const length = Math.ceil((combinations + random) / 16) * 16;
  return types.map((dtype, k) => {
    const array = randomArray(dtype, length, words);
    const write = writer(dtype);
    const table = tables[k] as Value[];
    let stride = 1;
    for (let j = 0; j < k; j++) stride *= (tables[j] as Value[]).length;
    for (let i = 0; i < combinations; i++) write(array, i, table[Math.floor(i / stride) % table.length] as Value);
    return array;
  });
}

/** The elements of an array as values, 64-bit integers as bigints. */
export function valuesOf(dtype: DType, array: TypedArray): Value[] {
  const read = reader(dtype, "bigint");
  return Array.from({ length: array.length }, (_, i) => read(array, i));
}

/** Fails with the operands of the first element that differs; zeros have signs. */
export function expectElements(
  what: string,
  actual: TypedArray,
  expected: TypedArray,
  inputs: readonly TypedArray[],
): void {
  for (let i = 0; i < expected.length; i++)
    if (!Object.is(actual[i], expected[i]))
      expect.fail(
        `${what} of ${inputs.map((input) => input[i])}: ${actual[i]} instead of ${expected[i]} (element ${i})`,
      );
}

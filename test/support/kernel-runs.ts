/**
 * Runs one kernel twice over the same bytes, as WebAssembly and by the reference backend, and compares all of the
 * memory: the stored elements, and that nothing else was touched. Arguments are arrays of elements; each buffer is
 * surrounded by bytes of noise.
 */
import { expect } from "vitest";
import { referenceBackend } from "../../src/backends/reference/backend.ts";
import { type ArgumentLayout, writeArguments } from "../../src/backends/wasm/arguments.ts";
import { instantiate, kernelModule, type RunKernel } from "../../src/backends/wasm/compile-kernel.ts";
import type { KernelCall } from "../../src/kernel/backend.ts";
import type { Kernel } from "../../src/kernel/ir/kernel.ts";
import { parseKernel } from "../../src/kernel/ir/parse.ts";
import { type DType, dtypes, type TypedArray, type Value } from "../../src/storage/dtype.ts";
import { BufferMemory } from "../../src/storage/memory.ts";

export interface RunArguments {
  /** The contents of each buffer, by name; a name that occurs twice is one buffer (in-place kernels). */
  readonly buffers: Readonly<Record<string, TypedArray | { readonly at: string }>>;
  /** The index in its array of each buffer's element 0. Default: 0. */
  readonly starts?: Readonly<Record<string, number>>;
  readonly scalars?: Readonly<Record<string, Value>>;
  readonly sizes?: Readonly<Record<string, number>>;
  readonly modes?: Readonly<Record<string, readonly number[]>>;
  readonly units: number;
  /** The ranges of units that the function is called with. Default: one range with all units. */
  readonly unitsAtOnce?: number;
  readonly relaxedSimd?: boolean;
  /** The largest allowed relative difference of floats. Default: 0. */
  readonly tolerance?: number;
}

const argumentsAt = 1024;
const scratchAt = 8192;
const dataAt = 32768;

let memoryInUse: WebAssembly.Memory | undefined;

/** One memory for all runs, because an engine reserves much for each. */
function openMemory(bytes: number): WebAssembly.Memory {
  memoryInUse ??= new WebAssembly.Memory({ initial: 1, maximum: 65536 });
  const missing = Math.ceil((bytes - memoryInUse.buffer.byteLength) / 65536);
  if (missing > 0) memoryInUse.grow(missing);
  return memoryInUse;
}

/** The size in bytes of the argument block of a call. */
export function argumentBytes(layout: ArgumentLayout, call: KernelCall): number {
  let words = 0;
  for (let i = 0; i < layout.rowWords.length; i++) words += (call.modes[i] as number[]).length;
  return layout.rows + 4 * words;
}

interface Runnable {
  readonly layout: ArgumentLayout;
  readonly scratchBytes: number;
  readonly run: RunKernel;
}

let last: { readonly kernel: Kernel; readonly relaxedSimd: boolean; readonly runnable: Runnable } | undefined;

/** The compiled kernel; the last one is cached. */
function compile(kernel: Kernel, memory: WebAssembly.Memory, relaxedSimd: boolean): Runnable {
  if (last?.kernel !== kernel || last.relaxedSimd !== relaxedSimd) {
    const { bytes, layout, scratchBytes } = kernelModule(kernel, { relaxedSimd, shared: false });
    last = { kernel, relaxedSimd, runnable: { layout, scratchBytes, run: instantiate(bytes, memory, scratchAt) } };
  }
  return last.runnable;
}

const parsed = new Map<string, Kernel>();

function kernelOf(source: Kernel | string): Kernel {
  if (typeof source !== "string") return source;
  let kernel = parsed.get(source);
  if (kernel === undefined) {
    kernel = parseKernel(source);
    parsed.set(source, kernel);
  }
  return kernel;
}

/** The memory before a run, and the addresses of the buffers in it. */
interface Prepared {
  readonly kernel: Kernel;
  readonly memory: WebAssembly.Memory;
  readonly end: number;
  readonly addresses: ReadonlyMap<string, number>;
}

function prepare(source: Kernel | string, run: RunArguments): Prepared {
  const addresses = new Map<string, number>();
  let end = dataAt;
  for (const [name, held] of Object.entries(run.buffers)) {
    if ("at" in held && !ArrayBuffer.isView(held))
      addresses.set(name, addresses.get((held as { at: string }).at) as number);
    else {
      addresses.set(name, end + 64);
      end += Math.ceil((held as TypedArray).byteLength / 16) * 16 + 128;
    }
  }
  const memory = openMemory(end);
  const bytes = new Uint8Array(memory.buffer, 0, end);
  // The initial values of allocated elements are unspecified: 0 here, as in the reference.
  bytes.fill(0, 0, dataAt);
  for (let i = dataAt; i < end; i++) bytes[i] = (i * 151 + 7) & 255;
  for (const [name, held] of Object.entries(run.buffers)) {
    if (!ArrayBuffer.isView(held)) continue;
    bytes.set(new Uint8Array(held.buffer, held.byteOffset, held.byteLength), addresses.get(name) as number);
  }
  return { kernel: kernelOf(source), memory, end, addresses };
}

function callOver({ kernel, addresses }: Prepared, run: RunArguments, memory: BufferMemory): KernelCall {
  const addressOf = (name: string, dtype: DType): number =>
    (addresses.get(name) as number) + (run.starts?.[name] ?? 0) * dtypes[dtype].itemsize;
  return {
    memories: kernel.buffers.map(() => memory),
    addresses: kernel.buffers.map(({ name, dtype }) => addressOf(name, dtype)),
    scalars: kernel.scalars.map(({ name }) => run.scalars?.[name] as Value),
    sizes: kernel.sizes.map(({ name }) => run.sizes?.[name] as number),
    modes: kernel.modes.map(({ name }) => [...(run.modes?.[name] ?? [])]),
    units: run.units,
    unitSize: 1,
  };
}

/** Runs the kernel as WebAssembly over the prepared memory. */
function runAsWasm(prepared: Prepared, run: RunArguments): BufferMemory {
  const { kernel, memory } = prepared;
  const heap = new BufferMemory("heap", memory.buffer);
  const compiled = compile(kernel, memory, run.relaxedSimd ?? false);
  const call = callOver(prepared, run, heap);
  expect(argumentBytes(compiled.layout, call)).toBeLessThan(scratchAt - argumentsAt);
  expect(compiled.scratchBytes).toBeLessThan(dataAt - scratchAt);
  writeArguments(compiled.layout, heap, argumentsAt, call);
  const unitsAtOnce = run.unitsAtOnce ?? Math.max(1, run.units);
  for (let unit = 0; unit < run.units; unit += unitsAtOnce)
    compiled.run(argumentsAt, unit, Math.min(run.units, unit + unitsAtOnce));
  return heap;
}

/** Runs both, and fails if they differ. */
export function expectSameRuns(source: Kernel | string, run: RunArguments): void {
  const prepared = prepare(source, run);
  const { kernel, memory, end, addresses } = prepared;
  const expected = new BufferMemory("external", memory.buffer.slice(0, end));
  referenceBackend()
    .compile(kernel)
    .run(callOver(prepared, run, expected));
  const actual = runAsWasm(prepared, run);
  for (const { name, dtype } of kernel.buffers) {
    const held = run.buffers[name];
    if (!ArrayBuffer.isView(held)) continue;
    const range = { name, at: addresses.get(name) as number, byteLength: held.byteLength };
    const { array, itemsize } = dtypes[dtype];
    if (array === "f32" || array === "f64") compareFloats(expected, actual, array, range, run.tolerance ?? 0);
    else if (itemsize === 2 && dtypes[dtype].category === "float") compareHalves(expected, actual, range);
  }
  const [left, right] = [new Uint8Array(expected.buffer), new Uint8Array(actual.buffer)];
  for (let i = dataAt; i < end; i++) {
    if (left[i] === right[i]) continue;
    const map = [...addresses].map(([name, at]) => `${name} at ${at}`).join(", ");
    expect.fail(`${kernel.name}: byte ${i} is ${right[i]}, and should be ${left[i]}; ${map}.`);
  }
}

/** The bytes of a buffer after a run as WebAssembly. */
export function storedIn(name: string, source: Kernel | string, run: RunArguments): Uint8Array {
  const prepared = prepare(source, run);
  runAsWasm(prepared, run);
  const held = run.buffers[name] as TypedArray | { at: string };
  const { byteLength } = (ArrayBuffer.isView(held) ? held : run.buffers[held.at]) as TypedArray;
  const at = prepared.addresses.get(name) as number;
  return new Uint8Array(prepared.memory.buffer.slice(at, at + byteLength));
}

interface Range {
  readonly name: string;
  readonly at: number;
  readonly byteLength: number;
}

/** Compares floats as values, NaN equal to NaN, and then makes their bytes equal. */
function compareFloats(
  expected: BufferMemory,
  actual: BufferMemory,
  array: "f32" | "f64",
  { name, at, byteLength }: Range,
  tolerance: number,
): void {
  const itemsize = array === "f32" ? 4 : 8;
  const [left, right] = [expected.array(array), actual.array(array)];
  for (let i = at / itemsize; i < (at + byteLength) / itemsize; i++) {
    const [expected, got] = [left[i] as number, right[i] as number];
    const isClose = Object.is(expected, got) || Math.abs(expected - got) <= tolerance * Math.abs(expected);
    if (!isClose) expect.fail(`${name}[${i - at / itemsize}] is ${got}, and should be ${expected}.`);
    right[i] = expected;
    left[i] = expected;
  }
}

/** A NaN of 16 bits may have any payload; all others are compared as bytes. */
function compareHalves(expected: BufferMemory, actual: BufferMemory, { at, byteLength }: Range): void {
  const [left, right] = [expected.array("u16"), actual.array("u16")];
  for (let i = at / 2; i < (at + byteLength) / 2; i++) {
    const [expected, got] = [left[i] as number, right[i] as number];
    if ((expected & 0x7fff) > 0x7c00 && (got & 0x7fff) > 0x7c00) right[i] = expected;
  }
}

/** Compiling a kernel to a function: its imports and its scratch bytes. */
import { expect, test } from "vitest";
import { parseKernel } from "../../kernel/ir/parse.ts";
import { BufferMemory } from "../../storage/memory.ts";
import { writeArguments } from "./arguments.ts";
import { instantiate, kernelModule } from "./compile-kernel.ts";

const text = `kernel reversed
  buffer x: float64 read
  buffer out: float64 write
{
  parallel u in 0..2 {
    allocate tile: float64[3] in smem
    serial i in 0..3 {
      tile[i] = atan(x[3*u + i])
    }
    serial j in 0..3 {
      out[3*u + j] = tile[-j + 2]
    }
  }
}`;
const options = { relaxedSimd: false, shared: false };

test("scratch bytes are allocated in multiples of 16 from the thread's address on", () => {
  const { bytes, scratchBytes, layout, module } = kernelModule(parseKernel(text), options);
  expect(scratchBytes).toBe(32);
  expect(module.imports.map(({ name }) => name)).toEqual(["memory", "scratch", "atan"]);
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 });
  const heap = new BufferMemory("heap", memory.buffer);
  const values = heap.array("f64");
  for (let i = 0; i < 6; i++) values[128 + i] = i;
  const call = {
    memories: [heap, heap],
    addresses: [1024, 2048],
    scalars: [],
    sizes: [],
    modes: [],
    units: 2,
    unitSize: 3,
  };
  writeArguments(layout, heap, 64, call);
  const run = instantiate(bytes, memory, 4096);
  run(64, 1, 2);
  expect([...values.subarray(256, 262)]).toEqual([0, 0, 0, Math.atan(5), Math.atan(4), Math.atan(3)]);
  expect([...values.subarray(512, 516)]).toEqual([Math.atan(3), Math.atan(4), Math.atan(5), 0]);
  run(64, 0, 1);
  expect([...values.subarray(256, 259)]).toEqual([Math.atan(2), Math.atan(1), Math.atan(0)]);
});

test("a kernel that needs neither imports only the memory", () => {
  const { module, scratchBytes } = kernelModule(
    parseKernel("kernel empty\n{\n  parallel u in 0..4 {\n  }\n}"),
    options,
  );
  expect(module.imports.map(({ name }) => name)).toEqual(["memory"]);
  expect(scratchBytes).toBe(0);
});

test("the last block of 2^31 - 3 elements is computed in full", () => {
  const blocked = `kernel last
  buffer out: int32 write
  size n: 0..2147483647
  size block: 1..2147483647
{
  parallel u in 0..ceil(n/block) {
    vector i in block*u..min(block*u + block, n) by 4 {
      out[i] = int32[i]
    }
  }
}`;
  const { bytes, layout } = kernelModule(parseKernel(blocked), options);
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 });
  const heap = new BufferMemory("heap", memory.buffer);
  const [n, block] = [2 ** 31 - 3, 8];
  const last = Math.floor(n / block);
  const addresses = [1024 - 4 * block * last];
  writeArguments(layout, heap, 64, {
    memories: [heap],
    addresses,
    scalars: [],
    sizes: [n, block],
    modes: [],
    units: 1,
    unitSize: 8,
  });
  instantiate(bytes, memory, 0)(64, last, last + 1);
  const expected = [0, 1, 2, 3, 4].map((i) => block * last + i);
  expect([...heap.array("i32").subarray(255, 262)]).toEqual([0, ...expected, 0]);
});

test("a module can have a shared memory and another maximum", () => {
  const { bytes } = kernelModule(parseKernel(text), { ...options, shared: true, maximumPages: 100 });
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 100, shared: true });
  expect(instantiate(bytes, memory, 0)).toBeInstanceOf(Function);
});

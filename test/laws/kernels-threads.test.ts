/**
 * Two threads compute the same bytes as one, and both those of the reference. All work of two units is shared here, and
 * this thread pauses before each of its chunks, so that the worker takes some. If memory cannot be shared, there is one
 * thread.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Trampoline } from "../../src/backends/wasm/backend.ts";
import { configure } from "../../src/backends/wasm/options.ts";
import { sharing, type Threads } from "../../src/backends/wasm/threads.ts";
import { type KernelBackend, kernelBackend, replaceBackend } from "../../src/kernel/backend.ts";
import { parseKernel } from "../../src/kernel/ir/parse.ts";
import { lowerThreads } from "../../src/kernel/lower/lower-threads.ts";
import type { MapKernel } from "../../src/kernel/map/map.ts";
import type { TypedArray } from "../../src/storage/dtype.ts";
import { Storage } from "../../src/storage/storage.ts";
import { blockKernels, blockModes } from "../support/block-kernels.ts";
import { expectAgreement, requestedCases, runCase } from "../support/kernel-agreement.ts";
import { type KernelCase, kernelCase } from "../support/kernel-cases.ts";
import { differenceOf } from "../support/kernel-difference.ts";
import { specOf } from "../support/kernel-specs.ts";
import { dice } from "../support/operands.ts";

const casesPerSpec = 3;
const specs = Math.ceil((requestedCases ?? 600) / casesPerSpec);
const breakTime = 0.1;

type Opened = KernelBackend & { readonly threads: Threads; readonly trampoline: Trampoline };
let installed: Opened;
let run: Trampoline["run"];
const before = { ...sharing };

beforeAll(async () => {
  installed = kernelBackend() as Opened;
  Object.assign(sharing, { elements: 0, worth: 0, start: 0 });
  configure({ threads: 2 });
  const pool = installed.threads.forModules();
  for (let tries = 0; pool !== null && pool.started() < 1 && tries < 1000; tries++)
    await new Promise((ready) => setTimeout(ready, 10));
  run = installed.trampoline.run;
  (installed.trampoline as { run: Trampoline["run"] }).run = (slot, args, begin, end) => {
    for (const until = performance.now() + breakTime; performance.now() < until; );
    run(slot, args, begin, end);
  };
});

afterAll(async () => {
  (installed.trampoline as { run: Trampoline["run"] }).run = run;
  Object.assign(sharing, before);
  replaceBackend(installed);
  await installed.threads.shutdown();
  configure({ threads: "auto" });
});

/** Small units, so that there are several. */
const inUnits = (cases: KernelCase): KernelCase => ({ ...cases, unit: 1 + (cases.unit % 24), side: 16 });

test(`one thread and two compute the same bytes (${specs * casesPerSpec} cases)`, () => {
  for (let number = 0; number < specs; number++) {
    const judged = specOf(number * 7);
    const roll = dice(number * 37 + 11);
    // WebAssembly does not specify the bits of a NaN, and two tiers of one engine may produce different ones.
    const exactly = judged.spec.outputs.map(() => -1);
    const cases = Array.from({ length: casesPerSpec }, () => inUnits(kernelCase(judged.spec, roll)));
    const withOne = (kernel: MapKernel): Uint8Array[][] => {
      configure({ threads: 1 });
      const alone = cases.map((each) => runCase(kernel, each));
      configure({ threads: 2 });
      return alone;
    };
    expectAgreement(`spec ${number * 7}, two threads`, judged, cases, installed, (kernel, results, report) => {
      withOne(kernel).forEach((alone, k) => {
        const difference = differenceOf(cases[k] as KernelCase, alone, results[k] as readonly Uint8Array[], exactly);
        if (difference !== undefined) report(cases[k] as KernelCase, `two threads differ from one: ${difference}`);
      });
    });
  }
  const pool = installed.threads.report();
  if (pool !== null) expect([pool.helped > specs / 10, pool.lost]).toEqual([true, 0]);
}, 3_600_000);

test("blocks of threads are units, which two threads share", () => {
  for (const [name, { text, buffers, sizes, units, expected }] of Object.entries(blockKernels)) {
    const kernel = lowerThreads(parseKernel(text));
    const program = installed.compile(kernel);
    const storages = kernel.buffers.map((buffer) => {
      const array = buffers[buffer.name] as TypedArray;
      const storage = Storage.allocate(array.byteLength);
      new Uint8Array(storage.writable().buffer, storage.byteOffset, array.byteLength).set(
        new Uint8Array(array.buffer, array.byteOffset, array.byteLength),
      );
      return storage;
    });
    program.run({
      memories: storages.map((storage) => storage.writable()),
      addresses: storages.map(({ byteOffset }) => byteOffset),
      scalars: [],
      sizes: kernel.sizes.map((size) => sizes[size.name] as number),
      modes: kernel.modes.map((modes) => [...(blockModes[modes.name] as readonly number[])]),
      units,
      unitSize: 64,
    });
    program.release();
    for (const [out, values] of Object.entries(expected)) {
      const storage = storages[kernel.buffers.findIndex((buffer) => buffer.name === out)] as Storage;
      const elements = new Float32Array(storage.readable().buffer, storage.byteOffset, values.length);
      expect([...elements], name).toEqual(values);
    }
  }
});

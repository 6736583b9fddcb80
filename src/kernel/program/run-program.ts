/**
 * Runs programs: each step over the memory that its slots are bound to. This is the only file that fills in the arguments of kernels.
 */
import { InternalError } from "../../base/errors.ts";
import { ceilDiv } from "../../base/ints.ts";
import { cpuAllocator } from "../../storage/allocator.ts";
import { dtypes } from "../../storage/dtype.ts";
import { BufferMemory, type Memory } from "../../storage/memory.ts";
import { backendOf, type KernelBackend, type KernelCall, kernelBackend } from "../backend.ts";
import { maxOperands } from "../map/spec.ts";
import type { ElementStorage } from "../operand.ts";
import { tiling } from "../plan/tiles.ts";
import { isBoundStorage, ProgramBuilder } from "./builder.ts";
import { copyRuns } from "./contiguous-runs.ts";
import { compiledFor, compileEntry } from "./kernels.ts";
import type { Binding, Copy, CopyEnd, DenseLaunch, HostStep, Launch, Loop, Pieces, Program, Step } from "./program.ts";

const none: readonly never[] = [];

/** The arguments of the current launch. One object serves all launches, because no kernel calls code that launches another. */
const call: KernelCall = {
  memories: new Array(maxOperands),
  addresses: new Array<number>(maxOperands).fill(0),
  scalars: none,
  sizes: none,
  modes: none,
  units: 0,
  unitSize: 0,
};

/** The sizes of a dense launch: the number of elements, and of those in one unit. */
const sizes1d = [0, tiling.unit];

interface Stored {
  readonly storage: ElementStorage;
}

/** Lowers work and runs it at once. `written` and `read` are its operands. */
export function execute(
  written: readonly Stored[],
  read: readonly Stored[],
  lower: (builder: ProgramBuilder) => void,
): void {
  // Making operands ready may move or grow the memory, so it comes first.
  for (let k = 0; k < written.length; k++) written[k].storage.writable();
  for (let k = 0; k < read.length; k++) read[k].storage.readable();
  const first = written[0] ?? read[0];
  const builder = new ProgramBuilder(none, first === undefined ? kernelBackend() : backendOf(first.storage.readable()));
  lower(builder);
  runProgram(builder.finish(), bindingOf(builder));
}

/** Binds the slots of a program that was just built to their storages. */
export function bindingOf({ storages, origins, scalars, backend }: ProgramBuilder): Binding {
  const memories: Memory[] = [];
  const addresses: number[] = [0];
  for (let slot = 1; slot < storages.length; slot++) {
    const storage = storages[slot];
    if (!isBoundStorage(storage)) continue;
    memories[slot] = storage.readable();
    addresses[slot] = storage.byteOffset + origins[slot];
  }
  return { memories, addresses, scalars, count: 0, device: backend.device === undefined ? null : backend };
}

/** Runs a program whose slots are ready: nothing moves their memory until it ends. */
export function runProgram({ steps, workspace }: Program, binding: Binding): void {
  if (workspace === 0) runSteps(steps, binding);
  else
    withWorkspace(
      workspace,
      (memory, byteOffset) => {
        binding.memories[0] = memory;
        binding.addresses[0] = byteOffset;
        runSteps(steps, binding);
      },
      binding.device,
    );
}

function runSteps(steps: readonly Step[], binding: Binding): void {
  for (let k = 0; k < steps.length; k++) {
    const step = steps[k];
    switch (step.kind) {
      case "launch":
        launch(step, binding);
        break;
      case "copy":
        copy(step, binding);
        break;
      case "pieces":
        runPieces(step, binding);
        break;
      case "choice":
        runSteps(step.test(binding) ? step.steps : step.otherwise, binding);
        break;
      case "loop":
        runLoop(step, binding);
        break;
      case "host":
        if (binding.device === null) step.run(binding);
        else checkLater(step, binding, binding.device);
    }
  }
}

/** A device computes later, so a check of indices waits until elements are read. There are no other host steps on devices. */
function checkLater(
  { name, rule, run }: HostStep,
  { memories, addresses, scalars }: Binding,
  device: KernelBackend,
): void {
  if (rule?.kind !== "bounds" || device.readLater === undefined)
    throw new InternalError(`${name}: this step runs on the CPU only`);
  const { slot, shift, dtype, count } = rule;
  device.readLater(memories[slot], addresses[slot] + shift, count * dtypes[dtype].itemsize, (memory, address) => {
    const [own, at]: [Memory[], number[]] = [[], []];
    own[slot] = memory;
    at[slot] = address - shift;
    run({ memories: own, addresses: at, scalars, count: 0, device: null });
  });
}

/** Runs one dense launch. */
export function launchDense({ kernel, buffers }: DenseLaunch, { memories, addresses, scalars, count }: Binding): void {
  for (let k = 0; k < buffers; k++) {
    call.memories[k] = memories[k + 1];
    call.addresses[k] = addresses[k + 1];
  }
  sizes1d[0] = count;
  call.scalars = scalars;
  call.sizes = sizes1d;
  call.modes = none;
  call.units = count <= tiling.unit ? 1 : ceilDiv(count, tiling.unit);
  call.unitSize = Math.min(count, tiling.unit);
  kernel.wasUsed = true;
  (kernel.compiled ?? compileEntry(kernel)).run(call);
}

function launch(step: Launch, { memories, addresses, scalars, device }: Binding): void {
  const { kernel, slots, shifts } = step;
  for (let k = 0; k < slots.length; k++) {
    const slot = slots[k];
    call.memories[k] = memories[slot];
    call.addresses[k] = addresses[slot] + shifts[k];
  }
  call.scalars = step.scalars ?? scalars;
  call.sizes = step.sizes;
  call.modes = step.modes;
  call.units = step.units;
  call.unitSize = step.unitSize;
  kernel.wasUsed = true;
  (device === null ? (kernel.compiled ?? compileEntry(kernel)) : compiledFor(kernel, device)).run(call);
}

function copy({ from, to, run, counts, itemsize }: Copy, { memories, addresses }: Binding): void {
  const start = ({ slot, shift }: CopyEnd): number => (addresses[slot] + shift) / itemsize;
  copyRuns(itemsize, run, counts, memories[from.slot], start(from), from.steps, memories[to.slot], start(to), to.steps);
}

function runPieces({ rounds, moving, steps }: Pieces, binding: Binding): void {
  const { memories, addresses } = binding;
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < moving.length; k++) {
      const { slot, base, shift, advance } = moving[k];
      memories[slot] = memories[base];
      addresses[slot] = addresses[base] + shift + round * advance;
    }
    runSteps(steps, binding);
  }
}

function runLoop({ test, testSteps, steps }: Loop, binding: Binding): void {
  runSteps(testSteps, binding);
  while (test(binding)) {
    runSteps(steps, binding);
    runSteps(testSteps, binding);
  }
}

/** Calls `use` with uninitialized, 64-byte aligned bytes that the backend of the device, or the CPU, can address, and frees them afterward. */
export function withWorkspace<T>(
  bytes: number,
  use: (memory: Memory, byteOffset: number) => T,
  device: KernelBackend | null = null,
): T {
  if (device?.withWorkspace !== undefined) return device.withWorkspace(bytes, use);
  const { regions } = cpuAllocator();
  const { heap } = regions;
  const node = heap === null ? -1 : heap.allocate(bytes);
  if (heap === null || node < 0) {
    const memory = new BufferMemory("overflow", new ArrayBuffer(ceilDiv(bytes, 16) * 16));
    if (!kernelBackend().canAddress(memory)) throw regions.shortage("kernel", bytes);
    return use(memory, 0);
  }
  try {
    return use(heap.memory, heap.offsetOf(node));
  } finally {
    heap.release(node);
  }
}

/**
 * Checks that run when their bytes have arrived from the device: those of indices. The bytes are copied to a buffer that the CPU can map, which is
 * mapped when it is full or when elements are read.
 */
import { BufferMemory, type Memory } from "../../storage/memory.ts";

const usage = { mapRead: 1, copyTarget: 8 } as const;
const mapRead = 1;
const capacity = 2 ** 18;

/** The part of the recorder that checks use. */
interface Commands {
  readonly gpuDevice: GPUDevice;
  copy(from: GPUBuffer, fromOffset: number, to: GPUBuffer, toOffset: number, nbytes: number): void;
  flush(): void;
  await(work: Promise<void>): void;
}

type Use = (memory: Memory, address: number) => void;

/** The part of the recorder that checks need. */
interface Commands {
  readonly gpuDevice: GPUDevice;
  copy(from: GPUBuffer, at: number, to: GPUBuffer, toAt: number, bytes: number): void;
  flush(): void;
  await(result: Promise<void>): void;
}

/** One buffer, and the checks of its parts. */
interface Batch {
  readonly buffer: GPUBuffer;
  readonly uses: { readonly at: number; readonly use: Use }[];
  used: number;
}

export class Checks {
  readonly #recorder: Commands;
  #batch: Batch | null = null;

  constructor(recorder: Commands) {
    this.#recorder = recorder;
  }

  /** Adds a check of bytes, up to 256 kB. */
  add(from: GPUBuffer, address: number, bytes: number, use: Use): void {
    const size = Math.ceil(bytes / 8) * 8;
    if (this.#batch !== null && this.#batch.used + size > capacity) this.#recorder.await(this.finish());
    this.#batch ??= {
      buffer: this.#recorder.gpuDevice.createBuffer({ size: capacity, usage: usage.copyTarget | usage.mapRead }),
      uses: [],
      used: 0,
    };
    const { buffer, uses, used } = this.#batch;
    this.#recorder.copy(from, address, buffer, used, bytes);
    uses.push({ at: used, use });
    this.#batch.used = used + size;
  }

  /** Submits what is recorded and runs all checks. Rejects with the first error. */
  async finish(): Promise<void> {
    if (this.#batch === null) return;
    const { buffer, uses, used } = this.#batch;
    this.#batch = null;
    this.#recorder.flush();
    try {
      await buffer.mapAsync(mapRead, 0, used);
      const memory = new BufferMemory("external", buffer.getMappedRange(0, used).slice(0));
      for (const { at, use } of uses) use(memory, at);
    } finally {
      buffer.destroy();
    }
  }
}

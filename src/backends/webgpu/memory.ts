/**
 * Memory of a WebGPU device: one GPU buffer for each storage, from a pool with size classes.
 *
 * The commands of a queue run in order, so a buffer that is freed can be used again at once: later commands run after those that were recorded
 * before. Buffers of the pool that are not needed are destroyed when it holds too many bytes.
 */
import { StorageError } from "../../base/errors.ts";
import { cpuAllocator } from "../../storage/allocator.ts";
import { afterThisTurn, Collector } from "../../storage/collector.ts";
import { type Device, formatDevice } from "../../storage/device.ts";
import type { DeviceMemory } from "../../storage/memory.ts";
import type { Recorder } from "./recorder.ts";

// Values of the specification; the names are globals only where a page defines them.
const usage = { copySource: 4, copyTarget: 8, storage: 128 } as const;

const smallest = 256;

/** Addresses count from here, so that they differ from those of the CPU. */
const addresses = { next: 0x100000000000 };

export class GpuMemory implements DeviceMemory {
  readonly kind = "device";
  readonly device: Device;
  readonly baseAddress: number;
  readonly byteLength: number;
  readonly gpuBuffer: GPUBuffer;
  /** The serial number of the buffer. */
  readonly number: number;
  /** True while the pool has it. */
  isFree = false;
  readonly #recorder: Recorder;

  constructor(device: Device, recorder: Recorder, gpuBuffer: GPUBuffer, number: number) {
    this.device = device;
    this.#recorder = recorder;
    this.gpuBuffer = gpuBuffer;
    this.number = number;
    this.byteLength = gpuBuffer.size;
    this.baseAddress = addresses.next;
    addresses.next += gpuBuffer.size + smallest;
  }

  get buffer(): ArrayBufferLike {
    throw elementsOnDevice(this.device);
  }

  array(): never {
    throw elementsOnDevice(this.device);
  }

  write(byteOffset: number, bytes: Uint8Array): void {
    this.#recorder.write(this.gpuBuffer, byteOffset, bytes);
  }

  read(byteOffset: number, nbytes: number): Promise<ArrayBuffer> {
    return this.#recorder.read(this.gpuBuffer, byteOffset, nbytes);
  }

  copyFrom(from: DeviceMemory, fromOffset: number, byteOffset: number, nbytes: number): void {
    if (!(from instanceof GpuMemory) || from.#recorder !== this.#recorder)
      throw new StorageError(
        `webgpu: cannot copy from ${formatDevice(from.device)} to ${formatDevice(this.device)}. Copy through the CPU: (await x.cpu()).to(device)`,
      );
    this.#recorder.copy(from.gpuBuffer, fromOffset, this.gpuBuffer, byteOffset, nbytes);
  }
}

const elementsOnDevice = (device: Device): StorageError =>
  new StorageError(
    `storage: the elements are on ${formatDevice(device)}, and reading them takes time. Await them: await x.cpu(), await x.itemAsync() or await x.toArrayAsync()`,
  );

/** The number of bytes that a pool allocates for a request: one of four sizes for each power of two, at least 256. */
export function sizeClass(nbytes: number): number {
  if (nbytes <= smallest) return smallest;
  const step = Math.max(smallest, 2 ** (Math.floor(Math.log2(nbytes - 1)) - 2));
  return Math.ceil(nbytes / step) * step;
}

export interface DeviceStatistics {
  /** Bytes of live storages, each rounded up to its size class, and their maximum so far. */
  readonly live: number;
  readonly peak: number;
  /** The number of live storages that have bytes. */
  readonly count: number;
  /** Bytes of buffers that no storage uses. */
  readonly free: number;
  /** Buffers created since the start. */
  readonly created: number;
  /** Launches of kernels and submits to the queue since the start. */
  readonly launches: number;
  readonly submits: number;
}

/** The most bytes of free buffers: as many as are live, and at least this many. */
const minFree = 64 * 2 ** 20;

export class MemoryPool {
  readonly #device: Device;
  readonly #recorder: Recorder;
  /** Free buffers by size, the most recently freed one last. */
  readonly #free = new Map<number, GpuMemory[]>();
  #freeBytes = 0;
  #live = 0;
  #peak = 0;
  #count = 0;
  #created = 0;
  /** Changes when buffers are destroyed. */
  generation = 0;
  /** Makes the engine collect dropped tensors: it does not see the memory of the device. */
  readonly #collector = new Collector();
  #isArmed = false;

  constructor(device: Device, recorder: Recorder) {
    this.#device = device;
    this.#recorder = recorder;
  }

  allocate(nbytes: number): GpuMemory {
    const { gpuDevice } = this.#recorder;
    const { maxBufferSize, maxStorageBufferBindingSize } = gpuDevice.limits;
    const limit = Math.min(maxBufferSize, maxStorageBufferBindingSize);
    if (nbytes > limit)
      throw new StorageError(
        `webgpu: a tensor of ${nbytes} bytes is larger than ${limit}, the limit of this device for one buffer. Split it into parts.`,
      );
    const size = Math.min(sizeClass(nbytes), Math.floor(limit / 4) * 4);
    const memory = this.#free.get(size)?.pop() ?? this.#create(size, nbytes);
    if (memory.isFree) this.#freeBytes -= size;
    memory.isFree = false;
    this.#arm();
    this.#live += size;
    this.#peak = Math.max(this.#peak, this.#live);
    this.#count++;
    return memory;
  }

  /** Schedules the end of this turn of the event loop. */
  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    afterThisTurn(() => {
      this.#isArmed = false;
      this.#collector.isAllowed = cpuAllocator().regions.collector.isAllowed;
      this.#collector.endTurn(this.#live, false);
    });
  }

  #create(size: number, nbytes: number): GpuMemory {
    this.#recorder.checkAlive();
    const gpuBuffer = this.#recorder.guarded("out-of-memory", `allocating ${nbytes} bytes`, (gpuDevice) =>
      gpuDevice.createBuffer({ size, usage: usage.copySource | usage.copyTarget | usage.storage }),
    );
    return new GpuMemory(this.#device, this.#recorder, gpuBuffer, this.#created++);
  }

  free(memory: GpuMemory): void {
    const size = memory.byteLength;
    this.#live -= size;
    this.#count--;
    memory.isFree = true;
    this.#freeBytes += size;
    const list = this.#free.get(size);
    if (list === undefined) this.#free.set(size, [memory]);
    else list.push(memory);
    if (this.#freeBytes > Math.max(minFree, this.#live)) this.trim();
  }

  /** Destroys all free buffers. */
  trim(): void {
    if (this.#freeBytes === 0) return;
    // Recorded commands may use them.
    this.#recorder.flush();
    for (const list of this.#free.values()) for (const memory of list) memory.gpuBuffer.destroy();
    this.#free.clear();
    this.#freeBytes = 0;
    this.generation++;
  }

  statistics(): Pick<DeviceStatistics, "live" | "peak" | "count" | "free" | "created"> {
    return { live: this.#live, peak: this.#peak, count: this.#count, free: this.#freeBytes, created: this.#created };
  }
}

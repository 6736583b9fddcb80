/**
 * The WebGPU backend: kernels as compute pipelines, over the memory of one device.
 *
 * A kernel has a pipeline for each pattern of bindings, which depends on which of its buffers are the same GPU buffer. Pipelines and bind
 * groups are cached; a repeated launch writes its arguments and records three commands.
 */
import type { CompiledKernel, KernelBackend, KernelCall } from "../../kernel/backend.ts";
import { KernelError } from "../../kernel/ir/error.ts";
import type { Kernel } from "../../kernel/ir/kernel.ts";
import { lowerDouble } from "../../kernel/lower/lower-double.ts";
import { lowerBy, passes } from "../../kernel/lower/lower-kernel.ts";
import type { Tiling } from "../../kernel/plan/tiles.ts";
import { type Device, formatDevice } from "../../storage/device.ts";
import { dtypes } from "../../storage/dtype.ts";
import type { Memory } from "../../storage/memory.ts";
import { GpuMemory, MemoryPool } from "./memory.ts";
import type { Recorder } from "./recorder.ts";
import { type ArgumentStruct, argumentWords, writeArguments } from "./wgsl/arguments.ts";
import type { BindingPattern } from "./wgsl/buffers.ts";
import { emitWgsl, maxUnitBytes, workgroupSize } from "./wgsl/emit.ts";

const computeStage = 4;

/** The passes of other backends; float64, which they may introduce, is replaced before functions are expanded. */
export const gpuPasses = passes.toSpliced(-1, 0, { lower: lowerDouble });

/** A unit is one invocation: a few elements, a word of the smallest ones. */
const gpuTiling: Tiling = { unit: 4, copyBytes: 16, across: 4, acrossBytes: 16, alongBytes: 16 };

/** The most pipelines; when there are more, all are dropped. */
const maxPipelines = 2048;
/** The most bind groups of a pipeline. */
const maxBindGroups = 64;

export class GpuBackend implements KernelBackend {
  readonly name = "webgpu";
  readonly device: Device;
  readonly tiling = gpuTiling;
  readonly unitBytes = maxUnitBytes;
  readonly recorder: Recorder;
  readonly pool: MemoryPool;
  readonly #kernels = new Set<GpuKernel>();
  #pipelines = 0;

  constructor(device: Device, recorder: Recorder) {
    this.device = device;
    this.recorder = recorder;
    this.pool = new MemoryPool(device, recorder);
  }

  canAddress(memory: Memory): boolean {
    return memory instanceof GpuMemory && memory.device === this.device;
  }

  compile(kernel: Kernel): CompiledKernel {
    const compiled = new GpuKernel(this, kernel);
    this.#kernels.add(compiled);
    return compiled;
  }

  /** Counts a new pipeline. */
  countPipeline(): void {
    if (++this.#pipelines <= maxPipelines) return;
    for (const kernel of this.#kernels) kernel.release();
    this.#pipelines = 1;
  }

  withWorkspace<T>(bytes: number, use: (memory: Memory, byteOffset: number) => T): T {
    const memory = this.pool.allocate(bytes);
    try {
      return use(memory, 0);
    } finally {
      this.pool.free(memory);
    }
  }

  readLater(memory: Memory, address: number, bytes: number, use: (memory: Memory, address: number) => void): void {
    this.recorder.checks.add((memory as GpuMemory).gpuBuffer, address, bytes, use);
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

interface Pipeline {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
  readonly struct: ArgumentStruct;
  readonly argumentBytes: number;
  readonly pattern: BindingPattern;
  /** Bind groups by the numbers of their buffers. */
  readonly groups: Map<string, GPUBindGroup>;
  /** The generation of the pool in which the groups were created. */
  generation: number;
}

class GpuKernel implements CompiledKernel {
  readonly #backend: GpuBackend;
  readonly #kernel: Kernel;
  readonly #lowered: Kernel;
  readonly #itemsizes: readonly number[];
  readonly #pipelines = new Map<string, Pipeline>();

  constructor(backend: GpuBackend, kernel: Kernel) {
    this.#backend = backend;
    this.#kernel = kernel;
    this.#lowered = lowerBy(gpuPasses, kernel);
    this.#itemsizes = this.#lowered.buffers.map(({ dtype }) => dtypes[dtype].itemsize);
  }

  run(call: KernelCall): void {
    if (call.units === 0) return;
    const { recorder, pool } = this.#backend;
    recorder.checkAlive();
    const count = this.#itemsizes.length;
    const memories = call.memories.slice(0, count) as GpuMemory[];
    for (const memory of memories)
      if (!this.#backend.canAddress(memory))
        throw new KernelError(
          `kernel ${this.#kernel.name}: an operand is not on ${formatDevice(this.#backend.device)}. Compute on the CPU: await x.cpu()`,
        );
    const pattern = this.#patternOf(memories);
    let rowWords = 0;
    for (let k = 0; k < this.#kernel.modes.length; k++) rowWords += call.modes[k].length;
    // Few different capacities for rows mean few pipelines.
    if (this.#kernel.modes.length > 0) rowWords = 2 ** Math.ceil(Math.log2(Math.max(16, rowWords)));
    const key = `${pattern.bindings} ${pattern.isWritten} ${rowWords}`;
    let pipeline = this.#pipelines.get(key);
    if (pipeline === undefined) {
      pipeline = this.#create(pattern, rowWords);
      this.#pipelines.set(key, pipeline);
    }
    const bases = memories.map((_, k) => call.addresses[k] / this.#itemsizes[k]);
    const at = recorder.takeArguments(pipeline.argumentBytes);
    writeArguments(pipeline.struct, this.#kernel.scalars, recorder.argumentMemory, at / 4, call, bases);
    const group = this.#groupFor(pipeline, memories, pool.generation);
    recorder.launch(this.#kernel.name, pipeline.pipeline, group, at, Math.ceil(call.units / workgroupSize));
  }

  release(): void {
    this.#pipelines.clear();
  }

  /** Returns the bindings of buffers in these memories: one for each memory that is written, and one for each other buffer. */
  #patternOf(memories: readonly GpuMemory[]): BindingPattern {
    const { buffers, name } = this.#kernel;
    const written = new Set(memories.filter((_, k) => buffers[k].access !== "read"));
    const { maxStorageBuffersPerShaderStage: limit } = this.#backend.recorder.gpuDevice.limits;
    for (const sharesReads of [false, true]) {
      const bindings: number[] = [];
      const isWritten: boolean[] = [];
      const numbers = new Map<GpuMemory, number>();
      for (const memory of memories) {
        let number = numbers.get(memory);
        if (number === undefined) {
          number = isWritten.push(written.has(memory)) - 1;
          if (written.has(memory) || sharesReads) numbers.set(memory, number);
        }
        bindings.push(number);
      }
      if (isWritten.length <= limit) return { bindings, isWritten };
    }
    throw new KernelError(
      `kernel ${name}: uses ${new Set(memories).size} buffers, this device allows ${limit}. Compute in several steps.`,
    );
  }

  #create(pattern: BindingPattern, rowWords: number): Pipeline {
    const { recorder, pool } = this.#backend;
    this.#backend.countPipeline();
    const { code, struct } = emitWgsl(this.#lowered, pattern, rowWords);
    const argumentBytes = 4 * argumentWords(struct, rowWords);
    const { name: label } = this.#kernel;
    return recorder.guarded("validation", `kernel ${label}`, (gpuDevice) => {
      const layout = gpuDevice.createBindGroupLayout({
        entries: [
          { binding: 0, visibility: computeStage, buffer: { type: "uniform", hasDynamicOffset: true } },
          ...pattern.isWritten.map(
            (written, k): GPUBindGroupLayoutEntry => ({
              binding: k + 1,
              visibility: computeStage,
              buffer: { type: written ? "storage" : "read-only-storage" },
            }),
          ),
        ],
      });
      const pipeline = gpuDevice.createComputePipeline({
        label,
        layout: gpuDevice.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module: gpuDevice.createShaderModule({ label, code }), entryPoint: "main" },
      });
      return { pipeline, layout, struct, argumentBytes, pattern, groups: new Map(), generation: pool.generation };
    });
  }

  #groupFor(pipeline: Pipeline, memories: readonly GpuMemory[], generation: number): GPUBindGroup {
    const { groups, layout, pattern, argumentBytes } = pipeline;
    if (pipeline.generation !== generation || groups.size >= maxBindGroups) groups.clear();
    pipeline.generation = generation;
    let key = "";
    for (const memory of memories) key += `${memory.number} `;
    let group = groups.get(key);
    if (group === undefined) {
      const { gpuDevice, argumentBuffer } = this.#backend.recorder;
      group = gpuDevice.createBindGroup({
        layout,
        entries: [
          { binding: 0, resource: { buffer: argumentBuffer, size: argumentBytes } },
          ...pattern.isWritten.map((_, number) => ({
            binding: number + 1,
            resource: { buffer: memories[pattern.bindings.indexOf(number)].gpuBuffer },
          })),
        ],
      });
      groups.set(key, group);
    }
    return group;
  }
}

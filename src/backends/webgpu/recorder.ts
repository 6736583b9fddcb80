/**
 * Records commands and submits them to the queue: kernels and copies in one command encoder, until 64 kernels are recorded or elements are
 * read or written by the CPU.
 *
 * The arguments of kernels go to one uniform buffer, which is written just before the commands are submitted; each launch binds its part.
 * WebGPU reports errors later. They are kept, and the next call or read throws them, so that none is lost.
 */
import { StorageError } from "../../base/errors.ts";
import { Checks } from "./checks.ts";
import type { ArgumentMemory } from "./wgsl/arguments.ts";

const usage = { mapRead: 1, copySource: 4, copyTarget: 8, uniform: 64 } as const;
const mapRead = 1;

/** The number of launches after which commands are submitted. */
export const launchesPerSubmit = 64;
const argumentBytes = 2 ** 18;

const roundUp = (bytes: number): number => Math.ceil(bytes / 4) * 4;

export class Recorder {
  readonly gpuDevice: GPUDevice;
  readonly argumentBuffer: GPUBuffer;
  readonly argumentMemory: ArgumentMemory;
  /** True if each launch has an error scope, which names its kernel. */
  readonly #validates: boolean;
  readonly #argumentStep: number;
  #argumentsUsed = 0;
  #encoder: GPUCommandEncoder | null = null;
  #pass: GPUComputePassEncoder | null = null;
  #pending = 0;
  /** The first error that is not thrown yet. */
  #error: Error | null = null;
  /** Error scopes and checks whose results are not known yet. */
  #scopes: Promise<void>[] = [];
  readonly checks: Checks = new Checks(this);
  /** The reason of the loss of the device; null while it works. */
  #lost: string | null = null;
  launches = 0;
  submits = 0;

  constructor(gpuDevice: GPUDevice, validates: boolean) {
    this.gpuDevice = gpuDevice;
    this.#validates = validates;
    this.#argumentStep = gpuDevice.limits.minUniformBufferOffsetAlignment;
    this.argumentBuffer = gpuDevice.createBuffer({ size: argumentBytes, usage: usage.copyTarget | usage.uniform });
    const memory = new ArrayBuffer(argumentBytes);
    this.argumentMemory = { words: new Int32Array(memory), floats: new Float32Array(memory) };
    gpuDevice.addEventListener("uncapturederror", (event) =>
      this.#fail((event as GPUUncapturedErrorEvent).error.message),
    );
    void gpuDevice.lost.then(({ reason, message }) => {
      this.#lost ??= `${reason}${message === "" ? "" : `: ${message}`}`;
    });
  }

  #fail(message: string): void {
    this.#error ??= new StorageError(`webgpu: an earlier command failed: ${message}`);
  }

  /** Waits for a promise before elements are read; its error is thrown by a later call. */
  await(work: Promise<void>): void {
    this.#scopes.push(
      work.catch((error: unknown) => {
        this.#error ??= error as Error;
      }),
    );
  }

  /** Throws if the device is lost, or if an earlier command had an error. */
  checkAlive(): void {
    if (this.#lost !== null)
      throw new StorageError(
        `webgpu: the device is lost (${this.#lost}). Ask for a new one, await device("webgpu"), and create its tensors again.`,
      );
    if (this.#error === null) return;
    const error = this.#error;
    this.#error = null;
    throw error;
  }

  /** Marks the device as lost. */
  end(reason: string): void {
    this.#lost ??= reason;
    this.#pass = null;
    this.#encoder = null;
  }

  /** Runs `work` in an error scope; an error is thrown by a later call and says what was done. */
  guarded<T>(filter: GPUErrorFilter, what: string, work: (gpuDevice: GPUDevice) => T): T {
    const { gpuDevice } = this;
    gpuDevice.pushErrorScope(filter);
    const result = work(gpuDevice);
    const scope = gpuDevice.popErrorScope().then(
      (error) => {
        if (error !== null) this.#fail(`${what}: ${error.message}`);
      },
      // The device is lost, which other calls report.
      () => {},
    );
    this.#scopes.push(scope);
    if (this.#scopes.length >= 256) this.#scopes.splice(0, 128);
    return result;
  }

  /** Returns the byte at which the arguments of a launch may be written, for this many bytes. */
  takeArguments(bytes: number): number {
    if (bytes > argumentBytes)
      throw new StorageError(`webgpu: a kernel has ${bytes} bytes of arguments, at most ${argumentBytes} are possible`);
    if (this.#pending >= launchesPerSubmit || this.#argumentsUsed + bytes > argumentBytes) this.flush();
    const at = this.#argumentsUsed;
    this.#argumentsUsed += Math.ceil(bytes / this.#argumentStep) * this.#argumentStep;
    return at;
  }

  /** Records one launch, whose arguments are written. */
  launch(
    name: string,
    pipeline: GPUComputePipeline,
    bindings: GPUBindGroup,
    argumentsAt: number,
    workgroups: number,
  ): void {
    const record = (): void => {
      this.#encoder ??= this.gpuDevice.createCommandEncoder();
      this.#pass ??= this.#encoder.beginComputePass();
      this.#pass.setPipeline(pipeline);
      this.#pass.setBindGroup(0, bindings, [argumentsAt]);
      const x = Math.min(workgroups, this.gpuDevice.limits.maxComputeWorkgroupsPerDimension);
      this.#pass.dispatchWorkgroups(x, Math.ceil(workgroups / x));
    };
    record();
    this.#pending++;
    this.launches++;
    // The errors of recorded commands are reported when they are submitted: in this mode each launch is submitted alone.
    if (this.#validates) this.guarded("validation", `kernel ${name}`, () => this.flush());
  }

  copy(from: GPUBuffer, fromOffset: number, to: GPUBuffer, toOffset: number, nbytes: number): void {
    this.checkAlive();
    if (fromOffset % 4 !== 0 || toOffset % 4 !== 0)
      throw new StorageError(
        `webgpu: copies start at multiples of 4 bytes, got ${fromOffset} and ${toOffset}. Copy the tensor: x.clone()`,
      );
    this.#commands().copyBufferToBuffer(from, fromOffset, to, toOffset, roundUp(nbytes));
  }

  /** Returns the encoder, outside of a pass. */
  #commands(): GPUCommandEncoder {
    this.#pass?.end();
    this.#pass = null;
    this.#encoder ??= this.gpuDevice.createCommandEncoder();
    return this.#encoder;
  }

  /** Submits what is recorded. */
  flush(): void {
    if (this.#encoder === null) return;
    const { queue } = this.gpuDevice;
    const commands = this.#commands().finish();
    this.#encoder = null;
    if (this.#argumentsUsed > 0)
      queue.writeBuffer(
        this.argumentBuffer,
        0,
        this.argumentMemory.words.buffer as ArrayBuffer,
        0,
        this.#argumentsUsed,
      );
    queue.submit([commands]);
    this.#argumentsUsed = 0;
    this.#pending = 0;
    this.submits++;
  }

  write(buffer: GPUBuffer, byteOffset: number, bytes: Uint8Array): void {
    this.checkAlive();
    // A write to the queue runs before commands that are submitted later.
    this.flush();
    const { queue } = this.gpuDevice;
    const whole = bytes.byteLength - (bytes.byteLength % 4);
    // WebGPU takes no shared memory.
    const source = (part: Uint8Array): Uint8Array<ArrayBuffer> =>
      part.buffer instanceof ArrayBuffer
        ? (part as Uint8Array<ArrayBuffer>)
        : (part.slice() as Uint8Array<ArrayBuffer>);
    if (whole > 0) queue.writeBuffer(buffer, byteOffset, source(bytes.subarray(0, whole)));
    if (whole === bytes.byteLength) return;
    const last = new Uint8Array(4);
    last.set(bytes.subarray(whole));
    queue.writeBuffer(buffer, byteOffset + whole, last);
  }

  async read(buffer: GPUBuffer, byteOffset: number, nbytes: number): Promise<ArrayBuffer> {
    this.checkAlive();
    const from = byteOffset - (byteOffset % 4);
    const size = roundUp(byteOffset - from + nbytes);
    const staging = this.gpuDevice.createBuffer({ size: Math.max(4, size), usage: usage.copyTarget | usage.mapRead });
    this.#commands().copyBufferToBuffer(buffer, from, staging, 0, size);
    this.flush();
    try {
      await staging.mapAsync(mapRead).catch((cause: unknown) => {
        this.checkAlive();
        throw new StorageError("webgpu: the elements could not be read", { cause });
      });
      await this.settle();
      return staging.getMappedRange().slice(byteOffset - from, byteOffset - from + nbytes);
    } finally {
      staging.destroy();
    }
  }

  /** Waits for the results of error scopes and checks, and throws the first error. */
  async settle(): Promise<void> {
    this.await(this.checks.finish());
    const scopes = this.#scopes;
    this.#scopes = [];
    await Promise.all(scopes);
    this.checkAlive();
  }
}

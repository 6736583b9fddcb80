/** `device("webgpu")` opens a device, on which tensors are created and computed. */
import { nearest, wrongKind } from "../../base/arguments.ts";
import { StorageError } from "../../base/errors.ts";
import { runtime } from "../../base/runtime.ts";
import { installDeviceBackend } from "../../kernel/backend.ts";
import { deviceProduct } from "../../kernel/contract/device-product.ts";
import { lowerRegisters } from "../../kernel/contract/registers.ts";
import { type Allocator, setAllocator } from "../../storage/allocator.ts";
import { DataPtr } from "../../storage/data-ptr.ts";
import { type Device, formatDevice } from "../../storage/device.ts";
import { installDeviceCopies } from "../../tensor/convert/to-device.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { setFallback } from "../../tensor/dispatch/operator.ts";
import { GpuBackend } from "./backend.ts";
import { deviceCopies } from "./copies.ts";
import { onWebGpu } from "./dispatch.ts";
import type { DeviceStatistics, GpuMemory } from "./memory.ts";
import { findGpu, openGpuDevice } from "./open.ts";
import { Recorder } from "./recorder.ts";

export interface DeviceOptions {
  /** The GPU to use. Default: that of the browser, or of the package webgpu in Node. */
  readonly gpu?: GPU | undefined;
  readonly powerPreference?: GPUPowerPreference | undefined;
  /** True to submit and check every launch alone, so that errors name their kernel. Slow; for tests. */
  readonly validate?: boolean | undefined;
}

/** A device that computes with WebGPU. */
export interface WebGpuDevice extends Device {
  readonly type: "webgpu";
  /** The device of the specification, to share it with other libraries. */
  readonly gpuDevice: GPUDevice;
  /** Settles when the device is lost: its tensors can no longer be used. */
  readonly lost: Promise<string>;
  /** Bytes and commands so far. */
  statistics(): DeviceStatistics;
  /** Waits until all work is done, and throws if some of it failed. */
  ready(): Promise<void>;
  /** Ends the device and frees its memory. Its tensors can no longer be used. */
  destroy(): void;
}

const state = /* @__PURE__ */ runtime.own("backends/webgpu/device", { backends: [] as GpuBackend[] });

const known = ["gpu", "powerPreference", "validate"];

/** Opens a device for tensors. Each call opens another one. */
export async function device(type: "webgpu", options: DeviceOptions = {}): Promise<WebGpuDevice> {
  if (type !== "webgpu")
    throw new StorageError(`device: there is no device ${describeValue(type)}. The one that can be opened is "webgpu"`);
  if (typeof options !== "object" || options === null)
    throw wrongKind("device", "options, such as { validate: true }", options);
  for (const name in options)
    if (!known.includes(name)) {
      const guess = nearest(name, known);
      throw new StorageError(
        `device: there is no option '${name}'. ${guess === undefined ? `The options are ${known.join(", ")}` : `Did you mean '${guess}'?`}`,
      );
    }
  const gpu = options.gpu ?? (await findGpu());
  if (typeof gpu.requestAdapter !== "function") throw wrongKind("device", "a GPU, such as navigator.gpu", gpu);
  const gpuDevice = await openGpuDevice(gpu, options.powerPreference);
  const recorder = new Recorder(gpuDevice, options.validate === true);
  const index = state.backends.length;
  let backend: GpuBackend | null = null;
  const result: WebGpuDevice = {
    type,
    index,
    gpuDevice,
    lost: gpuDevice.lost.then(({ reason, message }) => message || reason),
    statistics: () => ({
      ...(backend as GpuBackend).pool.statistics(),
      launches: recorder.launches,
      submits: recorder.submits,
    }),
    async ready() {
      recorder.checkAlive();
      recorder.flush();
      await gpuDevice.queue.onSubmittedWorkDone();
      await recorder.settle();
    },
    destroy() {
      recorder.end("destroyed by destroy()");
      gpuDevice.destroy();
    },
  };
  Object.defineProperties(result, {
    // Printing a tensor or comparing devices should not visit the GPU's objects.
    gpuDevice: { enumerable: false },
    lost: { enumerable: false },
  });
  backend = new GpuBackend(result, recorder);
  state.backends.push(backend);
  installDeviceBackend(backend);
  setAllocator(formatDevice(result), allocatorFor(backend));
  setFallback("webgpu", onWebGpu);
  installDeviceCopies(deviceCopies);
  deviceProduct.lower = lowerRegisters;
  return result;
}

/** The bytes of one storage. */
interface Allocation {
  readonly memory: GpuMemory;
  readonly backend: GpuBackend;
}

const freeAllocation = ({ memory, backend }: Allocation): void => backend.pool.free(memory);

function allocatorFor(backend: GpuBackend): Allocator {
  const { device, pool } = backend;
  return {
    device,
    allocate(nbytes) {
      // Kernels over no elements need a buffer, too.
      const memory = pool.allocate(Math.max(nbytes, 1));
      return new DataPtr({ memory, byteOffset: 0 }, { memory, backend }, freeAllocation, device);
    },
  };
}

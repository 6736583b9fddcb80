/** `stridewise/webgpu`: tensors on WebGPU. */
export { type DeviceOptions, device, type WebGpuDevice } from "./device.ts";
export type { DeviceStatistics } from "./memory.ts";

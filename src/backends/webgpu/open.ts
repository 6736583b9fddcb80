/**
 * Opens a WebGPU device: the browser's, or in Node that of the package `webgpu`, which is loaded only here.
 */
import { StorageError } from "../../base/errors.ts";
import { builtinModule } from "../../base/host.ts";

type CreateRequire = (from: string) => { resolve(name: string): string };

/** Objects that must live as long as a device: Dawn ends the process otherwise. */
const kept: GPU[] = [];

/** Returns the GPU of the browser or of the package. */
export async function findGpu(): Promise<GPU> {
  const { navigator } = globalThis as { navigator?: { gpu?: GPU } };
  if (navigator?.gpu !== undefined) return navigator.gpu;
  const module = builtinModule("module") as { createRequire?: CreateRequire } | undefined;
  const url = builtinModule("url") as { pathToFileURL?(path: string): URL } | undefined;
  if (module?.createRequire === undefined || url?.pathToFileURL === undefined)
    throw new StorageError(
      "device: there is no WebGPU here. Use a browser that has it, or Node 20.16 and later with the package webgpu",
    );
  const path = packagePath(module.createRequire);
  if (path === null)
    throw new StorageError("device: the package webgpu is not installed. In Node, install it: npm install webgpu");
  const { create } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ url.pathToFileURL(path).href)) as {
    create(flags: readonly string[]): GPU;
  };
  return create([]);
}

/** The path of the package, installed for this library or for the program; null if it is not. */
function packagePath(createRequire: CreateRequire): string | null {
  const { process } = globalThis as { process?: { readonly argv?: readonly string[] } };
  for (const from of [import.meta.url, process?.argv?.[1]])
    try {
      if (from) return createRequire(from).resolve("webgpu");
    } catch {
      // Not there.
    }
  return null;
}

/** The limits for which the largest values of the adapter are requested. */
const limits = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize",
] as const;

/** Opens a device of the GPU with the largest limits of its adapter. */
export async function openGpuDevice(gpu: GPU, powerPreference?: GPUPowerPreference): Promise<GPUDevice> {
  kept.push(gpu);
  const adapter = await gpu.requestAdapter(powerPreference === undefined ? {} : { powerPreference });
  if (adapter === null)
    throw new StorageError("device: WebGPU found no adapter. Check that the machine has a GPU and a driver for it");
  const requiredLimits = Object.fromEntries(limits.map((name) => [name, adapter.limits[name]]));
  return adapter.requestDevice({ requiredLimits });
}

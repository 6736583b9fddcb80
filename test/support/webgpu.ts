/**
 * The GPU for tests: npm's `webgpu`, which is found from the project or from the folder that WEBGPU names, and the Vulkan driver of
 * Chromium, which computes on the CPU. Without either, tests are skipped; `test/checks/webgpu.test.ts` reports that, and fails if CI=true.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { device, type WebGpuDevice } from "../../src/backends/webgpu/index.ts";
import { projectRoot } from "./command.ts";

const driver = process.env["VK_DRIVER_FILES"] ?? "/usr/lib/chromium/vk_swiftshader_icd.json";

const packagePath = [projectRoot, process.env["WEBGPU"]]
  .map((folder) => {
    try {
      return folder ? createRequire(pathToFileURL(`${folder}/`)).resolve("webgpu") : null;
    } catch {
      return null;
    }
  })
  .find((path) => path !== null);

/** True if and only if there is a GPU for tests. */
export const hasWebGpu: boolean = packagePath != null && existsSync(driver);

/** The note printed if there is none. */
export const withoutWebGpu = `WebGPU tests skipped: ${
  packagePath == null
    ? "the package webgpu is not installed"
    : `no driver at ${driver} (Debian's package chromium, or VK_DRIVER_FILES=path)`
}`;

/** Opens a device whose launches are checked one by one. */
export async function openTestDevice(validate = true): Promise<WebGpuDevice> {
  process.env["VK_DRIVER_FILES"] = driver;
  const { create } = (await import(pathToFileURL(packagePath as string).href)) as {
    create(flags: readonly string[]): GPU;
  };
  return device("webgpu", { gpu: create([]), validate });
}

/**
 * Starts the library when the first tensor is made: installs the methods that the files of the tensor room define, and says
 * which backend runs kernels once one is needed. Idempotent, and cheap after the first call. Importing this file does nothing.
 */
import { openBackend } from "./backends/open.ts";
import { moduleWorkers } from "./backends/wasm/backend.ts";
import { installBackend } from "./kernel/backend.ts";
import { installModuleRunner } from "./kernel/module-runner.ts";
import { installOps } from "./ops/methods.ts";
import { installMethods } from "./tensor/install.ts";

let started = false;

/** Makes everything ready; every creation function calls it first. */
export function boot(): void {
  if (started) return;
  started = true;
  installMethods();
  installOps();
  installBackend(openBackend);
  installModuleRunner(moduleWorkers);
}

/**
 * Starts the library when the first tensor is made: installs the methods that the files of the tensor room define, and says
 * which backend runs kernels once one is needed. Idempotent, and cheap after the first call. Importing this file does nothing.
 */
import { installAutograd } from "./autograd/methods.ts";
import { openBackend } from "./backends/open.ts";
import { moduleWorkers } from "./backends/wasm/backend.ts";
import { installBackend } from "./kernel/backend.ts";
import { installModuleRunner } from "./kernel/module-runner.ts";
import { allOps, installOps } from "./ops/methods.ts";
import { installOperators } from "./tensor/dispatch/library.ts";
import type { Operator } from "./tensor/dispatch/operator.ts";
import { tensorOperators } from "./tensor/dispatch/tensor-op.ts";
import { installMethods } from "./tensor/install.ts";

/** A variable, because every creation function reads it. */
let started = false;

/** Stridewise's own operators, listed when first asked for. */
function operatorsByName(): ReadonlyMap<string, Operator> {
  const found = new Map<string, Operator>();
  for (const [name, { operator }] of allOps()) found.set(name, operator);
  for (const operator of tensorOperators()) found.set(operator.name, operator);
  return found;
}

/** Makes everything ready; every creation function calls it first. */
export function boot(): void {
  if (started) return;
  started = true;
  installMethods();
  installOps();
  installAutograd();
  installOperators(operatorsByName);
  installBackend(openBackend);
  installModuleRunner(moduleWorkers);
}

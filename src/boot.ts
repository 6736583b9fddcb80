/**
 * Starts the library when the first tensor is created: installs the methods of tensors, and the function that opens a backend for the
 * first kernel. Idempotent, and cheap after the first call. Importing this file has no side effects.
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

/** Lists the built-in operators by name. */
function operatorsByName(): ReadonlyMap<string, Operator> {
  const byName = new Map<string, Operator>();
  for (const [name, { operator }] of allOps()) byName.set(name, operator);
  for (const operator of tensorOperators()) byName.set(operator.name, operator);
  return byName;
}

/** Starts the library. Every creation function calls it first. */
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

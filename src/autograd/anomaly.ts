/** Finding where gradients go wrong: every node is looked at after it has run. */

import { isnan } from "../ops/elementwise/comparison.ts";
import { any } from "../ops/reduce/reduce.ts";
import { detach } from "../tensor/in-place.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { AutogradError } from "./error.ts";
import type { GradNode } from "./node.ts";

let isOn = false;

/** Runs a function in which the way back stops at the first gradient with NaN in it, and names the call it belongs to. */
export function detectAnomaly<T>(fn: () => T): T {
  const before = isOn;
  isOn = true;
  try {
    return fn();
  } finally {
    isOn = before;
  }
}

/** Refuses NaN in the gradients that a node gives, if that is asked for. */
export function checkAnomaly(node: GradNode, passed: readonly (Tensor | null)[]): void {
  if (!isOn) return;
  passed.forEach((gradient, k) => {
    if (gradient === null || gradient === undefined) return;
    if (any(isnan(detach(gradient) as never) as Tensor).item() === true)
      throw new AutogradError(`backward: Function '${node.name}' returned nan values in its ${k}th output.`);
  });
}

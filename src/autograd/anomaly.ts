/** Finding where gradients go wrong: every node is looked at after it has run, and knows where in the program it was recorded. */
import { checkFunction, refusePromise } from "../base/arguments.ts";
import { isnan } from "../ops/elementwise/comparison.ts";
import { any } from "../ops/reduce/reduce.ts";
import { detach } from "../tensor/in-place.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { AutogradError } from "./error.ts";
import { type GradNode, notePlaces, placeOf } from "./node.ts";

let isOn = false;

/** Runs a function in which the way back stops at the first gradient with NaN in it, and names the call it belongs to; errors say where calls that are recorded in it stand. */
export function detectAnomaly<T>(fn: () => T): T {
  checkFunction("detectAnomaly", fn);
  const before = isOn;
  isOn = true;
  notePlaces(true);
  try {
    return refusePromise("detectAnomaly", fn());
  } finally {
    isOn = before;
    notePlaces(before);
  }
}

/** Refuses NaN in the gradients that a node gives, if that is asked for. */
export function checkAnomaly(node: GradNode, passed: readonly (Tensor | null)[]): void {
  if (!isOn) return;
  passed.forEach((gradient, k) => {
    if (gradient === null || gradient === undefined) return;
    if (any(isnan(detach(gradient))).item() === true)
      throw new AutogradError(`backward: Function '${node.name}' returned nan values in its ${k}th output.`);
  });
}

/** Adds to an error on the way back where the call that it belongs to was recorded, if that was noted. */
export function nameCall(node: GradNode, error: unknown): void {
  const place = placeOf(node);
  if (place === null || !(error instanceof AutogradError) || error.message.includes(recorded)) return;
  error.message += `\n${recorded} ${node.name}, was recorded\n${place}`;
}

const recorded = "The call that it belongs to,";

/**
 * The normal distribution with any mean and standard deviation, and its exponential.
 */
import { fillNormal, type RandomDraw } from "../../tensor/create/random-draw.ts";
import { type Parameter, valueAt } from "./uniform-words.ts";

type Floats = Float32Array | Float64Array;

/** Fills with the normal distribution of a mean and a standard deviation. */
export function fillNormalAround(target: Floats, draw: RandomDraw, mean: Parameter, deviation: Parameter): void {
  fillNormal(target, draw);
  for (let i = 0; i < target.length; i++) target[i] = target[i]! * valueAt(deviation, i) + valueAt(mean, i);
}

/** Fills with numbers whose logarithm has the normal distribution of a mean and a standard deviation. */
export function fillLogNormal(target: Floats, draw: RandomDraw, mean: Parameter, deviation: Parameter): void {
  fillNormal(target, draw);
  for (let i = 0; i < target.length; i++) target[i] = Math.exp(target[i]! * valueAt(deviation, i) + valueAt(mean, i));
}

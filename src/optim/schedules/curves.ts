/** Schedules along curves: lines, powers, cosines. */
import { checkNumber } from "../checks.ts";
import { type AnyOptimizer, LRScheduler } from "./scheduler.ts";

export interface LinearLROptions {
  readonly startFactor?: number;
  readonly endFactor?: number;
  readonly totalIters?: number;
}

/** From `startFactor` (1/3) to `endFactor` (1) times the learning rate, in `totalIters` (5) epochs. */
export class LinearLR extends LRScheduler {
  constructor(optimizer: AnyOptimizer, { startFactor = 1 / 3, endFactor = 1, totalIters = 5 }: LinearLROptions = {}) {
    checkNumber("LinearLR", "startFactor", startFactor, { most: 1 });
    checkNumber("LinearLR", "endFactor", endFactor, { most: 1 });
    checkNumber("LinearLR", "totalIters", totalIters, { least: 1 });
    super(
      optimizer,
      (base, epoch) => base * (startFactor + ((endFactor - startFactor) * Math.min(epoch, totalIters)) / totalIters),
    );
  }
}

/** Falls to 0 in `totalIters` (5) epochs, as a power of what is left. */
export class PolynomialLR extends LRScheduler {
  constructor(
    optimizer: AnyOptimizer,
    { totalIters = 5, power = 1 }: { readonly totalIters?: number; readonly power?: number } = {},
  ) {
    checkNumber("PolynomialLR", "totalIters", totalIters, { least: 1 });
    checkNumber("PolynomialLR", "power", power);
    super(optimizer, (base, epoch) => base * (1 - Math.min(epoch, totalIters) / totalIters) ** power);
  }
}

const cosine = (base: number, least: number, part: number): number =>
  least + ((base - least) * (1 + Math.cos(Math.PI * part))) / 2;

/** Half a wave of a cosine down to `etaMin` (0) in `tMax` epochs, then up again. */
export class CosineAnnealingLR extends LRScheduler {
  constructor(optimizer: AnyOptimizer, options: { readonly tMax: number; readonly etaMin?: number }) {
    const { tMax, etaMin = 0 } = options ?? {};
    checkNumber("CosineAnnealingLR", "tMax", tMax, { least: 1 });
    checkNumber("CosineAnnealingLR", "etaMin", etaMin);
    super(optimizer, (base, epoch) => cosine(base, etaMin, epoch / tMax));
  }
}

/**
 * Half a wave of a cosine down to `etaMin` (0) in `t0` epochs, and again from the top, each time `tMult` (1) times as long.
 * `step(epoch)` takes fractions of epochs.
 */
export class CosineAnnealingWarmRestarts extends LRScheduler {
  constructor(
    optimizer: AnyOptimizer,
    options: { readonly t0: number; readonly tMult?: number; readonly etaMin?: number },
  ) {
    const { t0, tMult = 1, etaMin = 0 } = options ?? {};
    checkNumber("CosineAnnealingWarmRestarts", "t0", t0, { least: 1, integer: true });
    checkNumber("CosineAnnealingWarmRestarts", "tMult", tMult, { least: 1, integer: true });
    checkNumber("CosineAnnealingWarmRestarts", "etaMin", etaMin);
    super(optimizer, (base, epoch) => {
      let [length, since] = [t0, epoch];
      if (tMult === 1) since %= t0;
      for (; since >= length; length *= tMult) since -= length;
      return cosine(base, etaMin, since / length);
    });
  }
}

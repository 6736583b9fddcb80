/** A vitest reporter that prints the seed of a sample, and after a failure the command that repeats it. */
import type { Reporter } from "vitest/node";

/** The command that runs the sample of a seed again. */
export const repeatCommand = (seed: string): string => `SAMPLE_SEED=${seed} npm run test:quick`;

export function reportSeed(seed: string): Reporter {
  return {
    onInit: () => console.log(`sample with SAMPLE_SEED=${seed}`),
    onTestRunEnd(_, __, reason) {
      if (reason === "failed") console.log(`To repeat this sample: ${repeatCommand(seed)}`);
    },
  };
}

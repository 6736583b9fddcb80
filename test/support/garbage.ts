/**
 * Garbage collection on demand, for tests of what it frees.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let gc: (() => void) | undefined;

/** Collects and lets finalizers run until `done` says so, or gives up after `rounds`. */
export async function collectUntil(done: () => boolean, rounds = 50): Promise<void> {
  if (gc === undefined) {
    setFlagsFromString("--expose-gc");
    gc = runInNewContext("gc") as () => void;
  }
  for (let i = 0; i < rounds && !done(); i++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

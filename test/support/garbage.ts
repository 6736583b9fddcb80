/** Garbage collection on demand, for tests of the memory that it frees. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let gc: (() => void) | undefined;

/** Collects and lets finalizers run until `done` returns true, for at most `rounds` rounds. */
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

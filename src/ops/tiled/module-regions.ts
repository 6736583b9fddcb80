/**
 * The module form of parallelLoops: a function of a user's ES module is called for every region, in workers.
 *
 * Workers reach only the shared heap. A tensor elsewhere, a place without workers, and `threads: 1` are done on the calling thread,
 * by the same function. The storage is held until the promise settles; regions run in any order, so a function that writes
 * outside of its own region races.
 */
import { StridewiseError } from "../../base/errors.ts";
import { KernelError } from "../../kernel/ir/error.ts";
import { moduleRunner } from "../../kernel/module-runner.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { bumpVersion, checkNoOverlap } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { currentWindow, type ElementWindow, openWindow } from "./element-window.ts";
import { eachRegion, type Regions } from "./regions.ts";

/** A function of a module: what `import(module)` gives under the name `export`. */
export interface ModuleFunction {
  readonly module: string | URL;
  readonly export: string;
}

type RegionFunction = (...of: readonly unknown[]) => unknown;

/** Calls the function for every region; the promise settles when all are done. */
export async function moduleRegions(
  t: Tensor,
  who: string,
  given: ModuleFunction,
  regionsIn: (parts: number) => Regions,
  { threads, write }: { readonly threads: number | undefined; readonly write: boolean },
): Promise<void> {
  const isAddress = typeof given.module === "string" ? given.module !== "" : given.module instanceof URL;
  if (typeof given.export !== "string" || !isAddress)
    throw new StridewiseError(
      `${who}: expects { module: URL, export: name }, got ${describeValue(given.module)} and ${describeValue(given.export)}`,
    );
  if (/^\.\.?\//.test(String(given.module)))
    throw new StridewiseError(
      `${who}: the module's address must be whole, since it is imported elsewhere: ` +
        `new URL("${given.module}", import.meta.url) instead of "${given.module}"`,
    );
  if (write) checkNoOverlap(t, who);
  const window = openWindow(t, who, write);
  const regions = regionsIn(window.info.parts);
  const { storage } = window;
  const module = String(given.module);
  const text = `${who}: ${given.export} of ${module}`;
  storage.retain();
  // Outside of the heap a storage may move between turns, unless somebody looks at it.
  if (storage.readable().kind !== "heap") storage.takeRawWindow();
  try {
    const runner = threads === 1 || regions.count === 0 ? null : moduleRunner(storage.readable());
    const positions = positionsOf(regions);
    const info = [regions.stride, regions.restShape];
    if (runner === null) await callHere(module, given.export, window, positions, info);
    else
      await runner.call({
        module,
        export: given.export,
        view: window.array,
        units: regions.count,
        positions,
        info,
        // So many ranges, so no more workers than that have something to do.
        ...(threads === undefined ? {} : { chunk: Math.ceil(regions.count / threads) }),
      });
  } catch (error) {
    throw new KernelError(`${text}: ${reasonOf(error)}`, { cause: error });
  } finally {
    if (write && !t.isDisposed) bumpVersion(t);
    storage.release();
  }
}

/** What the function said, without what the workers put before it. */
function reasonOf(error: unknown): string {
  return String(error instanceof KernelError ? error.message : error).replace(/^\S+ of \S+: /, "");
}

function positionsOf(regions: Regions): Float64Array {
  const positions = new Float64Array(regions.count);
  let at = 0;
  eachRegion(regions, (position) => {
    positions[at++] = position;
  });
  return positions;
}

async function callHere(
  module: string,
  name: string,
  window: ElementWindow,
  positions: Float64Array,
  info: readonly unknown[],
): Promise<void> {
  const called = ((await import(/* @vite-ignore */ /* webpackIgnore: true */ module)) as Record<string, unknown>)[name];
  if (typeof called !== "function") throw new TypeError(`the module has no function ${name}`);
  for (const position of positions) await (called as RegionFunction)(currentWindow(window), position, ...info);
}

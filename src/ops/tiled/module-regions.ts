/**
 * The module form of parallelLoops: a function of a user's ES module is called for every region, in workers.
 *
 * Workers can address only the shared heap. For a tensor elsewhere, an environment without workers, and `threads: 1`, the function runs on the calling
 * thread. The storage is retained until the promise settles. Regions run in any order, and in parallel, so writes
 * outside of the function's own region are data races.
 */
import { StridewiseError } from "../../base/errors.ts";
import { KernelError } from "../../kernel/ir/error.ts";
import { moduleRunner } from "../../kernel/module-runner.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { bumpVersion, checkNoSelfOverlap } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { currentWindow, type ElementWindow, openWindow } from "./element-window.ts";
import { eachRegion, type RegionList } from "./regions.ts";

/** A function of a module: the export `export` of `import(module)`. */
export interface ModuleFunction {
  readonly module: string | URL;
  readonly export: string;
}

type RegionFunction = (...args: readonly unknown[]) => unknown;

/** Calls the function for every region; the promise resolves when all are done. */
export async function moduleRegions(
  t: Tensor,
  who: string,
  { module: address, export: name }: ModuleFunction,
  regionsIn: (parts: number) => RegionList,
  { threads, write }: { readonly threads: number | undefined; readonly write: boolean },
): Promise<void> {
  const isAddress = typeof address === "string" ? address !== "" : address instanceof URL;
  if (typeof name !== "string" || !isAddress)
    throw new StridewiseError(
      `${who}: expects { module: URL, export: name }, got ${describeValue(address)} and ${describeValue(name)}`,
    );
  if (/^\.\.?\//.test(String(address)))
    throw new StridewiseError(
      `${who}: the module's address must be absolute, since workers import it, got "${address}". ` +
        `Use new URL("${address}", import.meta.url)`,
    );
  if (write) checkNoSelfOverlap(t, who);
  const window = openWindow(t, who, write);
  const regions = regionsIn(window.info.parts);
  const { storage } = window;
  const module = String(address);
  const text = `${who}: ${name} of ${module}`;
  storage.retain();
  // Outside of the heap a storage may move between turns, unless it has a raw window.
  if (storage.readable().kind !== "heap") storage.takeRawWindow();
  try {
    const runner = threads === 1 || regions.count === 0 ? null : moduleRunner(storage.readable());
    const positions = positionsOf(regions);
    const info = [regions.stride, regions.restShape];
    if (runner === null) await callHere(module, name, window, positions, info);
    else
      await runner.call({
        module,
        export: name,
        view: window.array,
        units: regions.count,
        positions,
        info,
        // As many ranges as threads, so that no more workers take part.
        ...(threads === undefined ? {} : { chunk: Math.ceil(regions.count / threads) }),
      });
  } catch (error) {
    throw new KernelError(`${text}: ${reasonOf(error)}`, { cause: error });
  } finally {
    if (write && !t.isDisposed) bumpVersion(t);
    storage.release();
  }
}

/** The message of the function's error, without the prefix of the workers. */
function reasonOf(error: unknown): string {
  return String(error instanceof KernelError ? error.message : error).replace(/^\S+ of \S+: /, "");
}

function positionsOf(regions: RegionList): Float64Array {
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

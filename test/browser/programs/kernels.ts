/**
 * A user's program: a copy of a transposed tensor, a fill, a cast and a formula, then enough work to wake other
 * threads. It reports its results and where they were computed; the tests check them. It is bundled, and runs in Node,
 * in jsdom and in pages.
 */

import type { Threads } from "../../../src/backends/wasm/threads.ts";
import type { PoolReport } from "../../../src/backends/wasm/workers/pool.ts";
import { configure, elementwise, type Features, features, full, shutdown, tensor, zeros } from "../../../src/index.ts";
import { kernelBackend } from "../../../src/kernel/backend.ts";

export interface Findings {
  readonly backend: string;
  readonly features: Features;
  readonly clone: unknown;
  readonly fill: unknown;
  readonly cast: unknown;
  readonly formula: unknown;
}

/** A little of everything. */
export function small(): Findings {
  const a = tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  return {
    clone: a.T.clone("contiguous").toArray(),
    fill: zeros([2, 2]).fill_(7).toArray(),
    cast: tensor([1.5, -2.5, 300]).to("int32").toArray(),
    formula: elementwise("a * x + b", { a: 2, x: a, b: tensor([10, 20, 30]) }).toArray(),
    backend: kernelBackend().name,
    features: features(),
  };
}

/** Large sums on several threads, until workers have helped or the time is over; returns whether all were right. */
export async function large(options: {
  readonly threads: number;
  readonly workerUrl?: string;
  readonly seconds: number;
}): Promise<{ readonly right: boolean; readonly report: PoolReport | null }> {
  const { seconds, ...rest } = options;
  configure(rest);
  // Resets the report.
  await shutdown();
  const x = full([2 ** 22], 3);
  const out = zeros([2 ** 22]);
  const { threads } = kernelBackend() as unknown as { readonly threads: Threads };
  let right = true;
  let report: PoolReport | null = null;
  for (const limit = performance.now() + 1000 * seconds; performance.now() < limit; ) {
    out.fill_(0);
    elementwise("x * x + 1", { x }, { out });
    for (const index of [0, 1, 2 ** 21 + 1, 2 ** 22 - 1]) right &&= out.get(index) === 10;
    report = threads.report();
    if ((report?.helped ?? 0) > 0) break;
    // Workers start, and report failures, between tasks.
    await new Promise((done) => setTimeout(done, 20));
  }
  return { right, report };
}

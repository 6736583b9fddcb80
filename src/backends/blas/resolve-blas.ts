/**
 * The option `blas`: opens koffi and OpenBLAS on request, probes them with products whose results are known, and installs them before
 * kernels. Nothing here throws: if something is missing, the report has the reason, and kernels do the work.
 */

import { once } from "../../base/lazy.ts";
import { runtime } from "../../base/runtime.ts";
import { useNativeProduct } from "../../kernel/contract/native.ts";
import type { StridedMatrix } from "../../kernel/contract/product.ts";
import { fixedStorage } from "../../kernel/copy.ts";
import { dtypes } from "../../storage/dtype.ts";
import { BufferMemory } from "../../storage/memory.ts";
import { blasProduct, multiply } from "./multiply.ts";
import { findKoffi, type OpenBlas, openOpenBlas } from "./openblas.ts";

/** The result of a request: the library, or null, and the reason. */
export interface BlasStatus {
  readonly library: string | null;
  readonly reason: string;
  /** @deprecated Use `reason`. */
  readonly why: string;
}

/** The library, opened at first use, or the reason why it cannot be. */
const opened = /* @__PURE__ */ once(open);

/** The status of the last request. */
const blasState: { status: BlasStatus | undefined } = /* @__PURE__ */ runtime.own("backends/blas/resolve-blas", {
  status: undefined,
});

/** The status of BLAS; undefined while it is not requested. */
export const blasStatus = (): BlasStatus | undefined => blasState.status;

/** Enables BLAS with this many threads if it is requested and available, else disables it. */
export function resolveBlas(isRequested: boolean, threads: number): BlasStatus {
  const library = isRequested ? opened() : "not requested";
  const blas = typeof library === "object" ? library : null;
  useNativeProduct(blas && blasProduct(blas, threads));
  const reason = typeof library === "string" ? library : "its self-test passed";
  const status = { library: blas?.title ?? null, reason, why: reason };
  blasState.status = isRequested ? status : undefined;
  return status;
}

function open(): OpenBlas | string {
  const koffi = findKoffi();
  const blas = typeof koffi === "string" ? koffi : openOpenBlas(koffi);
  return typeof blas === "string" || passesSelfTest(blas) ? blas : `${blas.title} was found, but its self-test failed`;
}

/** Computes [1 2 3; 4 5 6] times [7 8 9; 10 11 12] transposed in each dtype, once and then accumulated; complex elements are times (1 + i). */
function passesSelfTest(blas: OpenBlas): boolean {
  return (Object.keys(blas.gemm) as (keyof typeof blas.gemm)[]).every((dtype) => {
    const { array, itemsize, parts } = dtypes[dtype];
    const memory = new BufferMemory("external", new ArrayBuffer(16 * itemsize));
    const window = memory.array(array) as Float64Array;
    for (let i = 0; i < 12 * parts; i++) window[i] = 1 + Math.floor(i / parts);
    window.fill(NaN, 12 * parts);
    const storage = fixedStorage(memory, 0);
    const at = (start: number, row: number, column: number): StridedMatrix => ({ storage, start, row, column });
    for (const accumulates of [false, true]) {
      const sizes = { dtype, m: 2, n: 2, k: 3, count: 1, batch: [], accumulates };
      const run = multiply(blas, { ...sizes, out: at(12, 2, 1), a: at(0, 3, 1), b: at(6, 1, 3) });
      if (run === null) return false;
      run(() => [memory, 0]);
    }
    const sums = [50, 68, 122, 167];
    return window
      .subarray(12 * parts)
      .every((value, i) => value === (i % parts < parts - 1 ? 0 : 2 * parts * sums[Math.floor(i / parts)]));
  });
}

/**
 * The option `blas`: finds koffi and OpenBLAS when that is asked for, tries them on products whose results are known, and puts them in
 * the way of kernels. Nothing here throws: what is missing is a reason, and kernels do the work.
 */
import { once } from "../../base/remember.ts";
import { useNativeProduct } from "../../kernel/contract/native.ts";
import type { StridedMatrix } from "../../kernel/contract/product.ts";
import { fixedStorage } from "../../kernel/copy.ts";
import { dtypes } from "../../storage/dtype.ts";
import { BufferMemory } from "../../storage/memory.ts";
import { blasProduct, multiply } from "./multiply.ts";
import { findKoffi, type OpenBlas, openOpenBlas } from "./openblas.ts";

/** What was found when it was asked for: the library, or null, and why. */
export interface BlasFound {
  readonly library: string | null;
  readonly why: string;
}

/** The library, opened when it is first asked for, or why it cannot be. */
const opened = /* @__PURE__ */ once(open);

/** What `configure` asked for last. */
const blasState: { found: BlasFound | undefined } = { found: undefined };

/** What was found; undefined while it is not asked for. */
export const blasFound = (): BlasFound | undefined => blasState.found;

/** Puts BLAS with so many threads in use if it is asked for and there, else out of use. */
export function settleBlas(isAsked: boolean, threads: number): BlasFound {
  const library = isAsked ? opened() : "not asked for";
  const blas = typeof library === "object" ? library : null;
  useNativeProduct(blas && blasProduct(blas, threads));
  const now = {
    library: blas?.title ?? null,
    why: typeof library === "string" ? library : "its probe is right",
  };
  blasState.found = isAsked ? now : undefined;
  return now;
}

function open(): OpenBlas | string {
  const koffi = findKoffi();
  const blas = typeof koffi === "string" ? koffi : openOpenBlas(koffi);
  return typeof blas === "string" || isRight(blas) ? blas : `${blas.title} is here, but its probe gave wrong results`;
}

/** Whether [1 2 3; 4 5 6] times [7 8 9; 10 11 12] transposed is right in each dtype, once and then added; of complex ones (1 + i) times. */
function isRight(blas: OpenBlas): boolean {
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

/**
 * The system's OpenBLAS, opened through koffi: its four matrix products, with addresses as plain numbers.
 * `multiply.ts` decides which products it computes.
 *
 * koffi is a package that calls functions of native libraries. It is used if the user has installed it for this library or for the
 * program. It is loaded through `process` at run time, so that no bundler sees it. Functions return a reason if something is missing.
 */
import type { DType } from "../../storage/dtype.ts";
import type { Memory } from "../../storage/memory.ts";

/**
 * cblas_?gemm(order, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc): c = alpha * a * b + beta * c. alpha and beta are
 * numbers, or the addresses of complex ones.
 */
type Gemm = (...args: readonly number[]) => void;

/** One of the four functions, and its arguments for 1 and 0. */
interface GemmOf {
  readonly call: Gemm;
  readonly one: number;
  readonly zero: number;
  /** The array that holds complex arguments, which keeps it alive. */
  readonly pair?: ArrayBufferView;
}

/** The open library. */
export interface OpenBlas {
  /** Its name, version and file. */
  readonly title: string;
  readonly gemm: { readonly [Name in DType]?: GemmOf };
  setThreads(count: number): void;
  /** The address of a memory's first byte. */
  addressOf(memory: Memory): number;
}

/** The library's file names: on Linux, macOS (also in Homebrew's folder, which is not searched) and Windows. */
const names = [
  "libopenblas.so.0",
  "libopenblas.dylib",
  "/opt/homebrew/opt/openblas/lib/libopenblas.dylib",
  "libopenblas.dll",
];

/** Opens the first library that exists, or returns the reason why none can be opened. */
export function openOpenBlas(koffi: Koffi): OpenBlas | string {
  for (const name of names) {
    let library: ReturnType<Koffi["load"]>;
    try {
      library = koffi.load(name);
    } catch {
      continue;
    }
    try {
      return openedFrom(koffi, name, library);
    } catch (error) {
      return `${name} cannot be used: ${(error as Error).message}`;
    }
  }
  return "OpenBLAS is not installed";
}

function openedFrom(koffi: Koffi, name: string, library: ReturnType<Koffi["load"]>): OpenBlas {
  const about = (library.func("const char *openblas_get_config()") as () => string)();
  if (about.includes("USE64BITINT")) throw new Error("its integers have 64 bits");
  // A buffer does not move until it is detached; a memory that grows gets a new one.
  const addresses = new WeakMap<ArrayBufferLike, number>();
  const gemmOf = (letter: string, number: string, one: number, zero: number): GemmOf => ({
    call: library.func(
      `void cblas_${letter}gemm(int, int, int, int, int, int, ${number}, uintptr_t, int, uintptr_t, int, ${number}, uintptr_t, int)`,
    ) as Gemm,
    one,
    zero,
  });
  const complexGemmOf = (letter: string, pair: Float32Array | Float64Array): GemmOf => {
    pair[0] = 1;
    const at = Number(koffi.address(pair));
    return { ...gemmOf(letter, "uintptr_t", at, at + pair.byteLength / 2), pair };
  };
  return {
    // The configuration is like "OpenBLAS 0.3.21 DYNAMIC_ARCH SkylakeX MAX_THREADS=64".
    title: `${about.split(" ", 2).join(" ")} (${name})`,
    gemm: {
      float32: gemmOf("s", "float", 1, 0),
      float64: gemmOf("d", "double", 1, 0),
      // With explicit buffers: the elements of small typed arrays without one may move.
      complex64: complexGemmOf("c", new Float32Array(new ArrayBuffer(16))),
      complex128: complexGemmOf("z", new Float64Array(new ArrayBuffer(32))),
    },
    setThreads: library.func("void openblas_set_num_threads(int count)") as (count: number) => void,
    addressOf(memory) {
      const window = memory.array("f32");
      const known = addresses.get(window.buffer);
      if (known !== undefined) return known;
      const address = Number(koffi.address(window));
      addresses.set(window.buffer, address);
      return address;
    },
  };
}

/** The part of koffi that is used. */
export interface Koffi {
  /** Opens a library; throws if there is none. */
  load(name: string): { func(prototype: string): (...args: never[]) => unknown };
  /** The address of a typed array's elements. */
  address(window: ArrayBufferView): bigint;
}

interface NodeProcess {
  readonly argv?: readonly string[];
  getBuiltinModule?(name: string): unknown;
}
type CreateRequire = (from: string) => (name: string) => unknown;

/** Loads koffi, or returns the reason why it cannot be loaded. */
export function findKoffi(): Koffi | string {
  const { process } = globalThis as { process?: NodeProcess };
  const module = process?.getBuiltinModule?.("module") as { createRequire?: CreateRequire } | undefined;
  if (!module?.createRequire) return "only Node 20.16 and later can call native libraries";
  for (const from of [import.meta.url, process?.argv?.[1]])
    try {
      if (from) return module.createRequire(from)("koffi") as Koffi;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code !== "MODULE_NOT_FOUND" || !message.includes("'koffi'")) return `koffi cannot be loaded: ${message}`;
    }
  return "koffi is not installed: npm install koffi";
}

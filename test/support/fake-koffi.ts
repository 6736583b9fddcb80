/**
 * A fake koffi that contains an OpenBLAS of plain loops, so that calls of BLAS are tested on machines without it. Each
 * buffer has an invented number as its address. Arguments that BLAS rejects throw an error.
 */
import type { Koffi } from "../../src/backends/blas/openblas.ts";

export interface FakeKoffi extends Koffi {
  /** The requested libraries, in order. */
  readonly requested: string[];
  /** The arguments of openblas_set_num_threads. */
  readonly threads: number[];
  /** The number of computed products. */
  products: number;
}

export interface FakeOptions {
  /** The names of available libraries. */
  readonly libraries?: readonly string[];
  /** The result of openblas_get_config. */
  readonly about?: string;
  /** A number added to each element of a product. */
  readonly error?: number;
}

const space = 2 ** 44;
const kinds = { s: Float32Array, d: Float64Array, c: Float32Array, z: Float64Array };

/** One element as real and imaginary part. */
type Pair = readonly [re: number, im: number];

export function fakeKoffi(options: FakeOptions = {}): FakeKoffi {
  const { libraries = ["libopenblas.so.0"], about = "OpenBLAS 0.3.99 TEST", error = 0 } = options;
  const buffers: ArrayBufferLike[] = [];
  const windowAt = (letter: keyof typeof kinds, address: number): Float32Array | Float64Array =>
    new kinds[letter](buffers[Math.floor(address / space) - 1] as ArrayBuffer, address % space);

  const gemm = (letter: keyof typeof kinds, args: readonly number[]): void => {
    const [order, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc] = args as number[] & { length: 14 };
    const parts = letter === "c" || letter === "z" ? 2 : 1;
    const isTransposed = (trans: number | undefined): boolean => {
      if (trans !== 111 && trans !== 112) throw new Error(`fake BLAS: transposition ${trans}`);
      return trans === 112;
    };
    const matrix = (address = 0, step = 0, rows = 0, columns = 0, turned = false) => {
      if (step < Math.max(1, turned ? rows : columns)) throw new Error(`fake BLAS: step ${step}`);
      const window = windowAt(letter, address);
      const at = (i: number, j: number) => parts * (turned ? j * step + i : i * step + j);
      return {
        get: (i: number, j: number): Pair => [
          window[at(i, j)] as number,
          parts === 2 ? (window[at(i, j) + 1] as number) : 0,
        ],
        set: (i: number, j: number, [re, im]: Pair) => {
          window[at(i, j)] = re;
          if (parts === 2) window[at(i, j) + 1] = im;
        },
      };
    };
    const scalar = (argument = 0): Pair =>
      parts === 1 ? [argument, 0] : ([...windowAt(letter, argument).subarray(0, 2)] as unknown as Pair);
    const times = ([x, y]: Pair, [u, v]: Pair): Pair => [x * u - y * v, x * v + y * u];
    if (order !== 101 || args.some((value) => !Number.isInteger(value))) throw new Error(`fake BLAS: ${args}`);
    const [left, right, out] = [
      matrix(a, lda, m, k, isTransposed(transA)),
      matrix(b, ldb, k, n, isTransposed(transB)),
      matrix(c, ldc, m, n),
    ];
    const [one, scale] = [scalar(alpha), scalar(beta)];
    for (let i = 0; i < (m as number); i++)
      for (let j = 0; j < (n as number); j++) {
        let [re, im] = scale[0] === 0 ? [error, 0] : times(scale, out.get(i, j));
        for (let step = 0; step < (k as number); step++) {
          const [x, y] = times(one, times(left.get(i, step), right.get(step, j)));
          re += x;
          im += y;
        }
        out.set(i, j, [re, im]);
      }
    koffi.products++;
  };

  const koffi: FakeKoffi = {
    requested: [],
    threads: [],
    products: 0,
    load(name) {
      koffi.requested.push(name);
      if (!libraries.includes(name)) throw new Error(`Failed to load shared library: ${name}`);
      return {
        func: (prototype) => {
          const called = /(\w+)\(/.exec(prototype)?.[1];
          if (called === "openblas_get_config") return () => about;
          if (called === "openblas_set_num_threads") return (count: number) => koffi.threads.push(count);
          const letter = /^cblas_([sdcz])gemm$/.exec(called ?? "")?.[1];
          if (letter === undefined) throw new Error(`Cannot find function '${called}'`);
          return (...args: number[]) => gemm(letter as keyof typeof kinds, args);
        },
      };
    },
    address({ buffer, byteOffset }) {
      if (!buffers.includes(buffer)) buffers.push(buffer);
      return BigInt((buffers.indexOf(buffer) + 1) * space + byteOffset);
    },
  };
  return koffi;
}

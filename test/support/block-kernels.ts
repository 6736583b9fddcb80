/**
 * Kernels whose units are blocks of threads, written by hand in the format of printKernel, with arguments and results computed in plain
 * TypeScript. Together they have shared and private memory, barriers in loops, conditions, vector accesses, values that live across barriers,
 * and swizzled offsets.
 */
import type { TypedArray } from "../../src/storage/dtype.ts";

export interface BlockKernel {
  readonly text: string;
  readonly buffers: Readonly<Record<string, TypedArray>>;
  readonly sizes: Readonly<Record<string, number>>;
  readonly units: number;
  /** The contents of the buffers that it stores to. */
  readonly expected: Readonly<Record<string, readonly number[]>>;
}

/** Small integers as floats, whose sums are exact. */
const numbers = (count: number, seed: number): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => ((i * 7919 + seed * 104729) % 17) - 8);

const range = <T>(count: number, at: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => at(i));
const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);

function product(m: number, n: number, k: number, a: Float32Array, b: Float32Array): number[] {
  return range(m * n, (at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    return sum(range(k, (p) => (a[i * k + p] as number) * (b[p * n + j] as number)));
  });
}

function tiledProduct(): BlockKernel {
  const [m, n, k] = [21, 19, 13];
  const [a, b] = [numbers(m * k, 1), numbers(k * n, 2)];
  const columns = Math.ceil(n / 8);
  return {
    text: `kernel f32_matmul_tile_8
  buffer a: float32 read
  buffer b: float32 read
  buffer c: float32 write
  size m: 1..4096
  size n: 1..4096
  size k: 1..4096
  size columns: 1..512
  size units: 1..262144
{
  parallel u in 0..units {
    index i0 = 8*(u/columns)
    index j0 = 8*(u%columns)
    allocate sa: float32[64] in smem
    allocate sb: float32[64] in smem
    threads t in 0..64 {
      index i = t/8
      index j = t%8
      accumulator s: float32 = float32(0)
      serial p in 0..ceil(k/8) {
        sa[t] = a[i0*k + i*k + j + 8*p where and(int32[i0 + i] < int32[m], int32[j + 8*p] < int32[k]) else float32(0)]
        sb[t] = b[i*n + 8*n*p + j0 + j where and(int32[i + 8*p] < int32[k], int32[j0 + j] < int32[n]) else float32(0)]
        barrier
        serial q in 0..8 {
          s add= sa[8*i + q] * sb[j + 8*q]
        }
        barrier
      }
      c[i0*n + i*n + j0 + j] = s where and(int32[i0 + i] < int32[m], int32[j0 + j] < int32[n])
    }
  }
}`,
    buffers: { a, b, c: new Float32Array(m * n) },
    sizes: { m, n, k, columns, units: Math.ceil(m / 8) * columns },
    units: Math.ceil(m / 8) * columns,
    expected: { c: product(m, n, k, a, b) },
  };
}

function blockedProduct(): BlockKernel {
  const [m, n, k] = [32, 64, 16];
  const [a, b] = [numbers(m * k, 3), numbers(k * n, 4)];
  return {
    text: `kernel f32_matmul_registers_4x4
  buffer a: float32 read
  buffer b: float32 read
  buffer c: float32 write
  size n4: 8..1024
  size k4: 2..1024
  size columns: 1..128
  size units: 1..16384
{
  index n = 4*n4
  index k = 4*k4
  parallel u in 0..units {
    index i0 = 32*(u/columns)
    index j0 = 32*(u%columns)
    allocate sa: float32[256] in smem
    allocate sb: float32[256] in smem
    threads t in 0..64 {
      index i = t/8
      index j = t%8
      allocate r: float32[16] in rmem
      vector z in 0..16 by 4 {
        r[z] = float32(0)
      }
      serial p in 0..k/8 {
        vector x in 0..4 by 4 {
          sa[4*t + x] = a[i0*k + k*(t/2) + 8*p + x + 4*(t%2)]
          sb[4*t + x] = b[i*n + 8*n*p + j0 + 4*j + x]
        }
        barrier
        serial q in 0..8 {
          allocate ra: float32[4] in rmem
          allocate rb: float32[4] in rmem
          unrolled y in 0..4 {
            ra[y] = sa[32*i + q + 8*y]
          }
          vector w in 0..4 by 4 {
            rb[w] = sb[4*j + 32*q + w]
          }
          unrolled v in 0..4 {
            vector h in 0..4 by 4 {
              r[h + 4*v] = r[h + 4*v] + ra[v] * rb[h]
            }
          }
        }
        barrier
      }
      unrolled g in 0..4 {
        vector f in 0..4 by 4 {
          c[g*n + i0*n + 4*i*n + f + j0 + 4*j] = r[f + 4*g]
        }
      }
    }
  }
}`,
    buffers: { a, b, c: new Float32Array(m * n) },
    sizes: { n4: n / 4, k4: k / 4, columns: n / 32, units: (m / 32) * (n / 32) },
    units: (m / 32) * (n / 32),
    expected: { c: product(m, n, k, a, b) },
  };
}

function sumOfBlocks(): BlockKernel {
  const n = 500;
  const x = numbers(n, 5);
  const units = Math.ceil(n / 128);
  return {
    text: `kernel f32_block_sum_64
  buffer x: float32 read
  buffer out: float32 write
  size n: 1..1048576
  size units: 1..8192
{
  parallel u in 0..units {
    allocate s: float32[64] in smem
    threads t in 0..64 {
      index i = t + 128*u
      s[t] = x[i where int32[i] < int32[n] else float32(0)] + x[i + 64 where int32[i + 64] < int32[n] else float32(0)]
      serial r in 0..6 {
        barrier
        if int32[t] < int32[32/shiftLeft(1, r)] {
          s[t] = s[t] + s[t + 32/shiftLeft(1, r)]
        }
      }
      if int32[t] == int32(0) {
        out[u] = s[0]
      }
    }
  }
}`,
    buffers: { x, out: new Float32Array(units) },
    sizes: { n, units },
    units,
    expected: { out: range(units, (u) => sum([...x.subarray(128 * u, 128 * (u + 1))])) },
  };
}

function transpose(): BlockKernel {
  const [m, n] = [24, 40];
  const x = numbers(m * n, 6);
  return {
    text: `kernel f32_transpose_swizzled_8
  buffer x: float32 read
  buffer out: float32 write
  size m: 8..4096
  size n: 8..4096
  size columns: 1..512
  size units: 1..262144
{
  parallel u in 0..units {
    index i0 = 8*(u/columns)
    index j0 = 8*(u%columns)
    allocate s: float32[64] in smem
    threads t in 0..64 {
      index i = t/8
      index j = t%8
      s[8*i + xor(i, j)] = x[i0*n + i*n + j0 + j]
      barrier
      out[i*m + j0*m + i0 + j] = s[8*j + xor(i, j)]
    }
  }
}`,
    buffers: { x, out: new Float32Array(m * n) },
    sizes: { m, n, columns: n / 8, units: (m * n) / 64 },
    units: (m * n) / 64,
    expected: { out: range(m * n, (at) => x[(at % m) * n + Math.floor(at / m)] as number) },
  };
}

function scanOfBlocks(): BlockKernel {
  const units = 3;
  const x = numbers(32 * units, 7);
  return {
    text: `kernel f32_block_scan_32
  buffer x: float32 read
  buffer out: float32 write
  size units: 1..1024
{
  parallel u in 0..units {
    allocate s: float32[64] in smem
    threads t in 0..32 {
      s[t] = x[t + 32*u]
      serial r in 0..5 {
        barrier
        index from = 32*(r%2)
        index to = -32*(r%2) + 32
        %1 = s[from + t]
        s[to + t] = select(int32[t] < int32[shiftLeft(1, r)], %1, %1 + s[from + max(t - shiftLeft(1, r), 0)])
      }
      barrier
      out[-t + 32*u + 31] = s[-t + 63]
    }
  }
}`,
    buffers: { x, out: new Float32Array(32 * units) },
    sizes: { units },
    units,
    expected: { out: range(32 * units, (i) => sum([...x.subarray(i - (i % 32), i + 1)])) },
  };
}

function stencil(): BlockKernel {
  const [h, w] = [11, 21];
  const x = numbers(h * w, 8);
  const columns = Math.ceil(w / 8);
  const units = Math.ceil(h / 4) * columns;
  const at = (i: number, j: number): number => (i < 0 || j < 0 || i >= h || j >= w ? 0 : (x[i * w + j] as number));
  return {
    text: `kernel f32_stencil_5
  buffer x: float32 read
  buffer out: float32 write
  size h: 1..4096
  size w: 1..4096
  size columns: 1..512
  size units: 1..524288
{
  parallel u in 0..units {
    index i0 = 4*(u/columns)
    index j0 = 8*(u%columns)
    allocate s: float32[60] in smem
    threads t in 0..32 {
      serial r in 0..2 {
        index e = 32*r + t
        if int32[e] < int32(60) {
          fetch i = int32[i0 + e/10] - int32(1)
          fetch j = int32[j0 + e%10] - int32(1)
          s[e] = x[i*w + j where and(and(int32[i] >= int32(0), int32[i] < int32[h]), and(int32[j] >= int32(0), int32[j] < int32[w])) else float32(0)]
        }
      }
      barrier
      index c = 10*(t/8) + t%8
      let sides: float32 = s[c + 10] + s[c + 12] + (s[c + 1] + s[c + 21])
      index row = i0 + t/8
      index column = j0 + t%8
      out[row*w + column] = sides - float32(4) * s[c + 11] where and(int32[row] < int32[h], int32[column] < int32[w])
    }
  }
}`,
    buffers: { x, out: new Float32Array(h * w) },
    sizes: { h, w, columns, units },
    units,
    expected: {
      out: range(h * w, (k) => {
        const [i, j] = [Math.floor(k / w), k % w];
        return at(i, j - 1) + at(i, j + 1) + at(i - 1, j) + at(i + 1, j) - 4 * at(i, j);
      }),
    },
  };
}

/** Values, integers, offsets and accumulators that live across barriers, and a barrier under a condition of the call. */
function acrossBarriers(): BlockKernel {
  const units = 4;
  const x = numbers(16 * units, 9);
  const index = Int32Array.from({ length: 16 * units }, (_, i) => (i * 5) % 16);
  const rounds = 3;
  return {
    text: `kernel f32_across_barriers
  buffer x: float32 read
  buffer index: int32 read
  buffer out: float32 write
  size rounds: 0..100
  size units: 0..100
  modes rest: x, out
{
  parallel u in 0..units {
    walk rest at u -> x_at, out_at
    let first: float32 = x[x_at]
    allocate s: float32[16] in smem
    threads t in 0..16 {
      fetch k = index[t + 16*u]
      let v: float32 = x[t + x_at]
      accumulator total: float32 = v * float32(2)
      s[t] = v
      if int32[rounds] > int32(0) {
        barrier
        let other: float32 = s[k]
        serial r in 0..rounds {
          total add= s[(k + r)%16]
          barrier
          s[t] = float32[r + t] + other
          barrier
        }
      }
      out[out_at + t] = total + v * first
    }
  }
}`,
    buffers: { x, index, out: new Float32Array(16 * units) },
    sizes: { rounds, units },
    units,
    expected: {
      out: range(16 * units, (at) => {
        const [u, t] = [Math.floor(at / 16), at % 16];
        const v = range(16, (i) => x[16 * u + i] as number);
        const k = (i: number): number => index[16 * u + i] as number;
        let s = v;
        let total = 2 * (v[t] as number);
        for (let r = 0; r < rounds; r++) {
          total += s[(k(t) + r) % 16] as number;
          s = range(16, (i) => r + i + (v[k(i)] as number));
        }
        return total + (v[t] as number) * (v[0] as number);
      }),
    },
  };
}

export const blockKernels: Readonly<Record<string, BlockKernel>> = {
  tiledProduct: tiledProduct(),
  blockedProduct: blockedProduct(),
  sumOfBlocks: sumOfBlocks(),
  transpose: transpose(),
  scanOfBlocks: scanOfBlocks(),
  stencil: stencil(),
  acrossBarriers: acrossBarriers(),
};

/** The rows of mode lists, for the kernel that has one. */
export const blockModes: Readonly<Record<string, readonly number[]>> = { rest: [4, 16, 16] };

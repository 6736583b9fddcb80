/**
 * Hand-written kernels in the format of printKernel: together they contain every statement, every kind of value and
 * every dtype. All pass the verifier.
 */
const big = 2147483647;

/** A kernel over n elements in units of `block`, with the given innermost statements. */
const blocked = (name: string, parameters: readonly string[], statements: readonly string[], by = 4): string =>
  [
    `kernel ${name}`,
    ...parameters.map((line) => `  ${line}`),
    `  size n: 0..${big}`,
    `  size block: 1..${big}`,
    "{",
    "  parallel u in 0..ceil(n/block) {",
    `    vector i in block*u..min(block*u + block, n) by ${by} {`,
    ...statements.map((line) => `      ${line}`),
    "    }",
    "  }",
    "}",
  ].join("\n");

const plain = (text: string): string => text.replace(/^\n|\n$/g, "");

/** x and y to out, at i: a body for each dtype family. */
const maps: Readonly<Record<string, string>> = {
  axpb: blocked(
    "f32_axpb",
    ["buffer x: float32 read", "buffer out: float32 write", "scalar a: float32", "scalar b: float32"],
    ["out[i] = a * x[i] + b"],
  ),
  fused: blocked(
    "f32_relu_scale",
    ["buffer x: float32 read", "buffer out: float32 write"],
    ["out[i] = max(float32(2) * x[i] - float32(0.1), float32(-0)) / (x[i] - (x[i] - float32(inf)))"],
  ),
  sharing: blocked(
    "f32_silu_sharing",
    ["buffer x: float32 read", "buffer out: float32 write"],
    ["%1 = x[i]", "%2 = exp(neg(%1))", "out[i] = %1 / (float32(1) + %2) + %2 * %1"],
  ),
  halves: blocked(
    "f16_bf16_add",
    ["buffer x: float16 read", "buffer y: bfloat16 read", "buffer out: bfloat16 write"],
    ["out[i] = bfloat16(float32(x[i]) + float32(y[i]))"],
    8,
  ),
  compare: blocked(
    "f64_is_between",
    ["buffer x: float64 read", "buffer out: bool write", "scalar low: float64", "scalar high: float64"],
    ["out[i] = and(low <= x[i], not(x[i] >= high))"],
  ),
  chain: blocked(
    "bool_comparisons",
    ["buffer x: int8 read", "buffer y: int8 read", "buffer out: bool write"],
    ["out[i] = ((x[i] < y[i]) == (x[i] != int8(-128))) == bool(true)"],
    16,
  ),
  wide: blocked(
    "i64_shift",
    ["buffer x: int64 read", "buffer y: uint64 read", "buffer out: int64 write"],
    ["out[i] = shiftRight(x[i], int64(3)) + int64(9007199254740993) - int64(y[i] - uint64(5n))"],
    2,
  ),
  complexes: blocked(
    "c64_rotate",
    ["buffer x: complex64 read", "buffer y: complex128 read", "buffer out: complex64 write"],
    ["out[i] = x[i] * complex64(0, -1) + complex(real(x[i]), float32(nan)) * complex64(conj(y[i]))"],
  ),
  bits: blocked(
    "f32_bits",
    ["buffer x: float32 read", "buffer out: uint32 write"],
    ["out[i] = and(bits_uint32(x[i]), uint32(2147483647))"],
  ),
  counting: blocked("i32_arange", ["buffer out: int32 write"], ["out[i] = int32[3*i + 1]"]),
  integers: blocked(
    "u8_mix",
    ["buffer x: uint8 read", "buffer y: int16 read", "buffer z: uint16 read", "buffer out: int16 write"],
    ["let t: int16 = floorMod(int16(x[i]), y[i])", "out[i] = t - int16(z[i]) * (t + int16(1))"],
    8,
  ),
  inPlace: blocked("f32_inplace", ["buffer x: float32 readwrite"], ["x[i] = x[i] * x[i]"]),
  masked: blocked(
    "f32_masked",
    ["buffer x: float32 read", "buffer mask: bool read", "buffer out: float32 readwrite"],
    ["out[i] = x[i where mask[i] else float32(0)] + out[i] where not(mask[i])"],
  ),
  selected: blocked(
    "f32_where",
    ["buffer c: bool read", "buffer x: float32 read", "buffer y: float32 read", "buffer out: float32 write"],
    ["out[i] = select(c[i], x[i], y[i])"],
  ),
  gather: blocked(
    "f32_take",
    [
      "buffer index: int64 read",
      "buffer x: float32 read",
      "buffer out: float32 write",
      "size x_m: -2147483648..2147483647",
    ],
    ["fetch k = index[i]", "out[i] = x[k*x_m]"],
  ),
};

export const kernelTexts: Readonly<Record<string, string>> = {
  ...maps,
  plane: plain(`
kernel f32_add_plane
  buffer x: float32 read
  buffer y: float32 read
  buffer out: float32 write
  size n: 0..2147483647
  size m: 0..2147483647
  size tile_n: 1..2147483647
  size tile_m: 1..2147483647
  size tiles_n: 1..2147483647
  size tiles: 1..2147483647
  size units: 0..2147483647
  size x_m: -2147483648..2147483647
  size y_m: -2147483648..2147483647
  size y_n: -2147483648..2147483647
  size out_m: -2147483648..2147483647
  modes rest: x, y, out
{
  parallel u in 0..units {
    walk rest at u/tiles -> x_at, y_at, out_at
    index j0 = tile_m*(u%tiles/tiles_n)
    index i0 = tile_n*(u%tiles%tiles_n)
    serial j in j0..min(j0 + tile_m, m) {
      vector i in i0..min(i0 + tile_n, n) by 4 {
        out[j*out_m + i + out_at] = x[j*x_m + i + x_at] + y[i*y_n + j*y_m + y_at]
      }
    }
  }
}`),
  transpose: plain(`
kernel f32_transpose_t8
  buffer x: float32 read
  buffer out: float32 write
  size m: 0..65536
  size tiles: 1..8192
  size units: 0..67108864
  size x_m: -2147483648..2147483647
{
  index last = max(m - 8, 0)
  parallel u in 0..units {
    allocate tile: float32[64] in smem
    index i0 = 8*(u%tiles)
    index j0 = 8*(u/tiles)
    serial j in j0..min(j0 + 8, m) {
      vector i in i0..i0 + 8 by 4 {
        tile[-i0 + i - 8*j0 + 8*j] = x[j*x_m + i + last]
      }
    }
    barrier
    unrolled k in 0..8 {
      vector l in 0..8 by 8 {
        out[8*k + l + 64*u] = tile[k + 8*l]
      }
    }
  }
}`),
  sumRows: plain(`
kernel f32_sum_rows
  buffer x: float32 read
  buffer out: float32 write
  size n: 0..2147483647
  size rows: 0..2147483647
{
  parallel u in 0..rows {
    accumulator s: float32 = float32(0)
    vector k in 0..n by 16 {
      s add= x[n*u + k]
    }
    out[u] = s
  }
}`),
  sumColumns: plain(`
kernel f64_sum_columns
  buffer x: float64 read
  buffer out: float64 write
  size n: 0..2147483647
  size m: 0..2147483647
  size block: 1..2147483647
{
  parallel u in 0..ceil(n/block) {
    vector i in block*u..min(block*u + block, n) by 2 {
      accumulator s: float64 = float64(0)
      serial k in 0..m {
        s add= x[k*n + i]
      }
      out[i] = s
    }
  }
}`),
  extremes: plain(`
kernel i32_min_max
  buffer x: int32 read
  buffer out: int32 write
  buffer flags: bool write
  size n: 0..2147483647
{
  parallel u in 0..1 {
    accumulator low: int32 = int32(2147483647)
    accumulator high: int32 = int32(-2147483648)
    accumulator all: bool = bool(true)
    accumulator any: bool = bool(false)
    accumulator product: int32 = int32(1)
    vector i in 0..n by 4 {
      low min= x[i]
      high max= x[i]
      all and= x[i] != int32(0)
      any or= x[i] != int32(0)
      product mul= x[i]
    }
    out[0] = low
    out[1] = high
    out[2] = product
    flags[0] = all
    flags[1] = any
  }
}`),
  matmul: plain(`
kernel f32_matmul_4x4
  buffer a: float32 read
  buffer b: float32 read
  buffer out: float32 write
  size k_size: 0..65536
{
  parallel u in 0..1024 {
    allocate c: float32[16] in rmem
    unrolled z in 0..16 {
      c[z] = float32(0)
    }
    serial k in 0..k_size {
      unrolled i in 0..4 {
        vector j in 0..4 by 4 {
          c[4*i + j] = c[4*i + j] + a[i + 4*k] * b[j + 4*k]
        }
      }
    }
    vector w in 0..16 by 4 {
      out[16*u + w] = c[w]
    }
  }
}`),
  ring: plain(`
kernel f32_ring
  buffer x: float32 read
  buffer out: float32 write
  size n: 0..1048576
{
  parallel u in 0..n {
    allocate ring: float32[8] in rmem
    serial i in 0..64 {
      ring[i%8] = x[i + 64*u]
      barrier
      out[i + 64*u] = ring[(i + 1)%8] - ring[i/8]
    }
  }
}`),
  histogram: plain(`
kernel i32_histogram
  buffer x: uint8 read
  buffer out: int32 write
  size n: 0..2147483647
{
  parallel u in 0..n {
    allocate bins: int32[256] in smem
    serial i in 0..256 {
      bins[i] = int32(0)
    }
    serial j in 0..n {
      fetch at_bin = x[n*u + j]
      bins[at_bin] = bins[at_bin] + int32(1)
    }
    serial k in 0..256 {
      out[k + 256*u] = bins[k]
    }
  }
}`),
  sharedAcross: plain(`
kernel f32_sharing_mask
  buffer x: float32 read
  buffer out: float32 write
  size n: 0..2147483647
{
  parallel u in 0..n {
    %1 = sqrt(x[u])
    out[u] = %1 where %1 > float32(1e-7)
    %2 = x[u]
    let t: float32 = %2 * %2
    %3 = x[u where t == t else x[0]]
    out[u] = t + (%3 + %3)
  }
}`),
  empty: plain(`
kernel nothing
{
  parallel u in 0..0 {
  }
}`),
};

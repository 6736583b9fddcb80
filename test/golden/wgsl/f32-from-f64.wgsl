// f32_from_f64_line_11
struct Arguments {
  zero: u32,
  units: i32,
  out_base: i32,
  x_base: i32,
  n: i32,
  block: i32,
}
@group(0) @binding(0) var<uniform> arguments: Arguments;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<u32>;
fn f32_from_f64(x: vec2<u32>) -> f32 {
  let sign = x.y & 0x80000000u;
  let exponent = i32((x.y >> 20u) & 0x7ffu) - 896;
  let is_nan = exponent == 1151 && ((x.y & 0xfffffu) != 0u || x.x != 0u);
  if (exponent >= 255) { return bitcast<f32>((sign | 0x7f800000u | select(0u, 0x400000u, is_nan)) | arguments.zero); }
  if (exponent < -24) { return bitcast<f32>(sign); }
  let fraction = 0x800000u | ((x.y & 0xfffffu) << 3u) | (x.x >> 29u);
  // The bits that are cut off: those of the lower word, and of subnormal results some of the fraction.
  let cut = u32(max(1 - exponent, 0));
  let kept = fraction >> cut;
  let lost = fraction & ((1u << cut) - 1u);
  let low = x.x & 0x1fffffffu;
  let half = select(0x10000000u, 1u << (max(cut, 1u) - 1u), cut > 0u);
  let rest = select(low, lost, cut > 0u);
  let is_above = rest > half || (rest == half && ((cut > 0u && low != 0u) || (kept & 1u) != 0u));
  return bitcast<f32>(sign | ((u32(max(exponent - 1, 0)) << 23u) + kept + select(0u, 1u, is_above)));
}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let out_base = arguments.out_base;
  let x_base = arguments.x_base;
  let n = arguments.n;
  let block = arguments.block;
  let u = i32((group.y * groups.x + group.x) * 64u + lane);
  if (u >= arguments.units) { return; }
  for (var i = block * u; i < min(block * u + block, n); i++) {
    out[out_base + i] = f32(f32_from_f64(vec2<u32>(x[2 * (x_base + i)], x[2 * (x_base + i) + 1])));
  }
}

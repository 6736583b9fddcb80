// f32_floor_mod_line_111
struct Arguments {
  zero: u32,
  units: i32,
  out_base: i32,
  x0_base: i32,
  x1_base: i32,
  n: i32,
  block: i32,
}
@group(0) @binding(0) var<uniform> arguments: Arguments;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<storage, read> x0: array<f32>;
@group(0) @binding(3) var<storage, read> x1: array<f32>;
var<private> nan_bits: u32 = 0x7fc00000u;
fn rem_f32(a: f32, b: f32) -> f32 {
  let x = bitcast<u32>(a) & 0x7fffffffu;
  let y = bitcast<u32>(b) & 0x7fffffffu;
  if (x >= 0x7f800000u || y > 0x7f800000u || y == 0u) { return bitcast<f32>(nan_bits); }
  if (x < y) { return a; }
  // The fractions as integers, and their exponents; subnormal numbers have the smallest one.
  let e = max(i32(y >> 23u), 1);
  let divisor = select(y & 0x7fffffu, (y & 0x7fffffu) | 0x800000u, y >= 0x800000u);
  var rest = select(x & 0x7fffffu, (x & 0x7fffffu) | 0x800000u, x >= 0x800000u);
  for (var k = max(i32(x >> 23u), 1); k > e; k--) {
    if (rest >= divisor) { rest -= divisor; }
    rest <<= 1u;
  }
  if (rest >= divisor) { rest -= divisor; }
  var bits = rest;
  if (rest != 0u) {
    let shift = min(i32(countLeadingZeros(rest)) - 8, e - 1);
    bits = rest << u32(shift);
    if (bits >= 0x800000u) { bits = (bits & 0x7fffffu) | (u32(e - shift) << 23u); }
  }
  return bitcast<f32>(bits | (bitcast<u32>(a) & 0x80000000u));
}
fn mod_f32(a: f32, b: f32) -> f32 {
  let rest = rem_f32(a, b);
  return select(rest, rest + b, rest != 0.0f && (rest < 0.0f) != (b < 0.0f));
}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let out_base = arguments.out_base;
  let x0_base = arguments.x0_base;
  let x1_base = arguments.x1_base;
  let n = arguments.n;
  let block = arguments.block;
  let u = i32((group.y * groups.x + group.x) * 64u + lane);
  if (u >= arguments.units) { return; }
  for (var i = block * u; i < min(block * u + block, n); i++) {
    out[out_base + i] = mod_f32(x0[x0_base + i], x1[x1_base + i]);
  }
}

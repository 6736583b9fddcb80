// i64_mul_line_111
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
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read> x0: array<u32>;
@group(0) @binding(3) var<storage, read> x1: array<u32>;
fn mul_long(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let a0 = a.x & 65535u;
  let a1 = a.x >> 16u;
  let b0 = b.x & 65535u;
  let b1 = b.x >> 16u;
  let low = a0 * b0;
  let middle = a1 * b0 + (low >> 16u);
  let other = a0 * b1 + (middle & 65535u);
  let high = a1 * b1 + (middle >> 16u) + (other >> 16u);
  return vec2<u32>((other << 16u) | (low & 65535u), high + a.x * b.y + a.y * b.x);
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
    let t1 = mul_long(vec2<u32>(x0[2 * (x0_base + i)], x0[2 * (x0_base + i) + 1]), vec2<u32>(x1[2 * (x1_base + i)], x1[2 * (x1_base + i) + 1]));
    out[2 * (out_base + i)] = t1.x;
    out[2 * (out_base + i) + 1] = t1.y;
  }
}

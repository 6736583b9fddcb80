// f32_add_line_11
struct Arguments {
  a: f32,
  zero: u32,
  units: i32,
  out_base: i32,
  x_base: i32,
  n: i32,
  block: i32,
}
@group(0) @binding(0) var<uniform> arguments: Arguments;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let a = arguments.a;
  let out_base = arguments.out_base;
  let x_base = arguments.x_base;
  let n = arguments.n;
  let block = arguments.block;
  let u = i32((group.y * groups.x + group.x) * 64u + lane);
  if (u >= arguments.units) { return; }
  for (var i = block * u; i < min(block * u + block, n); i++) {
    out[out_base + i] = x[x_base + i] + a;
  }
}

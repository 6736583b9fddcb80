// u8_copy_line_11
struct Arguments {
  zero: u32,
  units: i32,
  out_base: i32,
  x_base: i32,
  n: i32,
  block: i32,
}
@group(0) @binding(0) var<uniform> arguments: Arguments;
@group(0) @binding(1) var<storage, read_write> out: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> x: array<u32>;
fn load_8_x(at: i32) -> u32 { return (x[at >> 2u] >> (u32(at & 3) * 8u)) & 255u; }
fn store_8_out(at: i32, bits: u32) {
  let by = u32(at & 3) * 8u;
  atomicAnd(&out[at >> 2u], ~(255u << by));
  atomicOr(&out[at >> 2u], (bits & 255u) << by);
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
    store_8_out(out_base + i, load_8_x(x_base + i));
  }
}

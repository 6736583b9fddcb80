// bool_and_line_111
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
@group(0) @binding(1) var<storage, read_write> out: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> x0: array<u32>;
@group(0) @binding(3) var<storage, read> x1: array<u32>;
fn load_8_x0(at: i32) -> u32 { return (x0[at >> 2u] >> (u32(at & 3) * 8u)) & 255u; }
fn load_8_x1(at: i32) -> u32 { return (x1[at >> 2u] >> (u32(at & 3) * 8u)) & 255u; }
fn store_8_out(at: i32, bits: u32) {
  let by = u32(at & 3) * 8u;
  atomicAnd(&out[at >> 2u], ~(255u << by));
  atomicOr(&out[at >> 2u], (bits & 255u) << by);
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
    store_8_out(out_base + i, select(0u, 1u, (load_8_x0(x0_base + i) != 0u) & (load_8_x1(x1_base + i) != 0u)));
  }
}

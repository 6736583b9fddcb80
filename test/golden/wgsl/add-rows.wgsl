// f32_add_plane_111
struct Arguments {
  zero: u32,
  units: i32,
  out_base: i32,
  x0_base: i32,
  x1_base: i32,
  n: i32,
  m: i32,
  tile_n: i32,
  tile_m: i32,
  tiles_n: i32,
  tiles: i32,
  units_: i32,
  out_m: i32,
  x0_m: i32,
  x1_m: i32,
  rest_count: i32,
  rest_first: i32,
  rows: array<vec4<i32>, 4>,
}
@group(0) @binding(0) var<uniform> arguments: Arguments;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<storage, read> x0: array<f32>;
@group(0) @binding(3) var<storage, read> x1: array<f32>;
fn row(k: i32) -> i32 { return arguments.rows[k >> 2u][k & 3]; }
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let out_base = arguments.out_base;
  let x0_base = arguments.x0_base;
  let x1_base = arguments.x1_base;
  let n = arguments.n;
  let m = arguments.m;
  let tile_n = arguments.tile_n;
  let tile_m = arguments.tile_m;
  let tiles_n = arguments.tiles_n;
  let tiles = arguments.tiles;
  let units_ = arguments.units_;
  let out_m = arguments.out_m;
  let x0_m = arguments.x0_m;
  let x1_m = arguments.x1_m;
  let u = i32((group.y * groups.x + group.x) * 64u + lane);
  if (u >= arguments.units) { return; }
  var t1 = u / tiles;
  var out_at = 0;
  var x0_at = 0;
  var x1_at = 0;
  for (var at_row = arguments.rest_first; at_row < arguments.rest_first + arguments.rest_count; at_row += 4) {
    let row_size = row(at_row);
    let row_coord = t1 % row_size;
    t1 = t1 / row_size;
    out_at += row_coord * row(at_row + 1);
    x0_at += row_coord * row(at_row + 2);
    x1_at += row_coord * row(at_row + 3);
  }
  let tile = u % tiles;
  let j0 = tile_m * (tile / tiles_n);
  let i0 = tile_n * (tile % tiles_n);
  for (var j = j0; j < min(j0 + tile_m, m); j++) {
    for (var i = i0; i < min(i0 + tile_n, n); i++) {
      out[out_base + j * out_m + i + out_at] = x0[x0_base + j * x0_m + i + x0_at] + x1[x1_base + j * x1_m + i + x1_at];
    }
  }
}

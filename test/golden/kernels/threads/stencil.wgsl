// f32_stencil_5: 32 threads for each unit
struct Arguments {
  h: i32,
  w: i32,
  columns: i32,
  units: i32,
}
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> arguments: Arguments;
var<workgroup> s: array<f32, 60>;

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(num_workgroups) workgroups: vec3u, @builtin(local_invocation_index) thread: u32) {
  let h = arguments.h;
  let w = arguments.w;
  let columns = arguments.columns;
  let units = arguments.units;
  let u = i32(workgroup.x + workgroup.y * workgroups.x);
  if (u >= units) { return; }
  let i0 = (u / columns) * 4;
  let j0 = (u % columns) * 8;
  let t = i32(thread);
  for (var r = 0; r < 2; r += 1) {
    let e = r * 32 + t;
    if (e < 60) {
      let i = (i0 + e / 10) - 1;
      let j = (j0 + e % 10) - 1;
      s[e] = select(0.0, x[i * w + j], ((i >= 0) && (i < h)) && ((j >= 0) && (j < w)));
    }
  }
  workgroupBarrier();
  let c = (t / 8) * 10 + t % 8;
  let sides: f32 = (s[c + 10] + s[c + 12]) + (s[c + 1] + s[c + 21]);
  let row = i0 + t / 8;
  let column = j0 + t % 8;
  if ((row < h) && (column < w)) { out[row * w + column] = sides - (4.0 * s[c + 11]); }
}

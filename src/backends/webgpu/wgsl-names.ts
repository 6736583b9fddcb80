/** Names of a kernel as names of WGSL: a word that WGSL reserves, or that the printer uses, gets an underscore at its end. */

const reserved: ReadonlySet<string> = new Set(
  (
    "alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop override requires " +
    "return struct switch true var while NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become cast " +
    "catch class co_await co_return co_yield coherent column_major common compile compile_fragment concept const_cast consteval constexpr " +
    "constinit crate debugger decltype delete demote demote_to_helper do dynamic_cast enum explicit export extends extern external fallthrough " +
    "filter final finally friend from fxgroup get goto groupshared highp impl implements import inline instanceof interface layout lowp macro " +
    "macro_rules match mediump meta mod module move mut mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent " +
    "noperspective null nullptr of operator package packoffset partition pass patch pixelfragment precise precision premerge priv protected pub " +
    "public readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof smooth snorm static static_assert " +
    "static_cast std subroutine super target template this thread_local throw trait try type typedef typeid typename typeof union unless unorm " +
    "unsafe unsized use using varying virtual volatile wgsl where with writeonly yield " +
    // Types, functions and names that the text itself uses.
    "array atomic bitcast bool f16 f32 i32 u32 vec2 vec3 vec4 vec3u select min max abs sqrt floor ceil trunc round exp exp2 log log2 sin cos tan " +
    "asin acos atan atan2 sinh cosh tanh asinh acosh atanh workgroupBarrier storageBarrier floor_div floor_mod min_f32 max_f32 min_f16 max_f16 " +
    "bits_7fc00000 bits_7f800000 bits_ff800000 main Arguments arguments workgroup workgroups thread"
  ).split(" "),
);

/** Returns a function from names of a kernel to names of WGSL; different names stay different. */
export function wgslNames(names: readonly string[]): (name: string) => string {
  const known = new Map<string, string>();
  const used = new Set(names);
  for (const name of new Set(names)) {
    let own = name;
    // A name must not begin with two underscores, and values that are used twice are called v1, v2, ...
    if (reserved.has(name) || /^(?:__|v\d+$)/.test(name)) {
      own = name.replace(/^_+/, "_");
      do own += "_";
      while (used.has(own));
      used.add(own);
    }
    known.set(name, own);
  }
  return (name) => known.get(name) ?? name;
}

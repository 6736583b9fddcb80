/**
 * The names of a kernel in WGSL: the kernel's own, except where they are words of WGSL or names that the printer uses.
 */
import { substitute } from "../../../expr/evaluate.ts";
import { type Expr, sym } from "../../../expr/expr.ts";
import { toWgsl } from "../../../expr/wgsl.ts";

const words =
  "alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop override requires " +
  "return struct switch true var while NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become " +
  "cast catch class co_await co_return co_yield coherent column_major common compile compile_fragment concept const_cast consteval " +
  "constexpr constinit crate debugger decltype delete demote demote_to_helper do dynamic_cast enum explicit export extends extern external " +
  "fallthrough filter final finally friend from fxgroup get goto groupshared highp impl implements import inline instanceof interface layout " +
  "lowp macro macro_rules match mediump meta mod module move mut mutable namespace new nil noexcept noinline nointerpolation non_coherent " +
  "noncoherent noperspective null nullptr of operator package packoffset partition pass patch pixelfragment precise precision premerge priv " +
  "protected pub public readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof smooth snorm " +
  "static static_assert static_cast std subroutine super target template this thread_local throw trait try type typedef typeid typename " +
  "typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with writeonly yield " +
  // Types and functions that the printer uses.
  "bool i32 u32 f32 vec2 vec3 vec4 array atomic bitcast select min max abs sqrt floor ceil trunc round fma sign any all not " +
  "atomicAnd atomicOr atomicLoad atomicStore countLeadingZeros zero part at_row row_size row_coord main row arguments Arguments group groups lane units rows infinity nan";
const reserved: ReadonlySet<string> = /* @__PURE__ */ new Set(words.split(" "));

/** True for names of the printer's own values, functions and fields. */
const isOwn = (name: string): boolean =>
  /^(?:t\d+|__.*|_|.*_(?:base|first|count|parts|full|rest)|(?:load|store|shared)_.*)$/.test(name);

export class Names {
  readonly #names = new Map<string, string>();
  readonly #used = new Set<string>();
  #temporaries = 0;

  /** Returns the name in WGSL; each name of the kernel has one. */
  of(name: string): string {
    let own = this.#names.get(name);
    if (own === undefined) {
      own = reserved.has(name) || isOwn(name) ? `${name}_` : name;
      while (this.#used.has(own) || reserved.has(own) || isOwn(own)) own += "_";
      this.#used.add(own);
      this.#names.set(name, own);
    }
    return own;
  }

  /** Returns an integer expression as text. */
  expr(expr: Expr): string {
    const renamed = new Map<string, Expr>();
    for (const [name, symbol] of expr.symbols)
      if (this.of(name) !== name) renamed.set(name, sym(this.of(name), symbol));
    return toWgsl(renamed.size === 0 ? expr : substitute(expr, renamed));
  }

  /** Returns a new name for a value that is used more than once. */
  temporary(): string {
    return `t${++this.#temporaries}`;
  }
}

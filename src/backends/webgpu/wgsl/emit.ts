/**
 * Kernels as WGSL. A unit of the parallel loop is one invocation, which runs all loops inside; the lowering chooses units of few elements.
 *
 * A vector loop that combines values into an accumulator keeps as many partial results as the kernel says, and folds them in its order, so
 * results have the bits of other backends as far as the adapter's arithmetic allows.
 */
import { KernelError } from "../../../kernel/ir/error.ts";
import type {
  AccumulateStatement,
  Kernel,
  LoopStatement,
  Statement,
  StoreStatement,
  WalkStatement,
} from "../../../kernel/ir/kernel.ts";
import type { Scalar } from "../../../kernel/ir/scalar.ts";
import { identityOf } from "../../../kernel/ir/statements.ts";
import { operandsOf, rootsOf } from "../../../kernel/ir/visit.ts";
import { type DType, dtypes } from "../../../storage/dtype.ts";
import { type ArgumentStruct, argumentStruct } from "./arguments.ts";
import { type BindingPattern, Buffers } from "./buffers.ts";
import { helperTexts } from "./functions.ts";
import { Names } from "./names.ts";
import { valueType } from "./types.ts";
import { Values } from "./values.ts";

/** Invocations of a workgroup. */
export const workgroupSize = 64;

/** The most bytes that a kernel may allocate for one unit. */
export const maxUnitBytes = 8192;

export interface WgslKernel {
  readonly code: string;
  readonly struct: ArgumentStruct;
}

/** Returns a lowered kernel as WGSL, for this pattern of bindings and this many words of rows, a multiple of 4. */
export function emitWgsl(kernel: Kernel, pattern: BindingPattern, rowWords: number): WgslKernel {
  return new Emitter(kernel, pattern).emit(rowWords);
}

/** The accumulators of a vector loop that the loop combines values into. */
interface Partial {
  readonly name: string;
  readonly dtype: DType;
  readonly fn: AccumulateStatement["fn"];
}

class Emitter {
  readonly #kernel: Kernel;
  readonly #names = new Names();
  readonly #values = new Values();
  readonly #buffers: Buffers;
  readonly #struct: ArgumentStruct;
  readonly #accumulators = new Map<string, DType>();
  /** The partial result that stands for an accumulator in the present loop. */
  readonly #partials = new Map<string, string>();
  #lines: string[] = [];
  #indent = "  ";
  #bytes = 0;

  constructor(kernel: Kernel, pattern: BindingPattern) {
    this.#kernel = kernel;
    for (const { name } of [...kernel.buffers, ...kernel.scalars, ...kernel.sizes, ...kernel.modes])
      this.#names.of(name);
    this.#buffers = new Buffers(kernel.buffers, pattern, this.#names, this.#values);
    this.#struct = argumentStruct(kernel, this.#names);
  }

  emit(rowWords: number): WgslKernel {
    const { name, scalars, sizes, modes, body } = this.#kernel;
    const fields = [...this.#struct.fields];
    if (rowWords > 0) fields.push(`rows: array<vec4<i32>, ${rowWords / 4}>,`);
    for (const { name: own, dtype } of scalars)
      this.#put(`let ${this.#names.of(own)} = arguments.${this.#names.of(own)}${dtype === "bool" ? " != 0u" : ""};`);
    for (const own of [...this.#buffers.bases(), ...sizes.map((size) => this.#names.of(size.name))])
      this.#put(`let ${own} = arguments.${own};`);
    this.#list(body);
    const main = this.#lines;
    const bits: string[] = [];
    // Constants may not be NaN or infinite, but variables may.
    if (this.#values.needsNan) bits.push("var<private> nan_bits: u32 = 0x7fc00000u;");
    if (this.#values.needsInfinity) bits.push("var<private> infinity_bits: u32 = 0x7f800000u;");
    const row = modes.length === 0 ? [] : ["fn row(k: i32) -> i32 { return arguments.rows[k >> 2u][k & 3]; }"];
    const code = [
      `// ${name}`,
      "struct Arguments {",
      ...fields.map((field) => `  ${field}`),
      "}",
      "@group(0) @binding(0) var<uniform> arguments: Arguments;",
      ...this.#buffers.declarations(),
      ...bits,
      ...row,
      ...helperTexts(this.#values.helpers),
      ...this.#buffers.functions(),
      `@compute @workgroup_size(${workgroupSize})`,
      "fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {",
      ...main,
      "}",
      "",
    ].join("\n");
    return { code, struct: this.#struct };
  }

  #put(line: string): void {
    this.#lines.push(this.#indent + line);
  }

  /** Adds the statements of a block. */
  #block(head: string, add: () => void): void {
    this.#put(head === "{" ? head : `${head} {`);
    const indent = this.#indent;
    this.#indent += "  ";
    add();
    this.#indent = indent;
    this.#put("}");
  }

  #list(statements: readonly Statement[]): void {
    for (const statement of statements) this.#statement(statement);
  }

  #statement(statement: Statement): void {
    const names = this.#names;
    switch (statement.kind) {
      case "loop":
        this.#loop(statement);
        break;
      case "if": {
        const [text] = this.#scalars([statement.condition]);
        this.#block(`if (${bare(text)})`, () => this.#list(statement.body));
        break;
      }
      case "index":
        this.#put(`let ${names.of(statement.name)} = ${names.expr(statement.value)};`);
        break;
      case "fetch": {
        const { value } = statement;
        const [text] = this.#scalars([value]);
        this.#put(`let ${names.of(statement.name)} = ${bare(this.#values.cast(value.dtype, "int32", text))};`);
        break;
      }
      case "walk":
        this.#walk(statement);
        break;
      case "let": {
        const [text] = this.#scalars(rootsOf(statement));
        this.#put(`let ${names.of(statement.name)} = ${bare(text)};`);
        break;
      }
      case "accumulator": {
        const [text] = this.#scalars(rootsOf(statement));
        const { dtype } = statement.initial;
        this.#accumulators.set(statement.name, dtype);
        this.#put(`var ${names.of(statement.name)}: ${valueType(dtype)} = ${bare(text)};`);
        break;
      }
      case "accumulate": {
        const { into, fn, value } = statement;
        const [text] = this.#scalars([value]);
        const target = this.#partials.get(into) ?? names.of(into);
        this.#put(`${target} = ${bare(this.#values.call(fn, value.dtype, [target, text]))};`);
        break;
      }
      case "store":
        this.#store(statement);
        break;
      case "allocate": {
        const { name, dtype, length } = statement;
        this.#bytes += length * Math.max(4, dtypes[dtype].itemsize);
        if (this.#bytes > maxUnitBytes)
          throw new KernelError(
            `kernel ${this.#kernel.name}: allocates more than ${maxUnitBytes} bytes for one unit, the most on WebGPU. Allocate less.`,
          );
        this.#put(`var ${names.of(name)}: array<${valueType(dtype)}, ${length}>;`);
        break;
      }
      case "barrier":
        // A unit is one invocation, which sees its own writes.
        break;
      default:
        statement satisfies never;
    }
  }

  #loop(loop: LoopStatement): void {
    const { mode, index, from, to, by, body } = loop;
    const names = this.#names;
    if (mode === "parallel") {
      this.#put(`let ${names.of(index)} = i32((group.y * groups.x + group.x) * ${workgroupSize}u + lane);`);
      this.#put(`if (${names.of(index)} >= arguments.units) { return; }`);
      this.#list(body);
      return;
    }
    const partials = mode === "vector" && by > 1 ? this.#partialsOf(loop) : [];
    if (partials.length > 0) {
      this.#foldedLoop(loop, partials);
      return;
    }
    const own = names.of(index);
    this.#block(`for (var ${own} = ${names.expr(from)}; ${own} < ${names.expr(to)}; ${own}++)`, () => this.#list(body));
  }

  /** The accumulators from outside of a loop that it combines values into. */
  #partialsOf({ body }: LoopStatement): Partial[] {
    const partials = new Map<string, Partial>();
    const visit = (list: readonly Statement[]): void => {
      for (const statement of list) {
        if (statement.kind === "loop") visit(statement.body);
        if (statement.kind !== "accumulate") continue;
        const dtype = this.#accumulators.get(statement.into);
        if (dtype !== undefined) partials.set(statement.into, { name: statement.into, dtype, fn: statement.fn });
      }
    };
    visit(body);
    return [...partials.values()];
  }

  /** A vector loop with partial results: the full rounds, the fold, and the remaining iterations. */
  #foldedLoop({ index, from, to, by, body }: LoopStatement, partials: readonly Partial[]): void {
    const names = this.#names;
    const own = names.of(index);
    const [first, full] = [`${own}_first`, `${own}_full`];
    this.#block("", () => {
      this.#put(`let ${first} = ${names.expr(from)};`);
      this.#put(`let ${full} = ${first} + max(0, (${names.expr(to)} - ${first}) / ${by}) * ${by};`);
      for (const { name, dtype, fn } of partials) {
        const identity = this.#values.constant(dtype, identityOf(fn, dtype));
        this.#put(`var ${names.of(name)}_parts: array<${valueType(dtype)}, ${by}>;`);
        this.#put(`for (var part = 0; part < ${by}; part++) { ${names.of(name)}_parts[part] = ${bare(identity)}; }`);
      }
      this.#block(`for (var ${own} = ${first}; ${own} < ${full}; ${own}++)`, () => {
        for (const { name } of partials)
          this.#partials.set(name, `${names.of(name)}_parts[(${own} - ${first}) & ${by - 1}]`);
        this.#list(body);
      });
      for (const { name } of partials) this.#partials.delete(name);
      for (const { name, dtype, fn } of partials) {
        const parts = `${names.of(name)}_parts`;
        const combined = (a: string, b: string): string => bare(this.#values.call(fn, dtype, [a, b]));
        for (let half = by / 2; half >= 1; half /= 2)
          this.#put(
            `for (var part = 0; part < ${half}; part++) { ${parts}[part] = ${combined(`${parts}[part]`, `${parts}[part + ${half}]`)}; }`,
          );
        this.#put(`${names.of(name)} = ${combined(names.of(name), `${parts}[0]`)};`);
      }
      this.#block(`for (var ${own} = ${full}; ${own} < ${names.expr(to)}; ${own}++)`, () => this.#list(body));
    });
  }

  #walk({ modes, position, offsets }: WalkStatement): void {
    const names = this.#names;
    const width = 1 + offsets.length;
    const rest = names.temporary();
    this.#put(`var ${rest} = ${names.expr(position)};`);
    for (const name of offsets) this.#put(`var ${names.of(name)} = 0;`);
    const first = `arguments.${names.of(modes)}_first`;
    this.#block(
      `for (var at_row = ${first}; at_row < ${first} + arguments.${names.of(modes)}_count; at_row += ${width})`,
      () => {
        this.#put("let row_size = row(at_row);");
        this.#put(`let row_coord = ${rest} % row_size;`);
        this.#put(`${rest} = ${rest} / row_size;`);
        for (const [k, name] of offsets.entries())
          this.#put(`${names.of(name)} += row_coord * row(at_row + ${k + 1});`);
      },
    );
  }

  #store({ buffer, index, value, mask }: StoreStatement): void {
    const [text, condition] = this.#scalars(mask === undefined ? [value] : [value, mask]);
    const at = this.#names.expr(index);
    const lines = this.#buffers.has(buffer)
      ? this.#storeLong(buffer, value.dtype, operand(at), text)
      : [`${this.#names.of(buffer)}[${at}] = ${bare(text)};`];
    if (mask === undefined) for (const line of lines) this.#put(line);
    else
      this.#block(`if (${bare(condition)})`, () => {
        for (const line of lines) this.#put(line);
      });
  }

  /** A value of two words gets a name, because it is used twice. */
  #storeLong(buffer: string, dtype: DType, at: string, text: string): string[] {
    if (dtypes[dtype].itemsize < 8) return this.#buffers.store(buffer, dtype, at, bare(text));
    const name = this.#names.temporary();
    const words = dtype === "float64" ? this.#values.toDouble(bare(text)) : bare(text);
    return [`let ${name} = ${words};`, ...this.#buffers.store(buffer, dtype, at, name)];
  }

  /** Returns values as text. Those that are used more than once, and loads with a mask, get a line of their own before. */
  #scalars(roots: readonly Scalar[]): string[] {
    const names = new Map<Scalar, string>();
    for (const value of namedIn(roots)) {
      const name = this.#names.temporary();
      if (value.kind === "load" && value.mask !== undefined) {
        this.#put(`var ${name} = ${bare(this.#text(value.otherwise as Scalar, names))};`);
        this.#put(
          `if (${bare(this.#text(value.mask, names))}) { ${name} = ${bare(this.#load(value.buffer, value.dtype, value))}; }`,
        );
      } else this.#put(`let ${name} = ${bare(this.#definition(value, names))};`);
      names.set(value, name);
    }
    return roots.map((value) => this.#text(value, names));
  }

  #text(value: Scalar, names: ReadonlyMap<Scalar, string>): string {
    return names.get(value) ?? this.#definition(value, names);
  }

  #load(buffer: string, dtype: DType, { index }: Scalar & { readonly kind: "load" }): string {
    const at = this.#names.expr(index);
    return this.#buffers.has(buffer)
      ? this.#buffers.load(buffer, dtype, operand(at))
      : `${this.#names.of(buffer)}[${at}]`;
  }

  #definition(value: Scalar, names: ReadonlyMap<Scalar, string>): string {
    switch (value.kind) {
      case "constant":
        return this.#values.constant(value.dtype, value.value);
      case "parameter":
        return this.#names.of(value.name);
      case "named":
        return this.#partials.get(value.name) ?? this.#names.of(value.name);
      case "index":
        return this.#values.cast("int32", value.dtype, `(${this.#names.expr(value.value)})`);
      case "load":
        return this.#load(value.buffer, value.dtype, value);
      case "cast": {
        const text = this.#text(value.of, names);
        return value.how === "bits"
          ? this.#values.bits(value.of.dtype, value.dtype, text)
          : this.#values.cast(value.of.dtype, value.dtype, text);
      }
      case "call": {
        const isSum = isFloatSum(value);
        const args = value.args.map((arg) => {
          const text = this.#text(arg, names);
          return isSum && isFloatSum(arg) ? this.#values.exact(text) : text;
        });
        return this.#values.call(value.fn, value.args[value.fn === "select" ? 1 : 0].dtype, args);
      }
      default:
        return value satisfies never;
    }
  }
}

/** True for a sum or difference of floats. Terms of such a sum that are sums keep their rounding, on which expanded functions rely. */
const isFloatSum = (value: Scalar): boolean =>
  value.kind === "call" && value.dtype === "float32" && (value.fn === "add" || value.fn === "sub");

/** A text without the parentheses around all of it. */
function bare(text: string): string {
  if (!text.startsWith("(")) return text;
  let depth = 0;
  for (let k = 0; k < text.length; k++) {
    if (text[k] === "(") depth++;
    if (text[k] === ")" && --depth === 0) return k === text.length - 1 ? bare(text.slice(1, -1)) : text;
  }
  return text;
}

/** An index that is added to another: sums need no parentheses, but bitwise functions do. */
const operand = (text: string): string => (/[<>&|^]/.test(text) ? `(${text})` : text);

/** Values below these that get a name: those that are used more than once, unless they are trivial, and loads with a mask; operands first. */
function namedIn(roots: readonly Scalar[]): readonly Scalar[] {
  const isRepeated = new Map<Scalar, boolean>();
  const order: Scalar[] = [];
  const visit = (value: Scalar): void => {
    if (value.kind !== "call" && value.kind !== "cast" && value.kind !== "load") return;
    const isKnown = isRepeated.has(value);
    isRepeated.set(value, isKnown);
    if (isKnown) return;
    for (const each of operandsOf(value)) visit(each);
    order.push(value);
  };
  for (const root of roots) visit(root);
  return order.filter((value) => isRepeated.get(value) === true || (value.kind === "load" && value.mask !== undefined));
}

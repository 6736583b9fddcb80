/**
 * Prints a kernel as WGSL: one workgroup for each unit, one invocation for each thread. smem is workgroup memory, rmem variables of the
 * invocation, a barrier a barrier. Buffers are bound in their order, then the scalars and sizes as one struct. The units are the workgroups of
 * a dispatch in x, then in y; those past the end return at once.
 *
 * Masked loads read an element and drop it: a read outside of a binding has some value, and no effect. Buffers of vectors must be bound with a
 * size that is a multiple of 16 bytes. What WGSL cannot express throws a KernelError that names it.
 */
import { substitute } from "../../expr/evaluate.ts";
import { constant, type Expr, sym } from "../../expr/expr.ts";
import { isWgslOperand, toWgsl } from "../../expr/wgsl.ts";
import { parameterBindings, statementBindings } from "../../kernel/ir/bindings.ts";
import { resolveNames } from "../../kernel/ir/extent.ts";
import type { AccumulateStatement, Kernel, LoopStatement, Statement, StoreStatement } from "../../kernel/ir/kernel.ts";
import type { LoadScalar, Scalar } from "../../kernel/ir/scalar.ts";
import { threadsLoopOf } from "../../kernel/ir/threads.ts";
import { operandsOf, rootsOf, scalarsOf, statementsOf } from "../../kernel/ir/visit.ts";
import type { DType } from "../../storage/dtype.ts";
import { type Declarations, hostType, refuse, wgslCall, wgslConstant, wgslType } from "./wgsl-functions.ts";
import { wgslNames } from "./wgsl-names.ts";
import { type Vectors, vectorLanes, vectorsOf } from "./wgsl-vectors.ts";

/** Returns the text of a module with one entry point, `main`. */
export function printWgsl(kernel: Kernel): string {
  return new Printer(kernel).text();
}

/** The text of a value, and whether it can be an operand without parentheses. */
interface Text {
  readonly text: string;
  readonly isOperand: boolean;
}

const operand = ({ text, isOperand }: Text): string => (isOperand ? text : `(${text})`);

class Printer {
  readonly #kernel: Kernel;
  readonly #threads: LoopStatement | undefined;
  readonly #vectors: Vectors;
  readonly #nameOf: (name: string) => string;
  readonly #declarations: Declarations = new Map();
  readonly #workgroup: string[] = [];
  readonly #hasStorageBarrier: boolean;
  readonly #lines: string[] = [];
  #indent = "  ";
  /** The expressions of names that are not themselves: the index of a loop with vectors. */
  #replaced = new Map<string, Expr>();
  /** The index of the loop that is printed with vectors. */
  #vector: string | undefined;
  #shared = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    if (kernel.modes.length > 0) refuse(`kernel ${kernel.name}: mode lists are not printed. Use sizes and strides.`);
    const statements = statementsOf(kernel);
    this.#threads = threadsLoopOf(statements);
    const { names } = resolveNames(statements);
    this.#vectors = vectorsOf(kernel, (expr) => substitute(expr, names));
    this.#nameOf = wgslNames([
      ...parameterBindings(kernel).map(([name]) => name),
      ...statements.flatMap(({ statement }) => statementBindings(statement).map(([name]) => name)),
    ]);
    const loaded = new Set(
      statements.flatMap(({ statement }) =>
        scalarsOf(statement).flatMap((value) => (value.kind === "load" ? [value.buffer] : [])),
      ),
    );
    this.#hasStorageBarrier = kernel.buffers.some(({ name, access }) => access === "readwrite" && loaded.has(name));
  }

  text(): string {
    const { name, buffers, scalars, sizes, body } = this.#kernel;
    const count = this.#threads?.to.value ?? 1;
    const used = new Set<DType>(buffers.map(({ dtype }) => dtype));
    for (const { statement } of statementsOf(this.#kernel))
      for (const { dtype } of scalarsOf(statement)) used.add(dtype);
    const bindings = buffers.map(({ name: buffer, dtype, access }, k) => {
      const mode = access === "read" ? "read" : "read_write";
      const type = `array<${this.#elementType(buffer, hostType(dtype))}>`;
      return `@group(0) @binding(${k}) var<storage, ${mode}> ${this.#nameOf(buffer)}: ${type};`;
    });
    const fields = [
      ...scalars.map((scalar) => [scalar.name, scalar.dtype === "bool" ? "u32" : wgslType(scalar.dtype)] as const),
      ...sizes.map((size) => [size.name, "i32"] as const),
    ];
    const hasFields = fields.length > 0;
    if (hasFields) bindings.push(`@group(0) @binding(${buffers.length}) var<uniform> arguments: Arguments;`);
    for (const { name: scalar, dtype } of scalars) {
      const value = `arguments.${this.#nameOf(scalar)}`;
      this.#put(`let ${this.#nameOf(scalar)} = ${dtype === "bool" ? `${value} != 0u` : value};`);
    }
    for (const { name: size } of sizes) this.#put(`let ${this.#nameOf(size)} = arguments.${this.#nameOf(size)};`);
    this.#list(body);
    const builtins = ["@builtin(workgroup_id) workgroup: vec3u", "@builtin(num_workgroups) workgroups: vec3u"];
    if (this.#threads !== undefined) builtins.push("@builtin(local_invocation_index) thread: u32");
    return [
      ...(used.has("float16") ? ["enable f16;", ""] : []),
      `// ${name}: ${count} ${count === 1 ? "thread" : "threads"} for each unit`,
      ...(hasFields
        ? ["struct Arguments {", ...fields.map(([field, type]) => `  ${this.#nameOf(field)}: ${type},`), "}"]
        : []),
      ...bindings,
      ...this.#workgroup,
      ...this.#declarations.values(),
      "",
      `@compute @workgroup_size(${count})`,
      `fn main(${builtins.join(", ")}) {`,
      ...this.#lines,
      "}",
    ].join("\n");
  }

  #elementType(buffer: string, type: string): string {
    return this.#vectors.packed.has(buffer) ? `vec${vectorLanes}<${type}>` : type;
  }

  #put(line: string): void {
    this.#lines.push(this.#indent + line);
  }

  #block(open: string, write: () => void): void {
    this.#put(`${open} {`);
    const before = this.#indent;
    this.#indent += "  ";
    write();
    this.#indent = before;
    this.#put("}");
  }

  #list(list: readonly Statement[]): void {
    for (const statement of list) this.#statement(statement);
  }

  #statement(statement: Statement): void {
    const names = new Map<Scalar, Text>();
    const value = (scalar: Scalar): string => this.#value(scalar, names).text;
    for (const shared of repeatedIn(statement)) {
      const name = `v${++this.#shared}`;
      this.#put(`let ${name} = ${value(shared)};`);
      names.set(shared, { text: name, isOperand: true });
    }
    switch (statement.kind) {
      case "loop":
        this.#loop(statement);
        return;
      case "if":
        this.#block(`if (${value(statement.condition)})`, () => this.#list(statement.body));
        return;
      case "index":
        this.#put(`let ${this.#nameOf(statement.name)} = ${this.#index(statement.value).text};`);
        return;
      case "fetch": {
        const text = value(statement.value);
        this.#put(
          `let ${this.#nameOf(statement.name)} = ${statement.value.dtype === "int32" ? text : `i32(${text})`};`,
        );
        return;
      }
      case "let":
        this.#put(
          `let ${this.#nameOf(statement.name)}: ${wgslType(statement.value.dtype)} = ${value(statement.value)};`,
        );
        return;
      case "accumulator":
        this.#put(
          `var ${this.#nameOf(statement.name)}: ${wgslType(statement.initial.dtype)} = ${value(statement.initial)};`,
        );
        return;
      case "accumulate":
        this.#accumulate(statement, this.#value(statement.value, names));
        return;
      case "store":
        this.#store(statement, value);
        return;
      case "allocate": {
        const { name, dtype, length, space } = statement;
        const isPacked = this.#vectors.packed.has(name);
        const type = `array<${this.#elementType(name, wgslType(dtype))}, ${isPacked ? length / vectorLanes : length}>`;
        if (space === "smem" && this.#threads !== undefined)
          this.#workgroup.push(`var<workgroup> ${this.#nameOf(name)}: ${type};`);
        else this.#put(`var ${this.#nameOf(name)}: ${type};`);
        return;
      }
      case "barrier":
        if (this.#threads === undefined) return;
        if (this.#hasStorageBarrier) this.#put("storageBarrier();");
        this.#put("workgroupBarrier();");
        return;
      case "walk":
        refuse("mode lists are not printed. Use sizes and strides.");
    }
  }

  #loop(loop: LoopStatement): void {
    const { mode, index, from, to, body } = loop;
    const name = this.#nameOf(index);
    if (mode === "parallel") {
      this.#put(`let ${name} = i32(workgroup.x + workgroup.y * workgroups.x);`);
      this.#put(`if (${name} >= ${this.#index(to).text}) { return; }`);
      this.#list(body);
      return;
    }
    if (mode === "threads") {
      this.#put(`let ${name} = i32(thread);`);
      this.#list(body);
      return;
    }
    const [start, end] = [this.#index(from).text, operand(this.#index(to))];
    const isVector = this.#vectors.loops.has(loop);
    if (isVector && to.value === vectorLanes) {
      // One vector: the index is that of its first element.
      this.#replaced.set(index, constant(0));
      this.#withVector(index, body);
      this.#replaced.delete(index);
      return;
    }
    this.#block(`for (var ${name} = ${start}; ${name} < ${end}; ${name} += ${isVector ? vectorLanes : 1})`, () => {
      if (isVector) this.#withVector(index, body);
      else {
        if (mode === "vector") checkAccumulates(body);
        this.#list(body);
      }
    });
  }

  #withVector(index: string, body: readonly Statement[]): void {
    this.#vector = index;
    this.#list(body);
    this.#vector = undefined;
  }

  #accumulate({ into, fn, value: { dtype } }: AccumulateStatement, added: Text): void {
    const name = this.#nameOf(into);
    this.#put(`${name} = ${wgslCall(fn, dtype, [name, operand(added)], this.#declarations)};`);
  }

  #store(statement: StoreStatement, value: (scalar: Scalar) => string): void {
    const text = `${this.#element(statement)} = ${value(statement.value)};`;
    if (statement.mask === undefined) this.#put(text);
    else this.#put(`if (${value(statement.mask)}) { ${text} }`);
  }

  /** An element, or four of them in a loop with vectors. */
  #element({ buffer, index }: LoadScalar | StoreStatement): string {
    const name = this.#nameOf(buffer);
    const at = this.#named(index);
    if (!this.#vectors.packed.has(buffer)) return `${name}[${toWgsl(at)}]`;
    const vector = `${name}[${toWgsl(at.floorDiv(vectorLanes))}]`;
    return this.#isVector(index) ? vector : `${vector}[${toWgsl(at.mod(vectorLanes))}]`;
  }

  #isVector(index: Expr): boolean {
    return this.#vector !== undefined && index.symbols.has(this.#vector);
  }

  /** An expression with the names of WGSL. In a loop with vectors, its index is a multiple of their length. */
  #named(expr: Expr): Expr {
    const replaced = new Map<string, Expr>();
    for (const [name, { min, max, divisor }] of expr.symbols) {
      const own = this.#nameOf(name);
      const divisibleBy = name === this.#vector ? vectorLanes : divisor;
      if (this.#replaced.has(name)) replaced.set(name, this.#replaced.get(name) as Expr);
      else if (own !== name || divisibleBy !== divisor) replaced.set(name, sym(own, { min, max, divisibleBy }));
    }
    return substitute(expr, replaced);
  }

  #index(expr: Expr): Text {
    const text = toWgsl(this.#named(expr));
    return { text, isOperand: isWgslOperand(text) };
  }

  #value(value: Scalar, names: ReadonlyMap<Scalar, Text>): Text {
    const known = names.get(value);
    if (known !== undefined) return known;
    const plain = (text: string): Text => ({ text, isOperand: true });
    switch (value.kind) {
      case "constant":
        return this.#splat(value, plain(wgslConstant(value.dtype, value.value, this.#declarations)));
      case "parameter":
      case "named":
        return this.#splat(value, plain(this.#nameOf(value.name)));
      case "index": {
        const index = this.#index(value.value);
        return this.#splat(value, value.dtype === "int32" ? index : plain(`${wgslType(value.dtype)}(${index.text})`));
      }
      case "load": {
        const element = this.#element(value);
        if (value.mask === undefined) {
          if (this.#isVector(value.index)) return plain(element);
          return this.#splat(value, plain(element));
        }
        const [mask, other] = [value.mask, value.otherwise as Scalar].map((each) => this.#value(each, names).text);
        return plain(`select(${other}, ${element}, ${mask})`);
      }
      case "cast": {
        const of = this.#value(value.of, names).text;
        return plain(
          value.how === "bits" ? `bitcast<${wgslType(value.dtype)}>(${of})` : `${wgslType(value.dtype)}(${of})`,
        );
      }
      case "call": {
        const args = value.args.map((arg) => operand(this.#value(arg, names)));
        const { dtype } = value.args[value.fn === "select" ? 1 : 0];
        const text = wgslCall(value.fn, dtype, args, this.#declarations);
        return { text, isOperand: /^\w+\(.*\)$/.test(text) && isClosed(text) };
      }
      default:
        return value satisfies never;
    }
  }

  /** A number in a loop with vectors: the vector with this number four times. */
  #splat({ dtype }: Scalar, text: Text): Text {
    return this.#vector === undefined
      ? text
      : { text: `vec${vectorLanes}<${wgslType(dtype)}>(${text.text})`, isOperand: true };
  }
}

/** True if the first parenthesis is closed by the last character. */
function isClosed(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth++;
    if (text[i] === ")" && --depth === 0) return i === text.length - 1;
  }
  return false;
}

/** Returns the calls, casts and loads that a statement uses more than once, operands first. */
function repeatedIn(statement: Statement): readonly Scalar[] {
  const uses = new Map<Scalar, number>();
  const count = (value: Scalar): void => {
    uses.set(value, (uses.get(value) ?? 0) + 1);
    if (uses.get(value) === 1) operandsOf(value).forEach(count);
  };
  rootsOf(statement).forEach(count);
  const isComputed = ({ kind }: Scalar): boolean => kind === "call" || kind === "cast" || kind === "load";
  return scalarsOf(statement).filter((value) => isComputed(value) && (uses.get(value) as number) > 1);
}

/** Refuses sums of vector loops, whose order of additions a loop does not have. */
function checkAccumulates(body: readonly Statement[]): void {
  const statements = statementsOf({ body }).map(({ statement }) => statement);
  const own = new Set(statements.flatMap((statement) => (statement.kind === "accumulator" ? [statement.name] : [])));
  for (const statement of statements)
    if (statement.kind === "accumulate" && !own.has(statement.into))
      refuse(`${statement.into} is combined in a vector loop, whose order is not printed. Use a serial loop.`);
}

/**
 * Compiles expressions to WebAssembly instructions on i32 locals, as text lines and as bytes.
 * Postconditions: the code computes the value of the expression if no step leaves the 32-bit range (i32 wraps there) and no
 * divisor is 0 (division traps). Division rounds down for negative operands too; known ranges and powers of two make it cheap.
 */
import { ExprError } from "../base/errors.ts";
import { rangeOf } from "./bounds.ts";
import type { Expr } from "./expr.ts";
import type { Atom, CallAtom, Polynomial, Term } from "./polynomial.ts";

export interface WasmCode {
  /** One instruction each: `local.get 0`, `i32.const 128`, `i32.mul`. Leaves the value on the stack. */
  readonly instructions: readonly string[];
  /** The number of additional i32 locals, numbered from `firstExtra`. */
  readonly extraLocals: number;
}

/** Compiles an expression whose symbols are the passed locals. By default, extra locals follow the highest of them. */
export function toWasm(
  expr: Expr,
  locals: Readonly<Record<string, number>>,
  firstExtra = Math.max(-1, ...Object.values(locals)) + 1,
): WasmCode {
  const instructions: string[] = [];
  let used = 0;
  let max = 0;
  /** Emits instructions; functions are called to emit theirs. */
  const emit = (...parts: readonly (string | (() => void))[]): void => {
    for (const part of parts) {
      if (typeof part === "string") instructions.push(part);
      else part();
    }
  };
  /** Calls `body` with fresh locals and frees them afterward. */
  const withLocals = (count: number, body: (...numbers: number[]) => void): void => {
    const numbers = Array.from({ length: count }, (_, i) => firstExtra + used + i);
    used += count;
    max = Math.max(max, used);
    body(...numbers);
    used -= count;
  };

  function polynomial({ constant, terms }: Polynomial): void {
    for (const [i, each] of terms.entries()) {
      term(each);
      if (i > 0) emit("i32.add");
    }
    if (terms.length === 0) emit(`i32.const ${int32(constant)}`);
    else if (constant !== 0) emit(`i32.const ${int32(constant)}`, "i32.add");
  }

  function product<T>(factors: readonly T[], each: (factor: T) => void, op = "i32.mul"): void {
    for (const [i, factor] of factors.entries()) {
      each(factor);
      if (i > 0) emit(op);
    }
  }

  function term({ num, den, atoms }: Term): void {
    product(atoms, atom);
    // den divides the product of the atoms, so the rounding mode does not matter.
    if (den > 1) emit(...(isPowerOfTwo(den) ? shift(den) : [`i32.const ${int32(den)}`, "i32.div_s"]));
    if (num !== 1) emit(`i32.const ${int32(num)}`, "i32.mul");
  }

  function atom(each: Atom): void {
    if (each.kind === "symbol") emit(`local.get ${localOf(each.name)}`);
    else if (each.kind === "product") product(each.args, polynomial);
    else if (each.kind === "abs") abs(each.args[0]);
    else if (each.kind === "min" || each.kind === "max") extreme(each);
    else if ("rule" in each) product(each.args, polynomial, `i32.${each.rule.wasm}`);
    else division(each);
  }

  function localOf(name: string): number {
    const local = Object.hasOwn(locals, name) ? locals[name] : undefined;
    if (local === undefined)
      throw new ExprError(
        `toWasm: ${expr} has the symbol ${name}; the locals are ${Object.keys(locals).join(", ") || "none"}.`,
      );
    return local;
  }

  function extreme({ kind, args }: CallAtom): void {
    const compare = kind === "min" ? "i32.lt_s" : "i32.gt_s";
    polynomial(args[0]);
    for (const arg of args.slice(1))
      withLocals(2, (a, b) => {
        emit(`local.tee ${a}`, () => polynomial(arg), `local.tee ${b}`);
        emit(`local.get ${a}`, `local.get ${b}`, compare, "select");
      });
  }

  // With s = -1 for x < 0, else 0: |x| = (x xor s) - s.
  const abs = (x: Polynomial): void =>
    withLocals(1, (s) => {
      emit(() => polynomial(x), `local.tee ${s}`, `local.get ${s}`, "i32.const 31", "i32.shr_s", `local.tee ${s}`);
      emit("i32.xor", `local.get ${s}`, "i32.sub");
    });

  function division({ kind, args }: CallAtom): void {
    const [a, b] = args as [Polynomial, Polynomial];
    const isQuotient = kind === "floorDiv";
    const by = b.terms.length === 0 ? b.constant : undefined;
    if (by !== undefined && isPowerOfTwo(by))
      emit(() => polynomial(a), ...(isQuotient ? shift(by) : [`i32.const ${int32(by - 1)}`, "i32.and"]));
    else if (rangeOf(a)[0] >= 0 && rangeOf(b)[0] >= 0)
      emit(
        () => polynomial(a),
        () => polynomial(b),
        isQuotient ? "i32.div_u" : "i32.rem_u",
      );
    else if (by !== undefined && isQuotient)
      // With s = -1 for a < 0, else 0: floor(a / b) = ((a xor s) / b) xor s, as a xor -1 = -a - 1.
      withLocals(1, (s) => {
        emit(() => polynomial(a), `local.tee ${s}`, `local.get ${s}`, "i32.const 31", "i32.shr_s", `local.tee ${s}`);
        emit("i32.xor", `i32.const ${int32(by)}`, "i32.div_u", `local.get ${s}`, "i32.xor");
      });
    else if (by !== undefined)
      // r = a rem b; a negative r is too low by b.
      withLocals(1, (r) => {
        emit(() => polynomial(a), `i32.const ${int32(by)}`, "i32.rem_s", `local.tee ${r}`, `local.get ${r}`);
        emit("i32.const 31", "i32.shr_s", `i32.const ${int32(by)}`, "i32.and", "i32.add");
      });
    // r = a rem b is off by b if it is not 0 and its sign differs from that of b.
    else
      withLocals(3, (x, y, r) => {
        const isOff = [`local.get ${r}`, "i32.const 0", "i32.ne", `local.get ${r}`, `local.get ${y}`, "i32.xor"];
        isOff.push("i32.const 31", "i32.shr_u", "i32.and");
        emit(
          () => polynomial(a),
          `local.tee ${x}`,
          () => polynomial(b),
          `local.tee ${y}`,
          "i32.rem_s",
          `local.set ${r}`,
        );
        if (isQuotient) emit(`local.get ${x}`, `local.get ${y}`, "i32.div_s", ...isOff, "i32.sub");
        else emit(`local.get ${r}`, `local.get ${y}`, ...isOff, "i32.mul", "i32.add");
      });
  }

  polynomial(expr);
  return { instructions, extraLocals: max };
}

const isPowerOfTwo = (value: number): boolean => value > 0 && Number.isInteger(Math.log2(value));
const shift = (by: number): string[] => [`i32.const ${Math.log2(by)}`, "i32.shr_s"];

function int32(value: number): number {
  if (value === (value | 0)) return value;
  throw new ExprError(`toWasm: the constant ${value} does not fit in 32 bits.`);
}

const opcodes: Readonly<Record<string, number>> = {
  select: 0x1b,
  "local.get": 0x20,
  "local.set": 0x21,
  "local.tee": 0x22,
  "i32.const": 0x41,
  "i32.ne": 0x47,
  "i32.lt_s": 0x48,
  "i32.gt_s": 0x4a,
  "i32.add": 0x6a,
  "i32.sub": 0x6b,
  "i32.mul": 0x6c,
  "i32.div_s": 0x6d,
  "i32.div_u": 0x6e,
  "i32.rem_s": 0x6f,
  "i32.rem_u": 0x70,
  "i32.and": 0x71,
  "i32.xor": 0x73,
  "i32.shl": 0x74,
  "i32.shr_s": 0x75,
  "i32.shr_u": 0x76,
};

/** Encodes instructions as the body of a function, without its locals and its end. */
export function encodeWasm(instructions: readonly string[]): Uint8Array {
  const bytes: number[] = [];
  for (const line of instructions) {
    const [name, argument] = line.split(" ") as [string, string?];
    const opcode = opcodes[name];
    if (opcode === undefined) throw new ExprError(`encodeWasm: unknown instruction "${line}".`);
    bytes.push(opcode);
    if (argument !== undefined) bytes.push(...(name === "i32.const" ? signedLeb : unsignedLeb)(Number(argument)));
  }
  return Uint8Array.from(bytes);
}

function unsignedLeb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsignedLeb(value >>> 7)];
}

function signedLeb(value: number): number[] {
  return value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...signedLeb(value >> 7)];
}

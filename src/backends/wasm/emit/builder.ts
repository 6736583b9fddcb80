/**
 * The function under construction: instructions, locals, imports. It implements the Assembler that the operation tables write to.
 *
 * Code is written to lists that are joined at the end: `entry` runs once at the start of the function and holds the arguments and
 * constants that were asked for; whoever makes a loop opens further lists, so that what a body needs can still be put before it.
 */
import { remember } from "../../../base/remember.ts";
import { type Code as FinishedCode, type Instruction, isList, type ValueType } from "../encoder/instructions.ts";
import type { WasmFunction, WasmImport } from "../encoder/module.ts";
import type { Assembler } from "./representation.ts";

/** Instructions, and lists of them that were put in their place whole. */
export type Code = (Instruction | Code)[];

/** The instructions on locals, by local: most instructions are these, and equal ones are one object. */
const [gets, sets, tees]: [Instruction[], Instruction[], Instruction[]] = [[], [], []];

function onLocal(made: Instruction[], op: "local.get" | "local.set" | "local.tee", local: number): Instruction {
  let instruction = made[local];
  if (instruction === undefined) {
    for (let next = made.length; next <= local; next++) made.push([op, next]);
    instruction = made[local];
  }
  return instruction;
}

export class Builder implements Assembler {
  readonly entry: Code = [];
  /** The list that instructions are appended to. */
  code: Code = [];
  declare readonly params: readonly ValueType[];
  readonly #locals: ValueType[] = [];
  readonly #names: (string | undefined)[];
  readonly #comments = new Map<Instruction, string>();
  readonly #hoisted = new Map<string, number>();
  /** The locals of numbers, by type. */
  readonly #numbers = new Map<ValueType, Map<number | bigint, number>>();
  readonly #math: { name: string; arity: number }[] = [];

  constructor(params: Readonly<Record<string, ValueType>>) {
    this.params = Object.values(params);
    this.#names = Object.keys(params);
  }

  op(...instruction: Instruction): void {
    this.code.push(instruction);
  }

  put(instruction: Instruction): void {
    this.code.push(instruction);
  }

  local(type: ValueType, name?: string): number {
    this.#locals.push(type);
    this.#names.push(name);
    return this.#names.length - 1;
  }

  get(local: number): void {
    const { code } = this;
    const last = code[code.length - 1];
    if (last?.[0] === "local.set" && last[1] === local) code[code.length - 1] = onLocal(tees, "local.tee", local);
    else code.push(onLocal(gets, "local.get", local));
  }

  set(local: number): void {
    this.code.push(onLocal(sets, "local.set", local));
  }

  tee(local: number): void {
    this.code.push(onLocal(tees, "local.tee", local));
  }

  constant(bytes: readonly number[]): number {
    return this.hoist("v128", bytes.join(), () => this.op("v128.const", bytes));
  }

  hoist(type: ValueType, key: string, make: () => void, name?: string): number {
    const whole = `${type} ${key}`;
    const known = this.#hoisted.get(whole);
    if (known !== undefined) return known;
    const local = this.local(type, name);
    this.#hoisted.set(whole, local);
    this.into(this.entry, () => {
      make();
      this.set(local);
    });
    return local;
  }

  number(type: "i32" | "i64" | "f32" | "f64", value: number | bigint): number {
    // A map takes -0 for 0.
    if (Object.is(value, -0)) return this.hoist(type, "-0", () => this.op(`${type}.const`, value));
    const known = remember(this.#numbers, type, () => new Map<number | bigint, number>());
    return remember(known, value, () => {
      const local = this.local(type);
      this.entry.push([`${type}.const`, value], onLocal(sets, "local.set", local));
      return local;
    });
  }

  math(name: string, arity: 1 | 2): number {
    const at = this.#math.findIndex((each) => each.name === name);
    return at >= 0 ? at : this.#math.push({ name, arity }) - 1;
  }

  /** Runs `write` with its instructions going to another list. */
  into(code: Code, write: () => void): void {
    const before = this.code;
    this.code = code;
    write();
    this.code = before;
  }

  /** Appends a list, which gets no more instructions. */
  append(code: Code): void {
    this.code.push(code);
  }

  /** An instruction with a comment above it, for the text of the module. */
  titled(comment: string, ...instruction: Instruction): void {
    this.#comments.set(instruction, comment);
    this.code.push(instruction);
  }

  /** The engine's Math functions that are called, in the order of their indices. */
  get imports(): WasmImport[] {
    return this.#math.map(({ name, arity }) => ({
      module: "Math",
      name,
      kind: "function",
      params: Array.from({ length: arity }, () => "f64" as const),
      results: ["f64"],
    }));
  }

  /** The function: the entry, then the present list. */
  finish(name: string): WasmFunction {
    const lists = [this.entry, this.code];
    let joined: Instruction[] | undefined;
    const [comments, names] = [this.#comments, this.#names];
    return {
      name,
      params: this.params,
      results: [],
      locals: this.#locals,
      lists,
      // Only the text needs these.
      get code() {
        joined ??= flat(lists);
        return joined;
      },
      get localNames() {
        return uniqueNames(names);
      },
      get comments() {
        return this.code.map((instruction) => comments.get(instruction));
      },
    };
  }
}

/** All instructions, in their order. */
export const flat = (code: FinishedCode): Instruction[] =>
  code.flatMap((entry) => (isList(entry) ? flat(entry) : [entry]));

/** The names with a number behind those that occur twice. */
function uniqueNames(names: readonly (string | undefined)[]): (string | undefined)[] {
  const taken = new Map<string, number>();
  return names.map((name) => {
    if (name === undefined) return undefined;
    let unique = name;
    for (let k = taken.get(name) ?? 1; taken.has(unique); k++) {
      unique = `${name}_${k + 1}`;
      taken.set(name, k + 1);
    }
    taken.set(unique, 1);
    return unique;
  });
}

/**
 * The function under construction: instructions, locals, imports. It implements the Assembler that the operation tables write to.
 *
 * Code is written to lists that are joined at the end. `entry` runs once at the start of the function and holds the arguments and
 * constants in use. Each loop opens further lists, so that code can still be inserted before a body that is already written.
 */
import { getOrCompute } from "../../../base/lazy.ts";
import {
  type Code as FinishedCode,
  type Instruction,
  isList,
  type Op,
  type ValueType,
} from "../encoder/instructions.ts";
import type { WasmFunction, WasmImport } from "../encoder/module.ts";
import {
  type Assembler,
  get,
  instructionOf,
  type NumberType,
  type Step,
  set,
  type TypedStep,
  tee,
} from "./representation.ts";

/** Instructions, and nested lists of them. */
export type Code = (Instruction | Code)[];

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

  emit(...steps: readonly Step[]): void {
    this.emitFor("", ...steps);
  }

  emitFor(type: string, ...steps: readonly TypedStep[]): void {
    for (const step of steps)
      if (typeof step === "number") this.get(step);
      else if (typeof step === "string") this.code.push(instructionOf(type, step));
      else this.code.push(step[0] === ".const" ? [`${type}.const` as Op, step[1] as number] : step);
  }

  local(type: ValueType, name?: string): number {
    this.#locals.push(type);
    this.#names.push(name);
    return this.#names.length - 1;
  }

  get(local: number): void {
    const { code } = this;
    const last = code[code.length - 1];
    if (last?.[0] === "local.set" && last[1] === local) code[code.length - 1] = tee(local);
    else code.push(get(local));
  }

  set(local: number): void {
    this.code.push(set(local));
  }

  hoist(type: ValueType, key: string, make: () => void, name?: string): number {
    const whole = `${type} ${key}`;
    const known = this.#hoisted.get(whole);
    if (known !== undefined) return known;
    const local = this.compute(this.entry, type, name, make);
    this.#hoisted.set(whole, local);
    return local;
  }

  /** A fresh local with the value that `push` leaves on the stack, computed in `code`. */
  compute(code: Code, type: ValueType, name: string | undefined, push: () => void): number {
    const local = this.local(type, name);
    this.into(code, () => {
      push();
      this.set(local);
    });
    return local;
  }

  number(type: NumberType, value: number | bigint): number {
    // A map does not distinguish -0 from 0.
    if (Object.is(value, -0)) return this.hoist(type, "-0", () => this.op(`${type}.const`, value));
    const known = getOrCompute(this.#numbers, type, () => new Map<number | bigint, number>());
    return getOrCompute(known, value, () => {
      const local = this.local(type);
      this.entry.push([`${type}.const`, value], set(local));
      return local;
    });
  }

  math(name: string, arity: 1 | 2): number {
    const at = this.#math.findIndex((each) => each.name === name);
    return at >= 0 ? at : this.#math.push({ name, arity }) - 1;
  }

  /** Runs `write`, which appends to another list meanwhile. */
  into(code: Code, write: () => void): void {
    const before = this.code;
    this.code = code;
    write();
    this.code = before;
  }

  /** Appends a finished list. */
  append(code: Code): void {
    this.code.push(code);
  }

  /** Appends an instruction that has a comment above it in the text of the module. */
  titled(comment: string, ...instruction: Instruction): void {
    this.#comments.set(instruction, comment);
    this.code.push(instruction);
  }

  /** The imports of the engine's Math functions that are called, in the order of their indices. */
  get imports(): WasmImport[] {
    return this.#math.map(({ name, arity }) => ({
      module: "Math",
      name,
      kind: "function",
      params: Array.from({ length: arity }, () => "f64" as const),
      results: ["f64"],
    }));
  }

  /** The function: the entry, then the current list. */
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

/** True if an instruction fits. */
export const hasInstruction = (code: FinishedCode, fits: (instruction: Instruction) => boolean): boolean =>
  code.some((entry) => (isList(entry) ? hasInstruction(entry, fits) : fits(entry)));

/** All instructions in order. */
const flat = (code: FinishedCode): Instruction[] => code.flatMap((entry) => (isList(entry) ? flat(entry) : [entry]));

/** The names, with a number appended to repeated ones. */
function uniqueNames(names: readonly (string | undefined)[]): (string | undefined)[] {
  const used = new Map<string, number>();
  return names.map((name) => {
    if (name === undefined) return undefined;
    let unique = name;
    for (let k = used.get(name) ?? 1; used.has(unique); k++) {
      unique = `${name}_${k + 1}`;
      used.set(name, k + 1);
    }
    used.set(unique, 1);
    return unique;
  });
}

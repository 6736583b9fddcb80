/**
 * Buffers as bindings of storage buffers. WebGPU forbids that a dispatch reads a buffer through one binding and writes it through another, so
 * buffers of a kernel in the same GPU buffer share a binding if one of them is written. Elements of fewer than 32 bits are parts of words:
 * they are read by shifts, and written by atomic functions, because other invocations may write other elements of the word.
 */
import type { BufferParameter } from "../../../kernel/ir/kernel.ts";
import { type DType, dtypes } from "../../../storage/dtype.ts";
import type { Names } from "./names.ts";
import { isPacked, narrowed, valueType, type WordType, wordType } from "./types.ts";
import type { Values } from "./values.ts";

/** The bindings of the buffers of a kernel. */
export interface BindingPattern {
  /** The binding of each buffer, from 0. */
  readonly bindings: readonly number[];
  /** True for bindings that are written. */
  readonly isWritten: readonly boolean[];
}

/** Each buffer in a binding of its own. */
export const separateBindings = (buffers: readonly BufferParameter[]): BindingPattern => ({
  bindings: buffers.map((_, k) => k),
  isWritten: buffers.map(({ access }) => access !== "read"),
});

interface Binding {
  readonly name: string;
  readonly words: WordType;
  readonly isWritten: boolean;
}

/** Prints declarations of bindings, and loads and stores of elements. */
export class Buffers {
  readonly #bindings: readonly Binding[];
  /** The binding and the name of the first element of each buffer. */
  readonly #uses = new Map<string, { readonly binding: Binding; readonly base: string }>();
  /** The texts of the functions that read and write parts of words. */
  readonly #functions = new Map<string, string>();

  readonly #values: Values;

  constructor(
    buffers: readonly BufferParameter[],
    { bindings, isWritten }: BindingPattern,
    names: Names,
    values: Values,
  ) {
    this.#values = values;
    this.#bindings = isWritten.map((written, number) => {
      const members = buffers.filter((_, k) => bindings[k] === number);
      const types = new Set(members.map(({ dtype }) => wordType(dtype)));
      const isAtomic = members.some(({ dtype, access }) => access !== "read" && isPacked(dtype));
      return {
        name: `${members.length > 1 ? "shared_" : ""}${members.map(({ name }) => names.of(name)).join("_")}`,
        words: isAtomic ? "atomic<u32>" : types.size === 1 ? (wordType(members[0].dtype) as WordType) : "u32",
        isWritten: written,
      };
    });
    for (const [k, { name }] of buffers.entries())
      this.#uses.set(name, { binding: this.#bindings[bindings[k]], base: `${names.of(name)}_base` });
  }

  /** The declarations; binding 0 is that of the arguments. */
  declarations(): string[] {
    return this.#bindings.map(
      ({ name, words, isWritten }, k) =>
        `@group(0) @binding(${k + 1}) var<storage, ${isWritten ? "read_write" : "read"}> ${name}: array<${words}>;`,
    );
  }

  /** The names of the first elements. */
  bases(): string[] {
    return Array.from(this.#uses.values(), ({ base }) => base);
  }

  functions(): string[] {
    return [...this.#functions.values()];
  }

  has(buffer: string): boolean {
    return this.#uses.has(buffer);
  }

  load(buffer: string, dtype: DType, index: string): string {
    const { binding, base } = this.#useOf(buffer);
    const at = index === "0" ? base : `${base} + ${index}`;
    if (isPacked(dtype)) {
      const bits = 8 * dtypes[dtype].itemsize;
      const text = `${this.#reader(binding, bits)}(${at})`;
      if (dtype === "bool") return `(${text} != 0u)`;
      return valueType(dtype) === "i32" ? narrowed(dtype, `bitcast<i32>(${text})`) : text;
    }
    if (dtypes[dtype].itemsize === 8) {
      const [low, high] = [0, 1].map((part) => word(binding, `2 * (${at})${part === 0 ? "" : " + 1"}`));
      const words = `vec2<u32>(${low}, ${high})`;
      return dtype === "float64" ? this.#values.fromDouble(words) : words;
    }
    return converted(typeOfWord(binding), valueType(dtype), word(binding, at));
  }

  /** The statements that store a value. A value of two words is a name. */
  store(buffer: string, dtype: DType, index: string, value: string): string[] {
    const { binding, base } = this.#useOf(buffer);
    const at = index === "0" ? base : `${base} + ${index}`;
    if (isPacked(dtype)) {
      const bits = dtype === "bool" ? `select(0u, 1u, ${value})` : converted(valueType(dtype), "u32", value);
      return [`${this.#writer(binding, 8 * dtypes[dtype].itemsize)}(${at}, ${bits});`];
    }
    if (dtypes[dtype].itemsize === 8)
      return [assign(binding, `2 * (${at})`, `${value}.x`), assign(binding, `2 * (${at}) + 1`, `${value}.y`)];
    return [assign(binding, at, converted(valueType(dtype), typeOfWord(binding), value))];
  }

  #useOf(buffer: string): { readonly binding: Binding; readonly base: string } {
    return this.#uses.get(buffer) as { readonly binding: Binding; readonly base: string };
  }

  #reader(binding: Binding, bits: number): string {
    const name = `load_${bits}_${binding.name}`;
    const [shift, last, scale] = partOfWord(bits);
    this.#functions.set(
      name,
      `fn ${name}(at: i32) -> u32 { return (${word(binding, `at >> ${shift}u`)} >> (u32(at & ${last}) * ${scale}u)) & ${2 ** bits - 1}u; }`,
    );
    return name;
  }

  #writer(binding: Binding, bits: number): string {
    const name = `store_${bits}_${binding.name}`;
    const [shift, last, scale] = partOfWord(bits);
    this.#functions.set(
      name,
      `fn ${name}(at: i32, bits: u32) {
  let by = u32(at & ${last}) * ${scale}u;
  atomicAnd(&${binding.name}[at >> ${shift}u], ~(${2 ** bits - 1}u << by));
  atomicOr(&${binding.name}[at >> ${shift}u], (bits & ${2 ** bits - 1}u) << by);
}`,
    );
    return name;
  }
}

/** The shift from elements to words, the last element of a word, and the bits of an element. */
const partOfWord = (bits: number): readonly [shift: number, last: number, scale: number] =>
  bits === 8 ? [2, 3, 8] : [1, 1, 16];

const typeOfWord = ({ words }: Binding): string => (words === "atomic<u32>" ? "u32" : words);

const word = ({ name, words }: Binding, at: string): string =>
  words === "atomic<u32>" ? `atomicLoad(&${name}[${at}])` : `${name}[${at}]`;

const assign = ({ name, words }: Binding, at: string, value: string): string =>
  words === "atomic<u32>" ? `atomicStore(&${name}[${at}], ${value});` : `${name}[${at}] = ${value};`;

const converted = (from: string, to: string, text: string): string => (from === to ? text : `bitcast<${to}>(${text})`);

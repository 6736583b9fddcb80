/**
 * A WebAssembly module as plain data, and its bytes: sections, LEB128, names.
 * Knows nothing of tensors or kernels, and validates nothing: the engine does. Function indices count imported functions
 * first; the type section is made of the signatures that occur, after those the module lists itself.
 *
 * The bytes of one instruction are its opcode, then its immediates by their kind. Omitted immediates count as 0, an omitted block type as void.
 */
import { ByteBuffer } from "./byte-buffer.ts";
import {
  blockType,
  type Code,
  encodingOf,
  type Immediates,
  type Instruction,
  isList,
  type ValueType,
} from "./instructions.ts";

/** The parameters and results of a function. */
export interface Signature {
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
}

/** A function; its locals are numbered after its parameters. */
export interface WasmFunction extends Signature {
  readonly name: string;
  readonly locals: readonly ValueType[];
  /** Names of parameters and locals by their number, for the text. */
  readonly localNames?: readonly (string | undefined)[];
  /** Comments for the text: `comments[i]` stands above instruction i. */
  readonly comments?: readonly (string | undefined)[];
  /** The body, without its final `end`. */
  readonly code: readonly Instruction[];
  /** The same in lists that were not joined yet, where there are such. */
  readonly lists?: Code;
}

/** What a module is given: a memory (sizes in pages of 64 kB), a global, a function or a table of functions. */
export type WasmImport = { readonly module: string; readonly name: string } & (
  | { readonly kind: "memory"; readonly shared: boolean; readonly initial: number; readonly maximum: number }
  | { readonly kind: "global"; readonly type: ValueType; readonly mutable: boolean }
  | ({ readonly kind: "function" } & Signature)
  | { readonly kind: "table"; readonly initial: number }
);

export interface WasmModule {
  readonly name: string;
  /** Signatures that `call_indirect` and blocks name by their place here. */
  readonly types?: readonly Signature[];
  readonly imports: readonly WasmImport[];
  readonly functions: readonly WasmFunction[];
  readonly exports: readonly { readonly name: string; readonly function: number }[];
}

/** The bytes of a module. */
export function encodeModule(module: WasmModule): Uint8Array<ArrayBuffer> {
  const { imports, functions, exports } = module;
  const types = new SignatureList(module);
  const imported = imports.map((each) => (each.kind === "function" ? types.indexOf(each) : -1));
  const defined = functions.map((each) => types.indexOf(each));
  const out = new ByteBuffer();
  out.bytes([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  section(out, 1, types.all, (out, { params, results }) => {
    out.byte(0x60);
    valueTypes(out, params);
    valueTypes(out, results);
  });
  section(out, 2, imports, (out, each, i) => {
    out.name(each.module);
    out.name(each.name);
    importedThing(out, each, imported[i]);
  });
  section(out, 3, defined, (out, type) => out.unsigned(type));
  section(out, 7, exports, (out, each) => {
    out.name(each.name);
    out.byte(0);
    out.unsigned(each.function);
  });
  section(out, 10, functions, functionBody);
  names(out, module);
  return out.finish();
}

/** The signatures of a module, each once. */
class SignatureList {
  declare readonly all: Signature[];
  readonly #places = new Map<string, number>();

  constructor({ types = [] }: WasmModule) {
    this.all = [...types];
    for (let i = types.length - 1; i >= 0; i--) this.#places.set(signatureKey(types[i]), i);
  }

  /** The place of a signature, added if it is new. */
  indexOf(signature: Signature): number {
    const key = signatureKey(signature);
    const place = this.#places.get(key) ?? this.all.push(signature) - 1;
    this.#places.set(key, place);
    return place;
  }
}

const signatureKey = ({ params, results }: Signature): string => `${params}>${results}`;

/** A section that is a vector of items; left out if there are none. */
function section<T>(
  out: ByteBuffer,
  id: number,
  items: readonly T[],
  write: (out: ByteBuffer, item: T, place: number) => void,
): void {
  if (items.length === 0) return;
  out.byte(id);
  const start = out.open();
  out.unsigned(items.length);
  for (let i = 0; i < items.length; i++) write(out, items[i], i);
  out.close(start);
}

/** A value type is the block type of its name in the seven bits of a signed byte. */
const typeCode = (type: ValueType): number => blockType[type] & 127;

function valueTypes(out: ByteBuffer, types: readonly ValueType[]): void {
  out.unsigned(types.length);
  for (const type of types) out.byte(typeCode(type));
}

function importedThing(out: ByteBuffer, each: WasmImport, type: number): void {
  switch (each.kind) {
    case "function":
      out.byte(0);
      out.unsigned(type);
      break;
    case "table":
      out.bytes([1, 0x70, 0]);
      out.unsigned(each.initial);
      break;
    case "memory":
      out.bytes([2, each.shared ? 3 : 1]);
      out.unsigned(each.initial);
      out.unsigned(each.maximum);
      break;
    case "global":
      out.bytes([3, typeCode(each.type), each.mutable ? 1 : 0]);
      break;
    default:
      each satisfies never;
  }
}

function functionBody(out: ByteBuffer, each: WasmFunction): void {
  const { locals } = each;
  const start = out.open();
  // Neighbours of one type are declared together.
  const runs: number[] = [];
  for (let i = 0; i < locals.length; i++) if (i === 0 || locals[i] !== locals[i - 1]) runs.push(i);
  out.unsigned(runs.length);
  for (let i = 0; i < runs.length; i++) {
    const from = runs[i];
    out.unsigned((runs[i + 1] ?? locals.length) - from);
    out.byte(typeCode(locals[from]));
  }
  encodeCode(out, each.lists ?? each.code);
  out.byte(0x0b);
  out.close(start);
}

function encodeCode(out: ByteBuffer, code: Code): void {
  for (let i = 0; i < code.length; i++) {
    const entry = code[i];
    if (isList(entry)) encodeCode(out, entry);
    else encodeInstruction(out, entry);
  }
}

/** The custom section "name": what traces and profiles show. */
function names(out: ByteBuffer, { name, imports, functions }: WasmModule): void {
  out.byte(0);
  const start = out.open();
  out.name("name");
  out.byte(0);
  const moduleName = out.open();
  out.name(name);
  out.close(moduleName);
  let index = 0;
  for (const each of imports) if (each.kind === "function") index++;
  section(out, 1, functions, (out, each) => {
    out.unsigned(index++);
    out.name(each.name);
  });
  out.close(start);
}

/** Appends one instruction. */
function encodeInstruction(out: ByteBuffer, instruction: Instruction): void {
  const { code, immediates } = encodingOf(instruction[0]);
  if (code < 0x100) out.byte(code);
  else {
    out.byte(code >> 12);
    out.unsigned(code & 0xfff);
  }
  if (immediates !== "none") writers[immediates](out, instruction);
}

const number = (given: Instruction, place: number): number => (given[place] ?? 0) as number;
const array = (given: Instruction, place: number): readonly number[] => given[place] as readonly number[];

function memory(out: ByteBuffer, given: Instruction): void {
  out.unsigned(number(given, 1));
  out.unsigned(number(given, 2));
}

const writers: Readonly<Record<Exclude<Immediates, "none">, (out: ByteBuffer, given: Instruction) => void>> = {
  block: (out, given) => out.signed((given[1] ?? blockType.void) as number),
  index: (out, given) => out.unsigned(number(given, 1)),
  labels: (out, given) => {
    out.unsigned(array(given, 1).length);
    for (const label of array(given, 1)) out.unsigned(label);
    out.unsigned(number(given, 2));
  },
  indirect: memory,
  memory,
  "lane memory": (out, given) => {
    memory(out, given);
    out.byte(number(given, 3));
  },
  lane: (out, given) => out.byte(number(given, 1)),
  bytes: (out, given) => out.bytes(array(given, 1)),
  i32: (out, given) => out.signed(number(given, 1)),
  i64: (out, given) => out.signed64((given[1] ?? 0) as number | bigint),
  f32: (out, given) => out.float32(number(given, 1)),
  f64: (out, given) => out.float64(number(given, 1)),
  zero: (out) => out.byte(0),
  zeros: (out) => out.bytes([0, 0]),
};

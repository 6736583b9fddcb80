/**
 * A WebAssembly module as plain data, and its bytes: sections, LEB128, names.
 * Knows nothing of tensors or kernels, and validates nothing: the engine does. Function indices count imported functions
 * first; the type section has the signatures that the module lists, then all others that occur.
 *
 * An instruction is its opcode, then its immediates. Omitted immediates are 0, an omitted block type is void.
 */
import { getOrCompute } from "../../../base/lazy.ts";
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
  /** Comments for the text: `comments[i]` is printed above instruction i. */
  readonly comments?: readonly (string | undefined)[];
  /** The body, without its final `end`. */
  readonly code: readonly Instruction[];
  /** The body as nested lists, if it was built from them. */
  readonly lists?: Code;
}

/** An import of a module: a memory (sizes in pages of 64 kB), a global, a function or a table of functions. */
export type WasmImport = { readonly module: string; readonly name: string } & (
  | { readonly kind: "memory"; readonly shared: boolean; readonly initial: number; readonly maximum: number }
  | { readonly kind: "global"; readonly type: ValueType; readonly mutable: boolean }
  | ({ readonly kind: "function" } & Signature)
  | { readonly kind: "table"; readonly initial: number }
);

export interface WasmModule {
  readonly name: string;
  /** Signatures that `call_indirect` and blocks refer to by index. */
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
    importDescription(out, each, imported[i]);
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
  readonly #indices = new Map<string, number>();

  constructor({ types = [] }: WasmModule) {
    this.all = [...types];
    for (let i = types.length - 1; i >= 0; i--) this.#indices.set(signatureKey(types[i]), i);
  }

  /** The index of a signature, which is added if it is new. */
  indexOf(signature: Signature): number {
    return getOrCompute(this.#indices, signatureKey(signature), () => this.all.push(signature) - 1);
  }
}

const signatureKey = ({ params, results }: Signature): string => `${params}>${results}`;

/** Writes a section that is a vector of items; nothing if there are none. */
function section<T>(
  out: ByteBuffer,
  id: number,
  items: readonly T[],
  write: (out: ByteBuffer, item: T, index: number) => void,
): void {
  if (items.length === 0) return;
  out.byte(id);
  const start = out.open();
  out.unsigned(items.length);
  for (let i = 0; i < items.length; i++) write(out, items[i], i);
  out.close(start);
}

/** The code of a value type: the block type of its name in the seven bits of a signed byte. */
const typeCode = (type: ValueType): number => blockType[type] & 127;

function valueTypes(out: ByteBuffer, types: readonly ValueType[]): void {
  out.unsigned(types.length);
  for (const type of types) out.byte(typeCode(type));
}

function importDescription(out: ByteBuffer, each: WasmImport, type: number): void {
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
  // Adjacent locals of one type are declared together.
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

/** Writes the custom section "name", which traces and profiles show. */
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

const number = (from: Instruction, index: number): number => (from[index] ?? 0) as number;
const array = (from: Instruction): readonly number[] => from[1] as readonly number[];

function memory(out: ByteBuffer, from: Instruction): void {
  out.unsigned(number(from, 1));
  out.unsigned(number(from, 2));
}

const writers: Readonly<Record<Exclude<Immediates, "none">, (out: ByteBuffer, from: Instruction) => void>> = {
  block: (out, from) => out.signed((from[1] ?? blockType.void) as number),
  index: (out, from) => out.unsigned(number(from, 1)),
  labels: (out, from) => {
    out.unsigned(array(from).length);
    for (const label of array(from)) out.unsigned(label);
    out.unsigned(number(from, 2));
  },
  indirect: memory,
  memory,
  "lane memory": (out, from) => {
    memory(out, from);
    out.byte(number(from, 3));
  },
  lane: (out, from) => out.byte(number(from, 1)),
  bytes: (out, from) => out.bytes(array(from)),
  i32: (out, from) => out.signed(number(from, 1)),
  i64: (out, from) => out.signed64((from[1] ?? 0) as number | bigint),
  f32: (out, from) => out.float32(number(from, 1)),
  f64: (out, from) => out.float64(number(from, 1)),
  zero: (out) => out.byte(0),
  zeros: (out) => out.bytes([0, 0]),
};

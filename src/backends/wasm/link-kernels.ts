/**
 * Several kernels as one WebAssembly module, for programs without this library. Kernel k is the exported function `k<k>`, called as in
 * `compile-kernel.ts`; the imports are those of single kernels, each once. Bytes of data and custom sections are added as they are.
 */
import type { Kernel } from "../../kernel/ir/kernel.ts";
import { lowerKernel } from "../../kernel/lower/lower-kernel.ts";
import { type ArgumentLayout, argumentLayout } from "./arguments.ts";
import { type EmitOptions, emitKernel } from "./emit/emit-kernel.ts";
import { ByteBuffer } from "./encoder/byte-buffer.ts";
import { type Code, type Instruction, isList } from "./encoder/instructions.ts";
import { encodeModule, type WasmFunction, type WasmImport, type WasmModule } from "./encoder/module.ts";

/** Kernels as functions of one module. */
export interface LinkedKernels {
  /** The module without data. */
  readonly module: WasmModule;
  /** The number of scratch bytes that the kernels need. */
  readonly scratchBytes: number;
  readonly layouts: readonly ArgumentLayout[];
}

/** Returns a module with all kernels. */
export function linkKernels(name: string, kernels: readonly Kernel[], options: EmitOptions): LinkedKernels {
  const emitted = kernels.map((kernel) => emitKernel(lowerKernel(kernel), options));
  const scratchBytes = Math.max(0, ...emitted.map((each) => each.scratchBytes));
  const imports: WasmImport[] = [
    { module: "env", name: "memory", kind: "memory", shared: options.shared, initial: 1, maximum: 65536 },
    { module: "env", name: "scratch", kind: "global", type: "i32", mutable: false },
  ];
  const math: WasmImport[] = [];
  const functions = emitted.map(({ module }): WasmFunction => {
    const own = module.imports.filter(({ kind }) => kind === "function");
    const indices = own.map((each) => {
      const known = math.findIndex((other) => other.name === each.name);
      return known >= 0 ? known : math.push(each) - 1;
    });
    const [run] = module.functions;
    return { ...run, name: module.name, lists: withCalls(run.lists ?? run.code, indices) };
  });
  const exports = functions.map((_, k) => ({ name: `k${k}`, function: math.length + k }));
  return {
    module: { name, imports: [...imports, ...math], functions, exports },
    scratchBytes,
    layouts: kernels.map(argumentLayout),
  };
}

/** Bytes that are copied to an address of the memory when the module is instantiated. */
export interface LinkedData {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Returns the bytes of a linked module with data, and with one custom section, which programs that load it read. */
export function linkedBytes(
  { module }: LinkedKernels,
  data: readonly LinkedData[],
  custom: { readonly name: string; readonly bytes: Uint8Array },
): Uint8Array<ArrayBuffer> {
  const out = new ByteBuffer();
  out.bytes(encodeModule(module));
  // The section of data comes after all others but custom ones.
  out.byte(11);
  const section = out.open();
  out.unsigned(data.length);
  for (const { at, bytes } of data) {
    out.bytes([0, 0x41]);
    out.signed(at);
    out.byte(0x0b);
    out.unsigned(bytes.length);
    out.bytes(bytes);
  }
  out.close(section);
  out.byte(0);
  const start = out.open();
  out.name(custom.name);
  out.bytes(custom.bytes);
  out.close(start);
  return out.finish();
}

/** Returns code that calls imported functions at other indices. */
const withCalls = (code: Code, indices: readonly number[]): Code =>
  code.map((entry) => {
    if (isList(entry)) return withCalls(entry, indices);
    return entry[0] === "call" ? (["call", indices[entry[1] as number]] satisfies Instruction) : entry;
  });

/**
 * The names of a kernel and their bindings. A name is bound once in a kernel, so one table serves all of it; the verifier checks scopes. If a
 * name is bound twice, the table holds the later binding.
 */
import type { Expr } from "../../expr/expr.ts";
import { type DType, dtypeNames } from "../../storage/dtype.ts";
import type { BufferParameter, Kernel, ModesParameter, SizeParameter, Statement } from "./kernel.ts";
import { loopSymbol, offsetSymbol, sizeSymbol } from "./symbols.ts";

export type NameBinding =
  /** `length` is that of memory allocated by the kernel; parameters do not have one. */
  | {
      readonly kind: "buffer";
      readonly dtype: DType;
      readonly access: BufferParameter["access"];
      readonly length?: number;
    }
  | { readonly kind: "scalar" | "let" | "accumulator"; readonly dtype: DType }
  | { readonly kind: "integer"; readonly size?: SizeParameter; readonly isOffset: boolean }
  | { readonly kind: "modes"; readonly buffers: readonly string[] };

export type NameBindings = ReadonlyMap<string, NameBinding>;

const offset: NameBinding = { kind: "integer", isOffset: true };
const counted: NameBinding = { kind: "integer", isOffset: false };

/** Words with a meaning in the text of an expression, which cannot be names. */
const reserved: ReadonlySet<string> = new Set([
  ...["true", "false", "nan", "inf", "where", "else", "by", "in", "at"],
  ...dtypeNames,
]);

/** True if and only if a buffer, a scalar, a size or an integer can have this name. */
export const isKernelName = (name: string): boolean => /^(?!_\d)[A-Za-z_]\w*$/.test(name) && !reserved.has(name);

/** The symbol of a name that is bound to an integer. */
export const symbolOf = (name: string, binding: NameBinding & { kind: "integer" }): Expr =>
  binding.size !== undefined ? sizeSymbol(binding.size) : binding.isOffset ? offsetSymbol(name) : loopSymbol(name);

type Parameters = Pick<Kernel, "buffers" | "scalars" | "sizes" | "modes">;

/** Returns the names of the parameters with their bindings. */
export function parameterBindings({ buffers, scalars, sizes, modes }: Parameters): [name: string, NameBinding][] {
  return [
    ...buffers.map(({ name, dtype, access }): [string, NameBinding] => [name, { kind: "buffer", dtype, access }]),
    ...scalars.map(({ name, dtype }): [string, NameBinding] => [name, { kind: "scalar", dtype }]),
    ...sizes.map((size): [string, NameBinding] => [size.name, { kind: "integer", size, isOffset: false }]),
    ...modes.map((list: ModesParameter): [string, NameBinding] => [
      list.name,
      { kind: "modes", buffers: list.buffers },
    ]),
  ];
}

/** Returns the names that a statement binds; a loop binds its index for its body. */
export function statementBindings(statement: Statement): [name: string, NameBinding][] {
  switch (statement.kind) {
    case "loop":
      return [[statement.index, counted]];
    case "index":
      return [[statement.name, counted]];
    case "fetch":
      return [[statement.name, offset]];
    case "walk":
      return statement.offsets.map((name) => [name, offset]);
    case "let":
      return [[statement.name, { kind: "let", dtype: statement.value.dtype }]];
    case "accumulator":
      return [[statement.name, { kind: "accumulator", dtype: statement.initial.dtype }]];
    case "allocate": {
      const { name, dtype, length } = statement;
      return [[name, { kind: "buffer", dtype, access: "readwrite", length }]];
    }
    default:
      return [];
  }
}

/**
 * What each name of a kernel is. A name is bound once in a kernel, so one table serves all of it; where a name is in scope is a
 * question of the verifier's. Where a name is bound twice, the table holds the later binding.
 */
import type { Expr } from "../../expr/expr.ts";
import { type DType, dtypeNames } from "../../storage/dtype.ts";
import type { BufferParameter, Kernel, ModesParameter, SizeParameter, Statement } from "./kernel.ts";
import { loopSymbol, offsetSymbol, sizeSymbol } from "./symbols.ts";

export type Binding =
  /** `length` is that of memory allocated by the kernel; parameters have none. */
  | {
      readonly kind: "buffer";
      readonly dtype: DType;
      readonly access: BufferParameter["access"];
      readonly length?: number;
    }
  | { readonly kind: "scalar" | "let" | "accumulator"; readonly dtype: DType }
  | { readonly kind: "integer"; readonly size?: SizeParameter; readonly isOffset: boolean }
  | { readonly kind: "modes"; readonly buffers: readonly string[] };

export type Bindings = ReadonlyMap<string, Binding>;

const offset: Binding = { kind: "integer", isOffset: true };
const counted: Binding = { kind: "integer", isOffset: false };

/** Words that mean something inside an expression's text, so that nothing can be called by them. */
const reserved: ReadonlySet<string> = new Set([
  ...["true", "false", "nan", "inf", "where", "else", "by", "in", "at"],
  ...dtypeNames,
]);

/** True if and only if a buffer, a scalar, a size or an integer can have this name. */
export const isKernelName = (name: string): boolean => /^(?!_\d)[A-Za-z_]\w*$/.test(name) && !reserved.has(name);

/** The symbol of a name that is bound to an integer. */
export const symbolOf = (name: string, binding: Binding & { kind: "integer" }): Expr =>
  binding.size !== undefined ? sizeSymbol(binding.size) : binding.isOffset ? offsetSymbol(name) : loopSymbol(name);

type Parameters = Pick<Kernel, "buffers" | "scalars" | "sizes" | "modes">;

/** The names of the parameters, each with what it is. */
export function parameterBindings({ buffers, scalars, sizes, modes }: Parameters): [name: string, Binding][] {
  return [
    ...buffers.map(({ name, dtype, access }): [string, Binding] => [name, { kind: "buffer", dtype, access }]),
    ...scalars.map(({ name, dtype }): [string, Binding] => [name, { kind: "scalar", dtype }]),
    ...sizes.map((size): [string, Binding] => [size.name, { kind: "integer", size, isOffset: false }]),
    ...modes.map((list: ModesParameter): [string, Binding] => [list.name, { kind: "modes", buffers: list.buffers }]),
  ];
}

/** The names that a statement binds; a loop binds its index for its own body. */
export function statementBindings(statement: Statement): [name: string, Binding][] {
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

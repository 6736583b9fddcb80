/**
 * What a C++ expression evaluates to: the library's values, tensors and tiled operations among them, and a few things that only the
 * notation has.
 */
import {
  type AnyLayout,
  formatLayout,
  formatTuple,
  type IntTuple,
  isComposed,
  isLayout,
  type SliceCoord,
} from "../../src/layout/index.ts";
import type { DType } from "../../src/storage/dtype.ts";
import { sliceLayout } from "../../src/tensor/access/indexing.ts";
import type { CopyAtom, MmaAtom } from "../../src/tensor/cute/atoms.ts";
import { type ThreadCopy, TiledCopy } from "../../src/tensor/cute/tiled-copy.ts";
import { type ThreadMma, TiledMma } from "../../src/tensor/cute/tiled-mma.ts";
import { indexReader } from "../../src/tensor/elements.ts";
import { type Engine, isEngine } from "../../src/tensor/engine.ts";
import type { CoordinateEngine, CountingEngine } from "../../src/tensor/engines/computed-engines.ts";
import type { TaggedPointer } from "../../src/tensor/engines/pointers.ts";
import { engineOf } from "../../src/tensor/engines/storage-engine.ts";
import { describe } from "../../src/tensor/print/print.ts";
import { Tensor } from "../../src/tensor/tensor.ts";
import type { Value } from "./values.ts";

/** A scalar type such as uint8_t: its width, and the dtype where there is one. */
export interface CppType {
  readonly kind: "type";
  readonly bits: number;
  readonly dtype?: DType;
}

/** LayoutLeft{} and LayoutRight{}. */
export interface CppMajor {
  readonly kind: "major";
  readonly major: "left" | "right";
}

export type CppValue =
  | Value
  | Tensor
  | Engine
  | TaggedPointer
  | CopyAtom
  | MmaAtom
  | TiledCopy
  | ThreadCopy
  | TiledMma
  | ThreadMma
  | CppType
  | CppMajor;

/** A call: its arguments, its template arguments, and where printing goes. */
export interface Call {
  readonly args: readonly CppValue[];
  readonly template: readonly CppValue[];
  readonly print: (text: string) => void;
}
export type Fn = (call: Call) => CppValue;
export type Method = (self: CppValue, call: Call) => CppValue;

const hasKind = (value: unknown, kind: string): boolean =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === kind;
export const isTensor = (value: unknown): value is Tensor => value instanceof Tensor;
export const isType = (value: unknown): value is CppType => hasKind(value, "type");
export const isMajor = (value: unknown): value is CppMajor => hasKind(value, "major");
export const isAnyLayout = (value: unknown): value is AnyLayout =>
  !isTensor(value) && (isLayout(value) || isComposed(value));
const isTiled = (value: unknown): value is TiledCopy | TiledMma =>
  value instanceof TiledCopy || value instanceof TiledMma;

/** tensor(coord): the part under `_`, starting where the fixed coordinates say. */
export const sliceTensor = (tensor: Tensor, coord: SliceCoord): Tensor => sliceLayout(tensor, coord);

/** Where the engine of a counting or coordinate tensor starts. */
export const startOf = (tensor: Tensor): IntTuple => (engineOf(tensor) as CountingEngine | CoordinateEngine).start;

/** The elements in colexicographic order. */
export function elementsOf(tensor: Tensor): IntTuple[] {
  const read = indexReader(tensor, "oracle");
  return Array.from({ length: tensor.size }, (_unused, i) => read(i) as unknown as IntTuple);
}

/** What C++ prints. */
export function printed(value: CppValue): string {
  if (isTensor(value)) {
    if (value.ownership === "owning") throw new Error("the address of an owning tensor cannot be printed");
    return describe(value);
  }
  if (isTiled(value)) return String(value);
  if (isAnyLayout(value)) return formatLayout(value);
  if (isEngine(value)) return value.describe();
  if (Array.isArray(value)) return `(${value.map((part) => printed(part as CppValue)).join(",")})`;
  return String(value);
}

/** `layout @offset` */
export const layoutAndOffset = (value: CppValue): string =>
  isTensor(value) ? `${formatLayout(value.layout)} @${String(startOf(value))}` : printed(value);

export const textOf = (value: unknown): string => formatTuple(value as never);

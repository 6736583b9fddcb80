/**
 * What a C++ expression evaluates to: the library's values, and three things that only the notation has. A tensor here is
 * a layout and where it starts: enough for what is printed of counting and coordinate tensors.
 */

import { addCoords } from "../../src/layout/basis.ts";
import {
  type AnyLayout,
  coordAt,
  formatLayout,
  formatTuple,
  type IntTuple,
  isComposed,
  isLayout,
  offsetAt,
  type SliceCoord,
  size,
  sliceAndOffset,
} from "../../src/layout/index.ts";
import type { Value } from "./values.ts";

/** A tensor: where its engine starts and how it is laid out. */
export interface CppTensor {
  readonly kind: "tensor";
  /** counting: element = offset; coords: element = coordinate; opaque: storage that is not looked at. */
  readonly engine: "counting" | "coords" | "opaque";
  readonly start: IntTuple;
  readonly layout: AnyLayout;
}

/** A scalar type such as uint8_t: its width. */
export interface CppType {
  readonly kind: "type";
  readonly bits: number;
}

/** LayoutLeft{} and LayoutRight{}. */
export interface CppMajor {
  readonly kind: "major";
  readonly major: "left" | "right";
}

export type CppValue = Value | CppTensor | CppType | CppMajor;

const hasKind = (value: unknown, kind: string): boolean =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === kind;
export const isTensor = (value: unknown): value is CppTensor => hasKind(value, "tensor");
export const isType = (value: unknown): value is CppType => hasKind(value, "type");
export const isMajor = (value: unknown): value is CppMajor => hasKind(value, "major");
export const isAnyLayout = (value: unknown): value is AnyLayout => isLayout(value) || isComposed(value);

/** tensor(coord): the part under `_`, starting where the fixed coordinates say. */
export function sliceTensor(tensor: CppTensor, coord: SliceCoord): CppTensor {
  const [layout, offset] = sliceAndOffset(coord, tensor.layout);
  return { ...tensor, layout, start: addCoords(tensor.start, offset) };
}

/** A tensor of the same engine over the layout and offset that a partition gives. */
export const movedTensor = (tensor: CppTensor, [layout, offset]: readonly [AnyLayout, IntTuple]): CppTensor => ({
  ...tensor,
  layout,
  start: addCoords(tensor.start, offset),
});

/** The elements in colexicographic order. */
export function elementsOf(tensor: CppTensor): IntTuple[] {
  return Array.from({ length: size(tensor.layout as never) as number }, (_unused, i) =>
    tensor.engine === "coords"
      ? addCoords(tensor.start, coordAt(tensor.layout as never, i))
      : addCoords(tensor.start, offsetAt(tensor.layout, i)),
  );
}

/** What C++ prints. */
export function printed(value: CppValue): string {
  if (isTensor(value)) {
    if (value.engine === "opaque") throw new Error("the address of an owning tensor cannot be printed");
    const start = formatTuple(value.start as never);
    return `${value.engine === "coords" ? `ArithTuple${start}` : `counting_iter(${start})`} o ${formatLayout(value.layout)}`;
  }
  if (isAnyLayout(value)) return formatLayout(value);
  if (Array.isArray(value)) return `(${value.map((part) => printed(part as CppValue)).join(",")})`;
  return String(value);
}

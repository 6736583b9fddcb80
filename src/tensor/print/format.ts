/**
 * The values of a tensor as PyTorch 2.6 prints them, but for the `torch.` before dtypes: `tensor([[1., 2.],\n        [3., 4.]])`.
 * A tensor of more elements than the threshold is summarized, and only the elements shown are read, once each. Takes any dtype, shape and
 * reader; `format-element.ts` writes a number, `print-tensor.ts` is CuTe's text.
 */

import { listOf } from "../../base/list-of.ts";
import type { DType, Value } from "../../storage/dtype.ts";
import { sizeOf } from "../geometry.ts";
import { chooseNotation, type ElementNotation, formatElement } from "./format-element.ts";
import { changedOptions, getPrintOptions, type PrintChanges, type PrintOptions } from "./print-options.ts";

/** A printable tensor. */
export interface Printable {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** The element at an index, int64 and uint64 as bigint where a number is not exact. The array is reused by the next call. */
  value(index: readonly number[]): Value;
  /** The device, if it is printed; on "meta" there are no elements, and none is read. */
  readonly device?: string | undefined;
  /** False if there are no values to read, as on the meta device. */
  readonly hasData?: boolean | undefined;
  /** Fields of later stages, such as `requires_grad=True`, after the dtype and before the names. */
  readonly suffix?: readonly string[] | undefined;
  /** The names of the axes, null where there is none. */
  readonly names?: readonly (string | null)[] | undefined;
}

const prefix = "tensor(";
/** Marks omitted indices in a list. */
const gap = -1;
/** dtypes that a reader infers from the elements. */
const unsaid: ReadonlySet<DType> = new Set(["float32", "complex64", "int64", "bool"]);

/** The text of a tensor under the options in force with these changes. */
export function formatTensor(tensor: Printable, changes?: PrintChanges): string {
  const options = changes === undefined ? getPrintOptions() : changedOptions("formatTensor", changes);
  const count = sizeOf(tensor.shape);
  const isSummary = count > options.threshold;
  const isMeta = tensor.device === "meta" || tensor.hasData === false;
  const body = isMeta ? "..." : count === 0 ? "[]" : formatValues(tensor, isSummary, options);
  // PyTorch 2.6 has no text without edge items; later releases print this one.
  const isOnlyDots = isMeta || (isSummary && options.edgeItems === 0 && tensor.shape.length > 0);
  const saysSize = isOnlyDots || (count === 0 && tensor.shape.length !== 1);
  return withFields(prefix + body, fieldsOf(tensor, saysSize, isMeta || count === 0), options.lineWidth);
}

/** The fields after the values, for all that the values do not show. */
function fieldsOf(tensor: Printable, saysSize: boolean, hasNoValues: boolean): string[] {
  const { dtype, shape, device, suffix = [], names = [] } = tensor;
  const fields: string[] = [];
  if (device !== undefined) fields.push(`device=${quote(device)}`);
  if (saysSize) fields.push(`size=${formatPythonTuple(shape.map(String))}`);
  if (hasNoValues ? dtype !== "float32" : !unsaid.has(dtype)) fields.push(`dtype=${dtype}`);
  fields.push(...suffix);
  if (names.some((name) => name !== null))
    fields.push(`names=${formatPythonTuple(names.map((name) => (name === null ? "None" : quote(name))))}`);
  return fields;
}

const quote = (text: string): string => `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
const formatPythonTuple = (items: readonly string[]): string => `(${items.join(", ")}${items.length === 1 ? "," : ""})`;

/** Each field on the line of the one before, or on a new line if it does not fit. */
function withFields(body: string, fields: readonly string[], lineWidth: number): string {
  let text = body;
  // Two more than the last line is long, as PyTorch counts.
  let used = body.length - body.lastIndexOf("\n") + 1;
  for (const field of fields) {
    const fits = used + field.length + 2 <= lineWidth;
    text += fits ? `, ${field}` : `,\n${" ".repeat(prefix.length)}${field}`;
    used = field.length + (fits ? used + 2 : prefix.length);
  }
  return `${text})`;
}

function formatValues(tensor: Printable, isSummary: boolean, options: PrintOptions): string {
  const { dtype, shape } = tensor;
  // A tensor of many axes shows fewer items of each: their number is the product over all axes.
  let { edgeItems } = options;
  const shownOf = (size: number): number => Math.min(size, 2 * edgeItems);
  while (isSummary && edgeItems > 0 && sizeOf(shape.map(shownOf)) > 1e6) edgeItems--;
  const shown = shape.map((size) => shownIndices(size, isSummary, edgeItems));
  const values: Value[] = [];
  readShown(tensor, shown, 0, new Array<number>(shape.length).fill(0), values);
  const notation = chooseNotation(dtype, values, options);
  if (shape.length === 0) return formatElement(values[0], notation);
  return formatAxis({ values, next: 0, shown, notation, options }, 0, prefix.length);
}

/** The indices of one axis that are shown, with a mark for omitted ones. */
function shownIndices(size: number, isSummary: boolean, edgeItems: number): readonly number[] {
  const all = (from: number, to: number): number[] => listOf(to - from, (i) => from + i);
  return isSummary && size > 2 * edgeItems ? [...all(0, edgeItems), gap, ...all(size - edgeItems, size)] : all(0, size);
}

function readShown(
  tensor: Printable,
  shown: readonly (readonly number[])[],
  axis: number,
  index: number[],
  into: Value[],
): void {
  const indices = shown[axis];
  if (indices === undefined) into.push(tensor.value(index));
  else
    for (const i of indices) {
      if (i === gap) continue;
      index[axis] = i;
      readShown(tensor, shown, axis + 1, index, into);
    }
}

/** The values in order, and the number of those written so far. */
interface Writing {
  readonly values: readonly Value[];
  next: number;
  readonly shown: readonly (readonly number[])[];
  readonly notation: ElementNotation;
  readonly options: PrintOptions;
}

/** One axis and those inside it, in brackets; `indent` is the column of its opening bracket. */
function formatAxis(writing: Writing, axis: number, indent: number): string {
  const { shown } = writing;
  const inner = shown.length - axis - 1;
  if (inner === 0) return formatRow(writing, indent);
  const parts = shown[axis].map((i) => (i === gap ? "..." : formatAxis(writing, axis + 1, indent + 1)));
  return `[${parts.join(`,${"\n".repeat(inner)}${" ".repeat(indent + 1)}`)}]`;
}

/** The last axis, broken into lines. */
function formatRow(writing: Writing, indent: number): string {
  const { values, notation, options } = writing;
  const items = (writing.shown.at(-1) as readonly number[]).map((i) =>
    i !== gap ? formatElement(values[writing.next++], notation) : options.edgeItems === 0 ? "..." : " ...",
  );
  const perLine = Math.max(1, Math.floor((options.lineWidth - indent) / (notation.width + 2)));
  const lines: string[] = [];
  for (let i = 0; i < items.length; i += perLine) lines.push(items.slice(i, i + perLine).join(", "));
  return `[${lines.join(`,\n${" ".repeat(indent + 1)}`)}]`;
}

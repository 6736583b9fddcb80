/**
 * The elements of a tensor as CuTe's print_tensor prints them, for ranks 1 to 4: mode 0 runs down and mode 1 across; matrices of mode 2
 * are separated by a line of `-`, those of mode 3 by a line of `=`. Every element is printed. PyTorch's text is `format.ts`.
 * Three texts differ from CuTe: uint32 past 2^31 (negative there), complex numbers (no text there), and a scalar, which is one line here.
 */
import { ShapeError } from "../../base/errors.ts";
import { formatTuple } from "../../layout/format.ts";
import type { Nested } from "../../layout/tuple.ts";
import type { Complex, DType, Value } from "../../storage/dtype.ts";
import { sizeOf } from "../geometry.ts";
import { formatFixed, formatScientific } from "./format-element.ts";

/** The tensor that printTensor prints. */
export interface PrintedTensor {
  /** The tensor in one line, such as `counting_iter(0) o (_3,_4):(_1,_3)`; without it only the elements are printed. */
  readonly header?: string | undefined;
  /** The size of each top-level mode. */
  readonly shape: readonly number[];
  /** A dtype, or "coord" where the elements are coordinates. */
  readonly dtype: DType | "coord";
  /** The element at an index with one number for each mode. The array is reused by the next call. */
  value(index: readonly number[]): Value | Nested<unknown>;
}

export interface PrintTensorOptions {
  /** The largest number of elements to print. Default: 65,536. */
  readonly maxCells?: number;
}

/** The text of print_tensor, with its last line break. */
export function printTensor(tensor: PrintedTensor, { maxCells = 2 ** 16 }: PrintTensorOptions = {}): string {
  const { header, shape } = tensor;
  if (shape.length > 4)
    throw new ShapeError(
      `printTensor: tensors of rank 0 to 4 are printed, got rank ${shape.length} of shape (${shape.join(",")}); take a slice of it`,
    );
  const count = sizeOf(shape);
  if (count > maxCells)
    throw new ShapeError(
      `printTensor: shape (${shape.join(",")}) has ${count} elements, more than maxCells = ${maxCells}. Print a slice of it, or pass { maxCells: ${count} }`,
    );
  const lines = header === undefined ? [] : [`${header}:`];
  if (count > 0) pushMatrices(tensor, lines);
  return lines.map((line) => `${line}\n`).join("");
}

function pushMatrices(tensor: PrintedTensor, lines: string[]): void {
  const { shape, dtype } = tensor;
  const [rows = 1, columns = 1, depth = 1, blocks = 1] = shape;
  // CuTe counts five characters a column, whatever the dtype.
  const rule = (c: string): string => c.repeat(5 * columns);
  const index = new Array<number>(shape.length).fill(0);
  const set = (mode: number, i: number): void => {
    if (mode < index.length) index[mode] = i;
  };
  for (let p = 0; p < blocks; p++) {
    if (p > 0) lines.push(rule("="));
    for (let k = 0; k < depth; k++) {
      if (k > 0) lines.push(rule("-"));
      for (let m = 0; m < rows; m++) {
        let line = "";
        for (let n = 0; n < columns; n++) {
          set(0, m);
          set(1, n);
          set(2, k);
          set(3, p);
          line += formatCell(tensor.value(index), dtype);
        }
        lines.push(line);
      }
    }
  }
}

/** One element in CuTe's width for its type; types without a width follow two spaces. */
function formatCell(value: Value | Nested<unknown>, dtype: DType | "coord"): string {
  switch (dtype) {
    case "bool":
      return (value ? "1" : "0").padStart(3);
    case "int32":
    case "uint32":
    case "int64":
    case "uint64":
      return String(value).padStart(5);
    case "float16":
    case "bfloat16":
      return formatFixed(value as number, 2).padStart(8);
    case "float32":
      return formatScientific(value as number, 2).padStart(10);
    case "float64":
      return formatScientific(value as number, 3).padStart(11);
    case "int8":
    case "uint8":
    case "int16":
    case "uint16":
      return `  ${value}`;
    case "complex64":
    case "complex128": {
      const { re, im } = value as Complex;
      const part = dtype === "complex64" ? "float32" : "float64";
      const second = formatCell(im, part).trimStart();
      return `${formatCell(re, part)}${second.startsWith("-") ? "" : "+"}${second}j`;
    }
    case "coord":
      return `  ${formatTuple(value)}`;
    default:
      return dtype satisfies never;
  }
}

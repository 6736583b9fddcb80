/**
 * A tensor as text: its values as PyTorch prints them (`format.ts`), its elements as CuTe's print_tensor does (`print-tensor.ts`).
 * This file reads the tensor for both. Printing does not throw for a disposed tensor, which is printed as disposed, nor for a tile that reaches
 * past its memory.
 *
 * `describe` is a tensor as CuTe prints it, its engine and its layout: `gmem_ptr[32b](0x7f42efc00000) o (_8,16):(_1,_8)`.
 * Addresses are equal if and only if the first elements are the same. `toString()` prints the values.
 */
import { checkFunction } from "../../base/arguments.ts";
import { formatLayout } from "../../layout/format.ts";
import { formatDevice } from "../../storage/device.ts";
import { Storage } from "../../storage/storage.ts";
import { coordReader } from "../convert/to-array.ts";
import { DisposedSource } from "../disposed.ts";
import { engineOf } from "../engines/storage-engine.ts";
import { sizesOf } from "../geometry.ts";
import { checkTensor } from "../operand.ts";
import { describeBriefly, type Tensor } from "../tensor.ts";
import { isRagged } from "../whole-memory.ts";
import { formatTensor, type Printable } from "./format.ts";
import type { PrintChanges } from "./print-options.ts";
import { type PrintTensorOptions, printTensor as printElements } from "./print-tensor.ts";

/** Functions that other layers install: more fields, a title, and the text of elements that are not numbers. */
interface Hooks {
  fields?: (t: Tensor) => readonly string[];
  title?: (t: Tensor) => string;
  otherText?: (t: Tensor) => string;
}

const hooks: Hooks = {};

/** Sets the function that returns more fields after the values: `requires_grad=True`. */
export function installPrintedFields(fn: (t: Tensor) => readonly string[]): void {
  hooks.fields = fn;
}

/** Sets the function that returns the text before the values of a tensor, such as "Parameter containing:\n", or "". */
export function installPrintedTitle(fn: (t: Tensor) => string): void {
  checkFunction("installPrintedTitle", fn);
  hooks.title = fn;
}

function printable(t: Tensor): Printable {
  const isOnCpu = t.device.type === "cpu";
  const hasData = t.size === 0 || !(t.source instanceof Storage) || (t.source.address !== 0 && !t.source.isOnDevice);
  return {
    dtype: t.dtype,
    shape: sizesOf(t),
    value: hasData ? coordReader(t, "toString", "bigint") : () => 0,
    hasData,
    device: isOnCpu ? undefined : formatDevice(t.device),
    suffix: hooks.fields?.(t) ?? [],
    names: t.names ?? undefined,
  };
}

/** Installs the printing of elements that are not numbers, as CuTe does it. Functions that create such tensors call this; other programs need not load it. */
export function installOtherText(): void {
  hooks.otherText = (t) => printTensor(t).trimEnd();
}

/** The values as PyTorch prints them; coordinates as CuTe does. */
export function tensorToString(t: Tensor, changes?: PrintChanges): string {
  if (t.type === null && hooks.otherText) return hooks.otherText(t);
  return (hooks.title?.(t) ?? "") + formatTensor(printable(t), changes);
}

/** The elements as CuTe's print_tensor prints them, under a line with the engine and the layout. */
export function printTensor(t: Tensor, options?: PrintTensorOptions): string {
  checkTensor("printTensor", t);
  const value = coordReader(t, "printTensor", "bigint");
  return printElements({ header: describe(t), shape: sizesOf(t), dtype: t.type ?? "coord", value }, options);
}

/** The text in consoles. */
export function inspectTensor(t: Tensor): string {
  const { source } = t;
  if (isRagged(t)) return `[${describeBriefly(t)}, which reaches past its memory: ${describe(t)}]`;
  if (!(source instanceof DisposedSource)) return tensorToString(t);
  return `[${describeBriefly(t)}, ${source.reason}]`;
}

/** The engine and the layout of a tensor, in the notation of layouts. */
export function describe(t: Tensor): string {
  checkTensor("describe", t);
  return `${engineOf(t).describe()} o ${formatLayout(t.layout)}`;
}

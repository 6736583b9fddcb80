/**
 * The outputs of a model as files: tensors and strings as .npy, the items of a sequence one by one, maps as JSON. Each file is written under a
 * temporary name and then replaces its old version.
 */

import { Tensor } from "../../index.ts";
import { saveNpy } from "../../io/index.ts";
import { npyTextParts } from "../../io/npy-text.ts";
import { writePath } from "../../io/source.ts";
import { Watch } from "../../io/watch.ts";
import { type OnnxModel, type OnnxValue, TextTensor, ValueSequence } from "../../onnx/index.ts";
import { describeOnnxValue } from "../../onnx/values.ts";
import { suggestion, UsageError } from "../arguments.ts";
import { tableLines } from "../table.ts";
import type { Say } from "./input-values.ts";

/** The output of `run`, as text and as data. */
export interface OutputReport {
  readonly lines: readonly string[];
  readonly data: readonly Readonly<Record<string, unknown>>[];
}

/** The names in --outputs; all outputs if it is omitted. */
export function outputsOf(model: OnnxModel, texts: readonly string[]): readonly string[] {
  const names = model.outputs.map(({ name }) => name);
  if (texts.length === 0) return names;
  // A name may contain a comma.
  const wanted = texts.flatMap((text) => (names.includes(text) ? [text] : text.split(",").map((each) => each.trim())));
  for (const name of wanted)
    if (!names.includes(name))
      throw new UsageError(
        `--outputs: the model has no output "${name}".${suggestion(name, names)} Its outputs are ${names.join(", ")}.`,
      );
  return wanted;
}

/** The outputs as text, without files. */
export function printedOutputs(values: Readonly<Record<string, OnnxValue>>): OutputReport {
  const entries = Object.entries(values);
  return {
    lines: entries.flatMap(([name, value]) => [`${name}: ${describeOnnxValue(value)}`, ...textOf(value).split("\n")]),
    data: entries.map(([name, value]) => ({ name, type: describeOnnxValue(value) })),
  };
}

function textOf(value: OnnxValue): string {
  if (value instanceof ValueSequence) return value.items.map(textOf).join("\n");
  if (value instanceof Tensor) return String(value);
  return value === null ? "nothing" : jsonOf(value).trimEnd();
}

/** A value that becomes one file, and the name of the file before characters are replaced. */
interface Part {
  readonly output: string;
  readonly name: string;
  readonly value: Exclude<OnnxValue, ValueSequence | null>;
}

function partsOf(output: string, name: string, value: OnnxValue): Part[] {
  if (value === null) return [];
  if (value instanceof ValueSequence) return value.items.flatMap((item, k) => partsOf(output, `${name}.${k}`, item));
  return [{ output, name, value }];
}

/** Writes all outputs to a folder, which exists. */
export async function writeOutputs(
  values: Readonly<Record<string, OnnxValue>>,
  folder: string,
  { say, signal }: { readonly say: Say; readonly signal: AbortSignal },
): Promise<OutputReport> {
  const parts: Part[] = [];
  for (const [name, value] of Object.entries(values)) {
    const own = partsOf(name, name, value);
    if (own.length === 0) say(`the output "${name}" is ${value === null ? "absent" : "an empty sequence"}: no file`);
    parts.push(...own);
  }
  const rows: { readonly name: string; readonly type: string; readonly file: string }[] = [];
  const names = fileNames(parts.map(({ name, value }) => [name, value instanceof Map ? ".json" : ".npy"]));
  for (const [k, { output, name, value }] of parts.entries()) {
    const file = `${folder}/${names[k]}`;
    if (names[k].replace(/\.\w+$/, "") !== plainName(name))
      say(`the output "${output}" is written as ${names[k]}, because another file has the name ${plainName(name)}`);
    await writeValue(file, value, { say, signal });
    rows.push({ name, type: describeOnnxValue(value), file });
  }
  return {
    lines:
      rows.length === 0
        ? []
        : tableLines(
            ["output", "type", "file"],
            rows.map(({ name, type, file }) => [name, type, file]),
          ),
    data: rows,
  };
}

const plainName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_.]/g, "_");

/**
 * The names of files: of their outputs, with other characters than letters, digits, "_" and "." replaced. A name that is taken gets a number; names
 * without replacements come first. File systems may not distinguish case.
 */
export function fileNames(names: readonly (readonly [name: string, suffix: string])[]): readonly string[] {
  const taken = new Set<string>();
  const result: string[] = [];
  const assign = (isPlain: boolean): void => {
    for (const [k, [name, suffix]] of names.entries()) {
      const base = plainName(name);
      if ((base === name) !== isPlain) continue;
      let file = base + suffix;
      for (let n = 2; taken.has(file.toLowerCase()); n++) file = `${base}.${n}${suffix}`;
      taken.add(file.toLowerCase());
      result[k] = file;
    }
  };
  assign(true);
  assign(false);
  return result;
}

async function writeValue(
  file: string,
  value: Part["value"],
  { say, signal }: { readonly say: Say; readonly signal: AbortSignal },
): Promise<void> {
  if (value instanceof Tensor) {
    const isWide = value.dtype === "bfloat16";
    if (isWide) say(`${file}: bfloat16 is written as float32, which holds every value`);
    await saveNpy(file, isWide ? value.to("float32") : value, { signal });
    return;
  }
  const parts =
    value instanceof TextTensor
      ? npyTextParts("run", value.shape, value.data)
      : [new TextEncoder().encode(jsonOf(value))];
  await writePath("run", file, parts, new Watch({ signal }));
}

/** A map, or strings, as JSON; integers that are not safe are strings. */
function jsonOf(value: Exclude<Part["value"], Tensor>): string {
  const plain = (each: number | string | bigint): number | string =>
    typeof each === "bigint" ? (Number.isSafeInteger(Number(each)) ? Number(each) : String(each)) : each;
  const data =
    value instanceof TextTensor
      ? nested(value.data, value.shape)
      : Object.fromEntries([...value].map(([key, each]) => [String(key), plain(each)]));
  return `${JSON.stringify(data, null, 2)}\n`;
}

/** Row-major elements as nested lists. */
function nested(data: readonly string[], shape: readonly number[]): unknown {
  if (shape.length === 0) return data[0];
  const [count, ...rest] = shape;
  const size = rest.reduce((product, each) => product * each, 1);
  return Array.from({ length: count }, (_, k) => nested(data.slice(k * size, (k + 1) * size), rest));
}

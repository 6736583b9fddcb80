/**
 * Recorded files: .npy with their description in `index.json`, .npz, .safetensors. Each is read into tensors, compared, and
 * written again: the bytes must be those of the file wherever its writer had no choice that ours makes otherwise.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { FileError } from "../../src/io/file-error.ts";
import { encodeNpy, encodeSafetensors, parseNpy, parseNpz, parseSafetensors } from "../../src/io/tensor-bytes.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";
import { failed, passed, skipped, type Verdict } from "./judge.ts";
import type { Fields } from "./records.ts";
import { elementsOf, recordedTensor, valueOf } from "./torch-values.ts";
import type { Json } from "./values.ts";

const suffixes = [".npy", ".npz", ".safetensors"];

/** True for a folder, an index.json, or a file of one of these formats: everything that is not lines of records. */
export const isOfFiles = (path: string): boolean =>
  basename(path) === "index.json" ||
  suffixes.some((suffix) => path.endsWith(suffix)) ||
  (existsSync(path) && statSync(path).isDirectory());

/** A record for each file: of the folder and the folders in it, of the index, or of the one named. */
export function fileRecords(path: string): Fields[] {
  if (statSync(path).isDirectory())
    return readdirSync(path)
      .sort()
      .map((name) => join(path, name))
      .filter((inner) => basename(inner) !== "index.json" && isOfFiles(inner))
      .flatMap(fileRecords);
  if (basename(path) === "index.json")
    return indexBeside(path).map((row) => fileRecord(join(dirname(path), String(row.file))));
  return [fileRecord(path)];
}

function indexBeside(path: string): readonly Fields[] {
  const index = join(dirname(path), "index.json");
  return existsSync(index) ? (JSON.parse(readFileSync(index, "utf8")) as readonly Fields[]) : [];
}

function fileRecord(path: string): Fields {
  const row = indexBeside(path).find(({ file }) => file === basename(path));
  return { ...row, id: basename(path), path };
}

const bytesOf = (path: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(path));
const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** {path, and for .npy the row of the index}. */
export function judgeFile(fields: Fields): Verdict {
  const path = String(fields.path);
  const bytes = bytesOf(path);
  if (path.endsWith(".npy")) return judgeNpy(fields, bytes);
  return path.endsWith(".npz") ? judgeNpz(path, bytes) : judgeSafetensors(bytes);
}

function judgeNpy({ descr, shape, data, version }: Fields, bytes: Uint8Array): Verdict {
  if (descr === undefined) return skipped("a .npy file that no index.json describes");
  let t: Tensor;
  try {
    t = parseNpy(bytes);
  } catch (refusal) {
    if (!(refusal instanceof FileError)) throw refusal;
    const isText = /[SU]/.test(String(descr)) && refusal.message.includes(String(descr));
    return isText
      ? { kind: "passed", way: "known difference", reason: "arrays of text have no dtype here and throw a named error" }
      : failed("a tensor", refusal.message);
  }
  const expected = (data as readonly Json[]).map(valueOf);
  if (!isDeepStrictEqual(t.shape, shape)) return failed(`shape ${JSON.stringify(shape)}`, JSON.stringify(t.shape));
  const elements = elementsOf(t);
  if (!isDeepStrictEqual(elements, expected)) return failed(expected.join(" "), elements.join(" "));
  // Files are written little-endian, so only such files can come back as they were.
  const isLittle = !String(descr).startsWith(">");
  const again = encodeNpy(t, { version: (version as readonly number[])[0] as 1 });
  return isLittle && !isSame(again, bytes) ? failed("the bytes of the file, written again", "others") : passed("equal");
}

/** What is known of a .npz: the files of one folder with the same names hold the same arrays, deflated or not. */
function judgeNpz(path: string, bytes: Uint8Array): Verdict {
  const contentOf = (file: Uint8Array): Json => [...parseNpz(file)].map(([name, t]): Json => [name, recordedTensor(t)]);
  const ours = contentOf(bytes);
  const others = readdirSync(dirname(path)).filter((name) => name.endsWith(".npz") && name !== basename(path));
  if (others.length === 0) return skipped("a .npz file with nothing to compare");
  const other = others.find((name) => !isDeepStrictEqual(contentOf(bytesOf(join(dirname(path), name))), ours));
  return other === undefined ? passed("equal") : failed(`what ${other} holds`, JSON.stringify(ours));
}

function judgeSafetensors(bytes: Uint8Array): Verdict {
  const { tensors, metadata } = parseSafetensors(bytes);
  const { tensors: again } = parseSafetensors(encodeSafetensors(tensors, { metadata }));
  const content = (map: ReadonlyMap<string, Tensor>): Json =>
    [...map].map(([name, t]): Json => [name, recordedTensor(t)]).sort();
  return isDeepStrictEqual(content(again), content(tensors))
    ? passed("equal")
    : failed("what was read, written and read again", JSON.stringify(content(again)));
}

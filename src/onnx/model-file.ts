/**
 * A model file that is read without its weights: its messages, and the locations of the elements of its tensors. They are in the messages, in a range
 * of the file itself, or in a range of a file with external data.
 *
 * The name of an external file comes from the model, so it may be in the folder of the model or in folders inside it only.
 */
import { type FileInput, openSource, pathOf, readFromSource } from "../io/source.ts";
import { type ByteSource, Watch } from "../io/watch.ts";
import { OnnxError } from "./error.ts";
import { readModel } from "./proto/read.ts";
import { modelFields } from "./proto/schema.ts";
import { type FileRange, skeletonReader } from "./proto/skeleton.ts";
import { DataLocation, type ModelProto, type TensorProto } from "./proto/types.ts";
import { checkByteLength, type ElementLayout } from "./tensor-elements.ts";

/** Opens a file with external data, by its name in the model: its bytes, a Blob, a Response, or in Node a path. */
export type OpenExternal = (location: string) => FileInput | Promise<FileInput>;

/** The elements of a tensor in a file; `location` is null for the file of the model. */
export interface ElementRange extends FileRange {
  readonly location: string | null;
}

export interface ModelFile {
  readonly proto: ModelProto;
  /** The path of the model; undefined if it was not opened by one. */
  readonly path: string | undefined;
  readonly source: ByteSource;
  /**
   * Returns the location of the elements of a tensor; null if they are in its message. Throws unless the range has the length that the layout needs.
   */
  rangeOf(tensor: TensorProto, layout: ElementLayout): ElementRange | null;
}

/** Reads a model without its weights. */
export async function openModelFile(who: string, input: FileInput, watch: Watch = new Watch({})): Promise<ModelFile> {
  const path = pathOf(who, input);
  const source = await openSource(who, input, watch);
  const { bytes, rangeOf, positionOf } = await readFromSource(source, skeletonReader(who, source.size, modelFields));
  const proto = readModel(bytes, path === undefined ? "the model" : fileName(path), { who, positionOf });
  return {
    proto,
    path,
    source,
    rangeOf(tensor, layout) {
      if (tensor.dataLocation === DataLocation.EXTERNAL) return externalRange(tensor, layout);
      const range = rangeOf(tensor.rawData);
      if (range === undefined) return null;
      checkByteLength(layout, range.end - range.begin, "the file");
      return { ...range, location: null };
    },
  };
}

function externalRange({ externalData }: TensorProto, layout: ElementLayout): ElementRange {
  const { title, byteLength } = layout;
  const entries = new Map(externalData.map(({ key, value }) => [key, value]));
  const location = entries.get("location") ?? "";
  const isOutside = /^[/\\]|^[a-z]:|\0/i.test(location) || location.split(/[/\\]/).includes("..");
  if (location === "" || isOutside)
    throw new OnnxError(
      `${title} is stored in the file ${JSON.stringify(location)}, which is not the name of a file in the folder of the model`,
    );
  const number = (key: string, otherwise: number): number => {
    const text = entries.get(key) ?? String(otherwise);
    const value = /^\s*\d+\s*$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(value)) return value;
    throw new OnnxError(`${title} has external data whose ${key} is ${JSON.stringify(text)}, not an integer`);
  };
  const begin = number("offset", 0);
  checkByteLength(layout, number("length", byteLength), `the file ${JSON.stringify(location)}`);
  return { location, begin, end: begin + byteLength };
}

/** Opens the files with external data of one model, each of them once. */
export class ExternalFiles {
  readonly #who: string;
  readonly #file: ModelFile;
  readonly #open: OpenExternal | undefined;
  readonly #watch: Watch;
  readonly #sources = new Map<string, ByteSource>();

  constructor(who: string, file: ModelFile, open: OpenExternal | undefined, watch: Watch) {
    this.#who = who;
    this.#file = file;
    this.#open = open;
    this.#watch = watch;
  }

  /** The total size of the model and of the files opened so far. */
  get size(): number {
    return [...this.#sources.values()].reduce((sum, { size }) => sum + size, this.#file.source.size);
  }

  /** Opens the file of a range; throws unless it has the range. `title` names the tensor that needs it. */
  async open({ location, end }: ElementRange, title: string): Promise<void> {
    if (location === null) return;
    const source = this.#sources.get(location) ?? (await openSource(...(await this.#inputOf(location, title))));
    this.#sources.set(location, source);
    if (end > source.size)
      throw new OnnxError(
        `${title} ends at byte ${end} of the file ${JSON.stringify(location)}, which has ${source.size} bytes. The file is truncated, or belongs to another model`,
      );
  }

  /** Returns the source of a range whose file is open. */
  sourceOf({ location }: ElementRange): ByteSource {
    return location === null ? this.#file.source : (this.#sources.get(location) as ByteSource);
  }

  async #inputOf(location: string, title: string): Promise<[who: string, input: FileInput, watch: Watch]> {
    const who = `${this.#who}: the external data of ${title}`;
    if (this.#open !== undefined) return [who, await this.#open(location), this.#watch];
    const { path } = this.#file;
    if (path !== undefined) return [who, path.slice(0, path.length - fileName(path).length) + location, this.#watch];
    throw new OnnxError(
      `${title} is stored in the file ${JSON.stringify(location)}. Pass the option external: (location) => bytes, a Blob, a Response or a path`,
    );
  }
}

/** The last part of a path. Windows allows both separators. */
function fileName(path: string): string {
  const { process } = globalThis as { process?: { readonly platform?: string } };
  return path.slice(Math.max(path.lastIndexOf("/"), process?.platform === "win32" ? path.lastIndexOf("\\") : -1) + 1);
}

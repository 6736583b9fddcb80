/**
 * Reads the tensors of a model while it is loaded. Elements in ranges of files are read directly into the library's memory. Those of small tensors
 * stay in their messages and become tensors at first use, but are checked here. Sparse tensors become dense here, within the limit of bytes.
 */
import { Limits } from "../io/limits.ts";
import { normalizeBools } from "../io/raw-array.ts";
import { ask, readFromSource } from "../io/source.ts";
import { Destination, toRawArray } from "../io/tensor-arrays.ts";
import type { Watch } from "../io/watch.ts";
import { outsideScopes } from "../tensor/scope.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { OnnxError } from "./error.ts";
import { type ElementRange, ExternalFiles, type ModelFile, type OpenExternal } from "./model-file.ts";
import { tensorsOfModel } from "./model-tensors.ts";
import { DataLocation, type SparseTensorProto, type TensorProto } from "./proto/types.ts";
import { partsOfSparse, readSparseTensor } from "./sparse-tensor.ts";
import { checkTensor, type ElementLayout, layoutOfElements, tensorOfBytes } from "./tensor-elements.ts";

/** The tensors that were read, by their messages. */
export type Weights = ReadonlyMap<TensorProto | SparseTensorProto, Tensor>;

export interface WeightOptions {
  readonly external?: OpenExternal | undefined;
  readonly maxWeightBytes?: number | undefined;
}

/** Reads the weights of a model; throws unless all of its tensors are valid. */
export async function readWeights(
  who: string,
  file: ModelFile,
  { external, maxWeightBytes }: WeightOptions,
  watch: Watch,
): Promise<Weights> {
  const files = new ExternalFiles(who, file, external, watch);
  const reader = new WeightReader(who, file, files);
  // Everything is checked and opened before the first weight is read.
  for (const { tensor, where } of tensorsOfModel(file.proto))
    try {
      await reader.prepare(tensor);
    } catch (error) {
      throw error instanceof OnnxError ? new OnnxError(`${who}: ${where}: ${error.message}`) : error;
    }
  watch.total = files.size;
  const limits = maxWeightBytes === undefined ? {} : { maxBytes: maxWeightBytes };
  new Limits(limits, files.size, "maxWeightBytes").takeBytes(who, reader.byteLength);
  return reader.readAll();
}

/** A range of a file with the elements of a tensor. */
interface Stored {
  readonly layout: ElementLayout;
  readonly range: ElementRange;
}

class WeightReader {
  /** The number of bytes of the tensors that are read. */
  byteLength = 0;
  readonly #who: string;
  readonly #file: ModelFile;
  readonly #files: ExternalFiles;
  /** The tensors whose elements are not in their messages. */
  readonly #stored = new Map<TensorProto, Stored>();
  readonly #sparse = new Set<SparseTensorProto>();

  constructor(who: string, file: ModelFile, files: ExternalFiles) {
    this.#who = who;
    this.#file = file;
    this.#files = files;
  }

  /** Checks a tensor, and opens the file that has its elements. */
  async prepare(tensor: TensorProto | SparseTensorProto): Promise<void> {
    if ("dataType" in tensor) return this.#prepareDense(tensor);
    const { values, indices, dense } = partsOfSparse(tensor);
    await this.#prepareDense(values);
    await this.#prepareDense(indices);
    this.#sparse.add(tensor);
    this.byteLength += dense.byteLength;
  }

  async #prepareDense(tensor: TensorProto): Promise<void> {
    const layout = layoutOfElements(tensor);
    const range = this.#file.rangeOf(tensor, layout);
    if (range === null) return checkTensor(tensor);
    if (layout.dtype === null) throw new OnnxError(`${layout.title} must have its elements in string_data`);
    await this.#files.open(range, layout.title);
    this.#stored.set(tensor, { layout, range });
    this.byteLength += layout.byteLength;
  }

  async readAll(): Promise<Weights> {
    const weights = new Map<TensorProto | SparseTensorProto, Tensor>();
    try {
      const parts = new Set([...this.#sparse].flatMap(({ values, indices }) => [values, indices]));
      for (const [tensor, stored] of this.#stored)
        if (!parts.has(tensor)) weights.set(tensor, await this.#readDense(tensor, stored));
      for (const tensor of this.#sparse) {
        const [values, indices] = [await this.#inMessage(tensor.values), await this.#inMessage(tensor.indices)];
        weights.set(
          tensor,
          outsideScopes(() => readSparseTensor({ ...tensor, values, indices })),
        );
      }
      return weights;
    } catch (error) {
      for (const tensor of weights.values()) tensor.dispose();
      throw error;
    }
  }

  async #readDense(tensor: TensorProto, { layout, range }: Stored): Promise<Tensor> {
    const { dtype, shape, narrow } = layout;
    if (dtype === null || narrow !== undefined || layout.count === 0) {
      const bytes = await this.#bytesOf(range);
      complete(tensor, () => bytes);
      return outsideScopes(() => tensorOfBytes(layout, bytes));
    }
    const destination = new Destination();
    try {
      const own = destination.allocateForRead(layout.byteLength);
      const read = await this.#bytesOf(range, own);
      const bytes = dtype === "bool" ? normalizeBools(read, read === own) : read;
      const value = outsideScopes(() => destination.toTensor({ dtype, shape, order: "C", bytes }));
      complete(tensor, () => toRawArray("saveOnnx", value).bytes.slice());
      return value;
    } finally {
      destination.release();
    }
  }

  /** Returns a part of a sparse tensor with its elements in its message. */
  async #inMessage(tensor: TensorProto | undefined): Promise<TensorProto | undefined> {
    const stored = tensor && this.#stored.get(tensor);
    if (tensor === undefined || stored === undefined) return tensor;
    const bytes = await this.#bytesOf(stored.range);
    complete(tensor, () => bytes);
    return tensor;
  }

  #bytesOf(range: ElementRange, into?: Uint8Array): Promise<Uint8Array> {
    const source = this.#files.sourceOf(range);
    return readFromSource(source, ask(this.#who, source.size, range.begin, range.end, "a tensor", into));
  }
}

/** Adds the elements to a message, for writers of the model. Those of large tensors are copied from memory when they are read. */
function complete(tensor: TensorProto, elements: () => Uint8Array): void {
  Object.assign(tensor, { dataLocation: DataLocation.DEFAULT, externalData: [] });
  Object.defineProperty(tensor, "rawData", { get: elements, enumerable: true, configurable: true });
}

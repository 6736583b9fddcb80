/** Reads the messages that are stored in files: models (.onnx), and tensors, sequences and optionals (.pb). */
import { type Fields, readFields } from "./message.ts";
import { modelFields, optionalFields, sequenceFields, tensorFields } from "./schema.ts";
import type { ModelProto, OptionalProto, SequenceProto, TensorProto } from "./types.ts";
import { type ReadOptions, WireReader } from "./wire-reader.ts";

const reading =
  <T>(fields: Fields<T>, kind: string) =>
  (bytes: Uint8Array, name: string = kind, options: ReadOptions = {}): T => {
    const reader = new WireReader(bytes, name, options);
    return reader.run(() => readFields(reader, fields));
  };

type Read<T> = (bytes: Uint8Array, name?: string, options?: ReadOptions) => T;

/** Reads a model. `rawData` of its tensors are views of the bytes, and `name`, such as the name of the file, is for errors. */
export const readModel: Read<ModelProto> = /* @__PURE__ */ reading(modelFields, "the model");

/** Reads one tensor. `rawData` is a view of the bytes. */
export const readTensor: Read<TensorProto> = /* @__PURE__ */ reading(tensorFields, "the tensor");

/** Reads a sequence of tensors, maps, sequences or optionals. */
export const readSequence: Read<SequenceProto> = /* @__PURE__ */ reading(sequenceFields, "the sequence");

/** Reads an optional, which holds at most one value. */
export const readOptional: Read<OptionalProto> = /* @__PURE__ */ reading(optionalFields, "the optional");

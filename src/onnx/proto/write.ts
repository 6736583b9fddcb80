/**
 * Writes the messages that are stored in files, by the tables that readers use. The fields of a message are in ascending order, and those that have
 * their default are omitted, so equal messages have equal bytes, and reading them returns an equal message.
 */
import { joinParts } from "../../io/raw-array.ts";
import { type AnyMessage, type Fields, infoOf } from "./message.ts";
import { modelFields, optionalFields, sequenceFields, tensorFields } from "./schema.ts";
import type { Draft, ModelProto, OptionalProto, SequenceProto, TensorProto } from "./types.ts";
import { Wire } from "./wire-reader.ts";
import { WireWriter } from "./wire-writer.ts";

/** Writes the fields of a message. */
function writeFields<T>(writer: WireWriter, table: Fields<T>, message: Draft<T>): void {
  for (const { name, number, kind, table: inner } of infoOf(table).ascending) {
    const value = (message as AnyMessage)[name];
    if (value === undefined) continue;
    if (kind !== "message" && kind !== "messages") kind.write(writer, number, value);
    else
      for (const each of kind === "message" ? [value] : (value as readonly unknown[])) {
        writer.tag(number, Wire.BYTES);
        writer.nested(() => writeFields(writer, inner?.() as Fields<unknown>, each as Draft<unknown>));
      }
  }
}

function piecesOf<T>(fields: Fields<T>, message: Draft<T>): readonly Uint8Array[] {
  const writer = new WireWriter();
  writeFields(writer, fields, message);
  return writer.pieces();
}

const writing =
  <T>(fields: Fields<T>) =>
  (message: Draft<T>): Uint8Array<ArrayBuffer> =>
    joinParts(piecesOf(fields, message));

type Write<T> = (message: Draft<T>) => Uint8Array<ArrayBuffer>;

/** Returns the bytes of a model as pieces, which share the bytes of its large tensors. */
export const modelPieces = (model: Draft<ModelProto>): readonly Uint8Array[] => piecesOf(modelFields, model);

/** Returns the bytes of a model. */
export const writeModel: Write<ModelProto> = /* @__PURE__ */ writing(modelFields);

/** Returns the bytes of one tensor. */
export const writeTensor: Write<TensorProto> = /* @__PURE__ */ writing(tensorFields);

/** Returns the bytes of a sequence. */
export const writeSequence: Write<SequenceProto> = /* @__PURE__ */ writing(sequenceFields);

/** Returns the bytes of an optional. */
export const writeOptional: Write<OptionalProto> = /* @__PURE__ */ writing(optionalFields);

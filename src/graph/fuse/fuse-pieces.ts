/**
 * Fuses maps into ops whose lowering computes the result piece by piece, such as a convolution: the map over the result is computed over each
 * finished piece (`ProgramBuilder.finished`), while the piece is in the cache.
 */
import { InternalError } from "../../base/errors.ts";
import type { ElementStorage, Operand } from "../../kernel/operand.ts";
import type { MapWork, ProgramBuilder } from "../../kernel/program/builder.ts";
import { epilogueOf, lowerMapOver, movedBy, operandsOver, withMap } from "./epilogue.ts";
import { haveSameSteps } from "./overlap.ts";

/** The only result of an op, which can be computed in a different storage of the same number of bytes. */
export interface Movable {
  readonly result: Operand;
  /** Adds the steps of the op, with the result in this storage. */
  lowerInto(builder: ProgramBuilder, storage: ElementStorage): void;
}

/** A result whose parts are finished one by one. */
export interface Pieces extends Movable {
  /** Returns the parts in the order in which they are finished, if the result is in this storage. */
  partsIn(storage: ElementStorage): readonly Operand[];
}

/** Steps that are not calls of a kernel's spec, with the storages that they read and write. */
export interface OtherWork {
  readonly kind: "other";
  readonly name: string;
  readonly reads: readonly ElementStorage[];
  readonly writes: readonly ElementStorage[];
  lower(builder: ProgramBuilder): void;
  /** The result, if its parts are finished one by one. */
  readonly pieces?: Pieces | undefined;
  /** A map over each finished part. */
  readonly after?: MapWork | undefined;
}

/** Fuses a map into the op whose result it reads. Null if that is not possible. */
export function fusePieces(task: OtherWork, map: MapWork): OtherWork | null {
  const { pieces, after } = task;
  if (pieces === undefined || after !== undefined) return null;
  const { result } = pieces;
  const epilogue = epilogueOf(map, result, task.reads);
  if (epilogue === null) return null;
  const { target } = epilogue;
  const { storage } = target;
  // The op computes its result with its own strides, and the result fills its storage.
  const isSame = target.offset === result.offset && haveSameSteps(target, result);
  if (!isSame || bytesOf(storage) !== bytesOf(result.storage)) return null;
  const from = movedBy(epilogue.map, storage);
  if (!pieces.partsIn(storage).every((part) => operandsOver(from, part) !== null)) return null;
  return {
    ...task,
    name: `${task.name} and ${map.kernel.spec.name}`,
    ...withMap({ reads: task.reads, writes: [storage] }, epilogue.map),
    pieces: { ...pieces, result: target },
    after: epilogue.map,
  };
}

const bytesOf = (storage: ElementStorage): number => (storage as ElementStorage & { readonly nbytes: number }).nbytes;

/** Adds the steps of an op, and of the map over its parts. */
export function lowerPieces(builder: ProgramBuilder, { lower, pieces, after }: OtherWork): void {
  if (pieces === undefined || after === undefined) {
    lower(builder);
    return;
  }
  const { storage } = pieces.result;
  const from = movedBy(after, storage);
  const add = (part: Operand): void => {
    const operands = operandsOver(from, part);
    if (operands === null)
      throw new InternalError("compile: the map over a result cannot be computed over a part of it");
    lowerMapOver(builder, after, operands);
  };
  builder.withFinished(add, () => pieces.lowerInto(builder, storage));
}

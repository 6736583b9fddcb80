/**
 * Fusion behind ops whose lowering computes its result piece by piece, such as a convolution: a map over the result is computed over each piece that
 * is finished (`ProgramBuilder.finished`), while it is in the cache.
 */
import { InternalError } from "../../base/errors.ts";
import type { ElementStorage, Operand } from "../../kernel/operand.ts";
import type { MapWork, ProgramBuilder } from "../../kernel/program/builder.ts";
import { lowerMapOver, mapBehind, movedBy, operandsOver, withMap } from "./map-behind.ts";
import { haveSameSteps } from "./overlap.ts";

/** The only result of an op, which can be computed in another storage of as many bytes. */
export interface Movable {
  readonly result: Operand;
  /** Adds the steps of the op, with the result in this storage. */
  lowerInto(builder: ProgramBuilder, storage: ElementStorage): void;
}

/** A result whose parts are finished one by one. */
export interface Pieces extends Movable {
  /** Returns the parts that are finished, in their order, if the result is in this storage. */
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

/** Fuses a map behind such an op. Null if that is not possible. */
export function fusePieces(task: OtherWork, map: MapWork): OtherWork | null {
  const { pieces, after } = task;
  if (pieces === undefined || after !== undefined) return null;
  const { result } = pieces;
  const behind = mapBehind(map, result, task.reads);
  if (behind === null) return null;
  const { target } = behind;
  const { storage } = target;
  // The op computes its result as it is laid out, in all of a storage.
  const isSame = target.offset === result.offset && haveSameSteps(target, result);
  if (!isSame || bytesOf(storage) !== bytesOf(result.storage)) return null;
  const from = movedBy(behind.map, storage);
  if (!pieces.partsIn(storage).every((part) => operandsOver(from, part) !== null)) return null;
  return {
    ...task,
    name: `${task.name} and ${map.kernel.spec.name}`,
    ...withMap({ reads: task.reads, writes: [storage] }, behind.map),
    pieces: { ...pieces, result: target },
    after: behind.map,
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
    if (operands === null) throw new InternalError("compile: a part of a result has no part of the map behind it");
    lowerMapOver(builder, after, operands);
  };
  builder.withFinished(add, () => pieces.lowerInto(builder, storage));
}

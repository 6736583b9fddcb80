/**
 * Limits on what a file may cost its reader: the bytes of its tensors, the number of tensors, and the number of axes.
 * Readers check declared sizes against them before they allocate, so a small file cannot exhaust the memory of the process.
 */
import { FileError } from "./file-error.ts";

/** The options of every function that reads a file. */
export interface ReadLimits {
  /** The most bytes that the tensors may take together. The default is 256 MiB, or 100 times the size of the file if that is more. */
  readonly maxBytes?: number;
  /** The most tensors that the file may hold. The default is 100,000. */
  readonly maxTensors?: number;
}

/** The most axes of an array in a file, as in NumPy. */
export const mostAxes = 64;

const usualBytes = 2 ** 28;
const usualRatio = 100;
const usualTensors = 100_000;

/** The limits of one read, and the bytes that count against them so far. */
export class Limits {
  readonly maxTensors: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor({ maxBytes, maxTensors }: ReadLimits, fileSize: number) {
    this.#maxBytes = maxBytes ?? Math.max(usualBytes, usualRatio * fileSize);
    this.maxTensors = maxTensors ?? usualTensors;
  }

  /** Throws if this number of further bytes would exceed the limit. */
  checkBytes(who: string, bytes: number, position?: number): void {
    const total = this.#bytes + bytes;
    if (total > this.#maxBytes)
      throw new FileError(
        `${who}: the tensors take at least ${total} bytes, the limit is ${this.#maxBytes}. Raise maxBytes if you trust the file.`,
        position,
      );
  }

  /** Counts this number of further bytes; throws past the limit. */
  takeBytes(who: string, bytes: number, position?: number): void {
    this.checkBytes(who, bytes, position);
    this.#bytes += bytes;
  }

  /** Throws if the file has too many tensors. */
  checkTensors(who: string, count: number): void {
    if (count > this.maxTensors)
      throw new FileError(
        `${who}: the file has ${count} tensors, the limit is ${this.maxTensors}. Raise maxTensors if you trust the file.`,
      );
  }
}

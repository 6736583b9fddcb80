/**
 * Limits on the cost of reading a file: the bytes of its tensors, the number of tensors, and the number of axes.
 * Readers check declared sizes against them before they allocate, so a small file cannot exhaust the memory of the process.
 */
import { FileError } from "./file-error.ts";

/** The options of every function that reads a file. */
export interface ReadLimits {
  /** The largest total number of bytes of the tensors. Default: 256 MiB, or 100 times the size of the file if that is more. */
  readonly maxBytes?: number;
  /** The largest number of tensors in the file. Default: 100,000. */
  readonly maxTensors?: number;
}

/** The largest number of axes of an array in a file, as in NumPy. */
export const maxAxes = 64;

const defaultBytes = 2 ** 28;
const defaultRatio = 100;
const defaultTensors = 100_000;

/** The limits of one read, and the bytes counted so far. */
export class Limits {
  readonly maxTensors: number;
  readonly #maxBytes: number;
  #bytes = 0;

  readonly #bytesOption: string;

  /** `bytesOption` names the option for the number of bytes in errors. */
  constructor({ maxBytes, maxTensors }: ReadLimits, fileSize: number, bytesOption = "maxBytes") {
    this.#bytesOption = bytesOption;
    this.#maxBytes = maxBytes ?? Math.max(defaultBytes, defaultRatio * fileSize);
    this.maxTensors = maxTensors ?? defaultTensors;
  }

  /** Throws if this number of additional bytes would exceed the limit. */
  checkBytes(who: string, bytes: number, position?: number): void {
    const total = this.#bytes + bytes;
    if (total > this.#maxBytes)
      throw new FileError(
        `${who}: the tensors take at least ${total} bytes; the limit is ${this.#maxBytes}. Raise ${this.#bytesOption} if you trust the file.`,
        position,
      );
  }

  /** Counts this number of additional bytes; throws if that exceeds the limit. */
  takeBytes(who: string, bytes: number, position?: number): void {
    this.checkBytes(who, bytes, position);
    this.#bytes += bytes;
  }

  /** Throws if the file has too many tensors. */
  checkTensors(who: string, count: number): void {
    if (count > this.maxTensors)
      throw new FileError(
        `${who}: the file has ${count} tensors; the limit is ${this.maxTensors}. Raise maxTensors if you trust the file.`,
      );
  }
}

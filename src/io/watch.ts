/**
 * `signal` and `onProgress` of the functions that load and save files. Transfers are cut into pieces; after each one the number of bytes is
 * reported, and the reason of an aborted signal is thrown as it is. Without these options a transfer is one piece.
 */
/**
 * A source of bytes: read(begin, end) returns those of begin <= position < end. A source may write them to `into`, which has this length,
 * and return it; that saves a copy.
 */
export interface ByteSource {
  readonly size: number;
  read(begin: number, end: number, into?: Uint8Array): Promise<Uint8Array>;
}

/** The bytes read or written so far, and the size of the file. A load of some of a file's tensors ends before `total`. */
export interface FileProgress {
  readonly done: number;
  readonly total: number;
}

/** Options for long transfers. */
export interface TransferOptions {
  /** Stops the transfer when it is aborted: the function throws the signal's reason. A file that was being saved is unchanged. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each piece of at most 16 MiB. */
  readonly onProgress?: ((progress: FileProgress) => void) | undefined;
}

/** The largest piece: a hundredth of a second, or a hundred calls for a large model. */
const pieceLength = 2 ** 24;

/** One transfer with its options. */
export class Watch {
  /** The length of pieces; Infinity if nothing is watched. */
  readonly piece: number;
  /** The size of the file, once it is known. */
  total = 0;
  readonly #options: TransferOptions;
  #done = 0;
  #thrown: unknown;

  constructor(options: TransferOptions) {
    this.#options = options;
    this.piece = options.signal || options.onProgress ? pieceLength : Infinity;
    this.check();
  }

  /** Throws the reason of the signal if it is aborted. */
  check(): void {
    this.#report(() => this.#options.signal?.throwIfAborted());
  }

  /** Counts the bytes of a piece, reports them, and throws if the signal is aborted. */
  advance(bytes: number): void {
    this.#done += bytes;
    this.#report(() => this.#options.onProgress?.({ done: this.#done, total: this.total }));
    this.check();
  }

  /** True for an error that came from the options. It is thrown as it is, not as an error of the file. */
  hasThrown(error: unknown): boolean {
    return error !== undefined && error === this.#thrown;
  }

  #report(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#thrown = error;
      throw error;
    }
  }

  /** A source that reads another one in pieces. Bytes in memory are one piece, so that they are not copied. */
  over(source: ByteSource, piece: number = this.piece): ByteSource {
    this.total = source.size;
    if (this.piece === Infinity) return source;
    const readPiece = async (begin: number, end: number, into?: Uint8Array): Promise<Uint8Array> => {
      this.check();
      const bytes = await source.read(begin, end, into);
      this.advance(bytes.length);
      return bytes;
    };
    const read = async (begin: number, end: number, into?: Uint8Array): Promise<Uint8Array> => {
      if (end - begin <= piece) return readPiece(begin, end, into);
      const bytes = into ?? new Uint8Array(end - begin);
      for (let at = begin; at < end; at += piece) {
        const part = bytes.subarray(at - begin, Math.min(at + piece, end) - begin);
        const filled = await readPiece(at, at + part.length, part);
        if (filled !== part) part.set(filled);
      }
      return bytes;
    };
    return { size: source.size, read };
  }

  /** The bytes of a stream of `total` bytes, or of an unknown number. */
  async read(stream: ReadableStream<Uint8Array>, total: number | null): Promise<Uint8Array> {
    const reader = stream.getReader();
    const pieces: Uint8Array[] = [];
    let length = 0;
    try {
      for (let step = await reader.read(); !step.done; step = await reader.read()) {
        pieces.push(step.value);
        length += step.value.length;
        this.total = Math.max(total ?? 0, length);
        this.advance(step.value.length);
      }
    } catch (error) {
      await reader.cancel(error).catch(() => undefined);
      throw error;
    }
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }
}

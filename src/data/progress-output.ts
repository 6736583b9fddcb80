/**
 * Where progress is written: the error stream of the process if there is one, as it keeps results and progress apart, else the console.
 * Writing never fails: an output that is closed, or breaks, is left alone from then on.
 */

/** What progress is written to: a stream of Node, or something like it. */
export interface ProgressOutput {
  write(text: string, done?: () => void): unknown;
  /** True for a terminal, whose line can be rewritten. */
  readonly isTTY?: boolean;
  /** How wide the terminal is. */
  readonly columns?: number;
  readonly writable?: boolean;
  on?(event: "error", listener: () => void): unknown;
  off?(event: "error", listener: () => void): unknown;
}

/** The output of this platform. */
export function defaultOutput(): ProgressOutput {
  const { process } = globalThis as { process?: { stderr?: ProgressOutput } };
  const stream = process?.stderr;
  if (typeof stream?.write === "function") return stream;
  return { write: (text) => console.info(text.trimEnd()) };
}

/** An output that cannot fail. */
export class SafeOutput {
  readonly #output: ProgressOutput;
  #isBroken = false;
  #isEnded = false;
  /** How many texts are on their way. */
  #pending = 0;
  readonly #onWritten = (): void => {
    this.#pending--;
    this.#leave();
  };
  readonly #onError = (): void => {
    this.#isBroken = true;
  };

  constructor(output: ProgressOutput) {
    this.#output = output;
    // A stream tells of a closed pipe later, by an event that would end the process.
    output.on?.("error", this.#onError);
  }

  get isTerminal(): boolean {
    return this.#output.isTTY === true;
  }

  get columns(): number {
    return this.#output.columns || 80;
  }

  write(text: string): void {
    if (this.#isBroken || this.#output.writable === false) return;
    this.#pending++;
    try {
      this.#output.write(text, this.#onWritten);
    } catch {
      this.#isBroken = true;
      this.#pending--;
    }
  }

  /** Writes for the last time. */
  end(text: string): void {
    this.write(text);
    this.#isEnded = true;
    this.#leave();
  }

  /** Leaves the output when all is written. The event of a failure follows the call that says so, hence not at once. */
  #leave(): void {
    if (this.#isEnded && this.#pending === 0) queueMicrotask(() => this.#output.off?.("error", this.#onError));
  }
}

/**
 * Progress of a loop: `for (const batch of progress(loader))`. A bar in a terminal, plain lines elsewhere, and an event "progress" that
 * pages listen to.
 *
 * Promises: items pass as they are; no timer runs, so nothing is shown between items; tensors that were set are read only when they are
 * shown; nothing that goes wrong with the output reaches the loop.
 *
 * Progress is written to the error stream of the process if there is one, as it keeps results and progress apart, else to the console.
 * An output that is closed, or breaks, is not used again.
 */
import { keep, noGrad, Tensor } from "../index.ts";
import { DataError, told } from "./checks.ts";

export interface ProgressOptions {
  /** What stands before the bar. */
  readonly label?: string;
  /** How many items there are; the `length` or `size` of what is iterated over, unless given. */
  readonly total?: number;
  /** Shows after so many items, whatever the time. */
  readonly every?: number;
  /** Where to write to: the error stream or the console, unless given; null writes nothing. */
  readonly output?: ProgressOutput | null;
  /** Called when progress is shown. */
  readonly onProgress?: (state: ProgressState) => void;
}

/** Milliseconds between two pictures of the bar, and between two lines. */
const barPause = 100;
const linePause = 1000;
/** There is a line for each such part of the whole. */
const lineParts = 10;

/** Values to show beside the bar. */
export type ProgressValues = Readonly<Record<string, number | string | Tensor>>;

/** A loop that shows how far it is. */
export class Progress<T> extends EventTarget implements Iterable<T>, AsyncIterable<Awaited<T>> {
  readonly #source: Iterable<T> | AsyncIterable<T>;
  readonly #options: ProgressOptions;
  readonly #label: string;
  #values: Record<string, number | string | Tensor> = {};

  constructor(source: Iterable<T> | AsyncIterable<T>, options: ProgressOptions = {}) {
    super();
    const { every, total, label = "" } = options;
    if (typeof source !== "object" || source === null || !(Symbol.iterator in source || Symbol.asyncIterator in source))
      throw new DataError(
        `progress: the first argument is something to iterate over, as a loader or a list, got ${told(source)}`,
      );
    if (every !== undefined && !(Number.isInteger(every) && every >= 1))
      throw new DataError(`progress: every is an integer from 1, got ${told(every)}`);
    if (total !== undefined && !(total >= 0))
      throw new DataError(`progress: total is a number from 0, got ${told(total)}`);
    this.#source = source;
    this.#options = options;
    this.#label = label;
  }

  /** Shows these values beside the bar from now on. Tensors of one element are read when they are shown. */
  set(values: ProgressValues): this {
    // Without its history, so that the last loss does not keep a graph.
    for (const [name, value] of Object.entries(values))
      this.#values[name] = value instanceof Tensor ? noGrad(() => keep(value.detach())) : value;
    return this;
  }

  *[Symbol.iterator](): Generator<T, void, undefined> {
    const source = this.#source;
    if (!(Symbol.iterator in source))
      throw new DataError("progress: the items come later. Write for await (const item of progress(...))");
    const run = this.#start();
    try {
      for (const item of source) {
        yield item;
        run.count();
      }
    } finally {
      run.end();
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Awaited<T>, void, undefined> {
    const run = this.#start();
    try {
      for await (const item of this.#source) {
        yield item;
        run.count();
      }
    } finally {
      run.end();
    }
  }

  /** One pass over the source. */
  #start(): { count(): void; end(): void } {
    const { every, output = defaultOutput(), onProgress } = this.#options;
    const total = this.#total();
    const safe = output === null ? null : new SafeOutput(output);
    const start = performance.now();
    let done = 0;
    let told = start;
    let written = start;
    let writtenPart = 0;
    const partAt = (count: number): number => (total === null ? count : Math.floor((count * lineParts) / total));
    this.#values = {};

    const tell = (state: ProgressState): void => {
      onProgress?.(state);
      this.dispatchEvent(new CustomEvent("progress", { detail: state }));
    };
    const write = (state: ProgressState, finished: boolean): void => {
      if (safe === null) return;
      const text = safe.isTerminal ? `\r${barLine(state, safe.columns)}\x1b[K` : `${plainLine(state)}\n`;
      if (finished) safe.end(safe.isTerminal ? `${text}\n` : text);
      else safe.write(text);
    };
    const stateAt = (now: number, finished: boolean): ProgressState =>
      this.#state(done, total, (now - start) / 1000, finished);

    if (safe?.isTerminal === true) write(stateAt(start, false), false);
    return {
      count: () => {
        done++;
        const now = performance.now();
        const isTurn = every !== undefined && done % every === 0;
        const isTold = isTurn || (every === undefined && now - told >= barPause);
        const isLine = isTurn || (every === undefined && now - written >= linePause && partAt(done) > writtenPart);
        const isWritten = safe !== null && (safe.isTerminal ? isTold : isLine);
        // The last item is told of by the end.
        if ((!isTold && !isWritten) || done === total) return;
        const state = stateAt(now, false);
        if (isTold) {
          told = now;
          tell(state);
        }
        if (!isWritten) return;
        written = now;
        writtenPart = partAt(done);
        write(state, false);
      },
      end: () => {
        const state = stateAt(performance.now(), true);
        write(state, true);
        tell(state);
      },
    };
  }

  #total(): number | null {
    const { length, size } = this.#source as { length?: unknown; size?: unknown };
    const total = this.#options.total ?? length ?? size;
    return typeof total === "number" && Number.isFinite(total) ? total : null;
  }

  #state(done: number, total: number | null, elapsed: number, finished: boolean): ProgressState {
    const rate = elapsed > 0 ? done / elapsed : 0;
    const hasRest = total !== null && !finished && done > 0;
    const values = { ...this.#values };
    let read: Record<string, number | string> | null = null;
    return {
      label: this.#label,
      done,
      total,
      fraction: total === null ? null : total === 0 ? 1 : Math.min(1, done / total),
      elapsed,
      rate,
      remaining: hasRest ? Math.max(0, total - done) / rate : null,
      finished,
      get values() {
        read ??= Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueOf(value)]));
        return read;
      },
    };
  }
}

/** A value to show; what cannot be read any more is a dash. */
function valueOf(value: number | string | Tensor): number | string {
  if (!(value instanceof Tensor)) return value;
  if (value.isDisposed) return "-";
  const item = value.size === 1 ? value.item() : String(value.shape);
  return typeof item === "number" || typeof item === "string" ? item : String(item);
}

/** Shows how far a loop over these items is. */
export function progress<T>(source: Iterable<T> | AsyncIterable<T>, options: ProgressOptions = {}): Progress<T> {
  return new Progress(source, options);
}

/** How far a loop is. */
export interface ProgressState {
  readonly label: string;
  /** Items that are done. */
  readonly done: number;
  /** How many there are; null if nobody knows. */
  readonly total: number | null;
  /** The part that is done, from 0 to 1; null if nobody knows. */
  readonly fraction: number | null;
  /** Seconds since the start. */
  readonly elapsed: number;
  /** Items in a second. */
  readonly rate: number;
  /** Seconds that are left; null if nobody knows. */
  readonly remaining: number | null;
  /** What was set, tensors as numbers. */
  readonly values: Readonly<Record<string, number | string>>;
  /** The loop is over. */
  readonly finished: boolean;
}

const barWidth = 20;

/** "0:07", "12:34" or "1:02:03". */
export function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = String(whole % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** A number as short as it is clear. */
export function short(value: number | string): string {
  if (typeof value === "string" || Number.isInteger(value) || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(4))) : value.toExponential(2);
}

const speed = ({ rate, done, elapsed }: ProgressState): string => {
  if (done === 0 || elapsed === 0) return "";
  return rate >= 1 ? `${short(Number(rate.toPrecision(3)))}/s` : `${short(Number((1 / rate).toPrecision(3)))} s each`;
};
const count = ({ done, total }: ProgressState): string => (total === null ? `${done}` : `${done}/${total}`);
const percent = (fraction: number): string => `${Math.floor(fraction * 100)}%`;
const shown = ({ values }: ProgressState): string[] =>
  Object.entries(values).map(([name, value]) => `${name} ${short(value)}`);
const time = ({ finished, remaining, elapsed }: ProgressState): string => {
  if (finished) return `in ${clock(elapsed)}`;
  return remaining === null ? "" : `${clock(remaining)} left`;
};

/** One line of a terminal with a bar, at most `columns` wide. */
function barLine(state: ProgressState, columns: number): string {
  const { label, fraction } = state;
  const filled = fraction === null ? 0 : Math.floor(fraction * barWidth);
  const bar =
    fraction === null ? "" : `${percent(fraction).padStart(4)} ${"█".repeat(filled)}${"░".repeat(barWidth - filled)}`;
  const parts = [label, bar, count(state), speed(state), time(state), ...shown(state)].filter((part) => part !== "");
  const characters = [...parts.join("  ")];
  return characters.length < columns
    ? characters.join("")
    : `${characters.slice(0, Math.max(columns - 2, 0)).join("")}…`;
}

/** The same as a sentence. */
function plainLine(state: ProgressState): string {
  const { label, fraction } = state;
  const part = fraction === null ? count(state) : `${count(state)} (${percent(fraction)})`;
  const rest = [part, speed(state), time(state), ...shown(state)].filter((text) => text !== "").join(", ");
  return label === "" ? rest : `${label}: ${rest}`;
}

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
function defaultOutput(): ProgressOutput {
  const { process } = globalThis as { process?: { stderr?: ProgressOutput } };
  const stream = process?.stderr;
  if (typeof stream?.write === "function") return stream;
  return { write: (text) => console.info(text.trimEnd()) };
}

/** An output that cannot fail. */
class SafeOutput {
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

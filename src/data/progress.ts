/**
 * The progress of a loop: `for (const batch of progress(loader))`. Shows a bar in a terminal and plain lines elsewhere, and dispatches the
 * event "progress" for web pages.
 *
 * Guarantees: items are unchanged; no timer runs, so nothing is shown between items; tensors passed to `set` are read only when they are
 * shown; errors of the output do not reach the loop.
 *
 * Progress is written to stderr if there is a process, separate from results, else to the console. A closed or broken output is not used
 * again.
 */
import { keep, noGrad, Tensor } from "../index.ts";
import { DataError, described } from "./checks.ts";

export interface ProgressOptions {
  /** The text before the bar. */
  readonly label?: string;
  /** The number of items. Default: the `length` or `size` of the source. */
  readonly total?: number;
  /** Shows progress after this number of items, regardless of time. */
  readonly every?: number;
  /** The output; null writes nothing. Default: stderr or the console. */
  readonly output?: ProgressOutput | null;
  /** Called when progress is shown. */
  readonly onProgress?: (state: ProgressState) => void;
}

/** Milliseconds between two updates of the bar, and between two lines. */
const barPause = 100;
const linePause = 1000;
/** The largest number of lines in a loop whose total is known. */
const lineParts = 10;

/** Values to show next to the bar. */
export type ProgressValues = Readonly<Record<string, number | string | Tensor>>;

/** A loop that shows its progress. */
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
        `progress: the first argument must be an iterable, such as a loader or a list, got ${described(source)}`,
      );
    if (every !== undefined && !(Number.isInteger(every) && every >= 1))
      throw new DataError(`progress: every must be a positive integer, got ${described(every)}`);
    if (total !== undefined && !(total >= 0))
      throw new DataError(`progress: total must be a non-negative number, got ${described(total)}`);
    this.#source = source;
    this.#options = options;
    this.#label = label;
  }

  /** Sets values to show next to the bar. Tensors of one element are read when they are shown. */
  set(values: ProgressValues): this {
    // Detached, so that the last loss does not keep its graph alive.
    for (const [name, value] of Object.entries(values))
      this.#values[name] = value instanceof Tensor ? noGrad(() => keep(value.detach())) : value;
    return this;
  }

  *[Symbol.iterator](): Generator<T, void, undefined> {
    const source = this.#source;
    if (!(Symbol.iterator in source))
      throw new DataError("progress: the items are asynchronous. Write for await (const item of progress(...))");
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
    let reported = start;
    let written = start;
    let writtenPart = 0;
    const partAt = (count: number): number => (total === null ? count : Math.floor((count * lineParts) / total));
    this.#values = {};

    const report = (state: ProgressState): void => {
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
        const isReported = isTurn || (every === undefined && now - reported >= barPause);
        const isLine = isTurn || (every === undefined && now - written >= linePause && partAt(done) > writtenPart);
        const isWritten = safe !== null && (safe.isTerminal ? isReported : isLine);
        // The end reports the last item.
        if ((!isReported && !isWritten) || done === total) return;
        const state = stateAt(now, false);
        if (isReported) {
          reported = now;
          report(state);
        }
        if (!isWritten) return;
        written = now;
        writtenPart = partAt(done);
        write(state, false);
      },
      end: () => {
        const state = stateAt(performance.now(), true);
        write(state, true);
        report(state);
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

/** A value to show; a disposed tensor is shown as a dash. */
function valueOf(value: number | string | Tensor): number | string {
  if (!(value instanceof Tensor)) return value;
  if (value.isDisposed) return "-";
  const item = value.size === 1 ? value.item() : String(value.shape);
  return typeof item === "number" || typeof item === "string" ? item : String(item);
}

/** Iterates over a source and shows the progress. */
export function progress<T>(source: Iterable<T> | AsyncIterable<T>, options: ProgressOptions = {}): Progress<T> {
  return new Progress(source, options);
}

/** The progress of a loop. */
export interface ProgressState {
  readonly label: string;
  /** The number of completed items. */
  readonly done: number;
  /** The number of items; null if unknown. */
  readonly total: number | null;
  /** The completed fraction, from 0 to 1; null if unknown. */
  readonly fraction: number | null;
  /** Seconds since the start. */
  readonly elapsed: number;
  /** Items per second. */
  readonly rate: number;
  /** Estimated seconds to the end; null if unknown. */
  readonly remaining: number | null;
  /** The values passed to `set`, tensors as numbers. */
  readonly values: Readonly<Record<string, number | string>>;
  /** True if the loop is over. */
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

/** A number with at most four digits. */
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

/** One line of plain text. */
function plainLine(state: ProgressState): string {
  const { label, fraction } = state;
  const part = fraction === null ? count(state) : `${count(state)} (${percent(fraction)})`;
  const rest = [part, speed(state), time(state), ...shown(state)].filter((text) => text !== "").join(", ");
  return label === "" ? rest : `${label}: ${rest}`;
}

/** An output of progress: a stream of Node, or a similar object. */
export interface ProgressOutput {
  write(text: string, done?: () => void): unknown;
  /** True for a terminal, whose line can be rewritten. */
  readonly isTTY?: boolean;
  /** The width of the terminal. */
  readonly columns?: number;
  readonly writable?: boolean;
  on?(event: "error", listener: () => void): unknown;
  off?(event: "error", listener: () => void): unknown;
}

/** The default output of the platform. */
function defaultOutput(): ProgressOutput {
  const { process } = globalThis as { process?: { stderr?: ProgressOutput } };
  const stream = process?.stderr;
  if (typeof stream?.write === "function") return stream;
  return { write: (text) => console.info(text.trimEnd()) };
}

/** An output whose errors are ignored. */
class SafeOutput {
  readonly #output: ProgressOutput;
  #isBroken = false;
  #isEnded = false;
  /** The number of pending writes. */
  #pending = 0;
  readonly #onWritten = (): void => {
    this.#pending--;
    this.#detach();
  };
  readonly #onError = (): void => {
    this.#isBroken = true;
  };

  constructor(output: ProgressOutput) {
    this.#output = output;
    // A stream reports a closed pipe later, by an event that would end the process.
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

  /** Writes the last text. */
  end(text: string): void {
    this.write(text);
    this.#isEnded = true;
    this.#detach();
  }

  /** Removes the listener when all is written; not immediately, because the error event follows the callback. */
  #detach(): void {
    if (this.#isEnded && this.#pending === 0) queueMicrotask(() => this.#output.off?.("error", this.#onError));
  }
}

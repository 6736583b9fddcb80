/** A loop's progress as text: a bar for a terminal's line, or a plain sentence. */

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

/** One line of a terminal with a bar, at most so many columns wide. */
export function barLine(state: ProgressState, columns: number): string {
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
export function plainLine(state: ProgressState): string {
  const { label, fraction } = state;
  const part = fraction === null ? count(state) : `${count(state)} (${percent(fraction)})`;
  const rest = [part, speed(state), time(state), ...shown(state)].filter((text) => text !== "").join(", ");
  return label === "" ? rest : `${label}: ${rest}`;
}

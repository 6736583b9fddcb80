/** Formats the result of a race: a table for people, one line of JSON for programs. Ratios are those of medians. */
import type { Row } from "../rows/row.ts";
import type { Result, Time } from "./race.ts";

const perUnit = { ms: 1e6, ns: 1 } as const;

const rounded = (value: number): number => Number(value.toPrecision(4));

/** `{"row", "unit", "stridewise", "peers": {name: value}, "ratio": {name: how many times faster we are}}` */
export function jsonLine(row: Row, { times }: Result): string {
  const ours = times.find(({ name }) => name === "stridewise");
  const peers = times.filter(({ name }) => name !== "stridewise");
  const entries = (value: (time: Time) => number) =>
    Object.fromEntries(peers.map((time) => [time.name, rounded(value(time))]));
  return JSON.stringify({
    row: row.name,
    unit: row.unit,
    stridewise: ours ? rounded(ours.median / perUnit[row.unit]) : null,
    peers: entries((time) => time.median / perUnit[row.unit]),
    ratio: ours ? entries((time) => time.median / ours.median) : {},
  });
}

/** The row as lines of a table: median, minimum, how many times faster we are. */
export function tableOf(row: Row, { times, absent }: Result): string {
  const ours = times.find(({ name }) => name === "stridewise");
  const shown = (nanoseconds: number): string =>
    rounded(nanoseconds / perUnit[row.unit])
      .toString()
      .padStart(9);
  const lines = times.map((time) => {
    const ratio = ours && time !== ours ? `${(time.median / ours.median).toFixed(2)}x`.padStart(10) : " ".repeat(10);
    return `  ${time.name.padEnd(11)}${shown(time.median)}${shown(time.minimum)}${ratio}  ${time.version}`;
  });
  const missing = absent.map(({ name, absent: why }) => `  ${name.padEnd(11)}   absent: ${why}`);
  return [
    `${row.name}: ${row.title} (${row.unit}: median, minimum, times slower than stridewise)`,
    ...lines,
    ...missing,
  ].join("\n");
}

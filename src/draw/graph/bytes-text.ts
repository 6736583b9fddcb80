/** Numbers of bytes as texts, for pictures and tables. */

/** 1536 as "1.5 kB". */
export function bytesText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let unit = 0;
  let value = bytes;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : Number(value.toPrecision(3))} ${units[unit]}`;
}

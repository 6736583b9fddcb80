/** Reads one file of a tar archive (POSIX ustar, with the extended headers for long names that npm writes). */

const blockSize = 512;

/** The content of the file with this path; null if the archive does not have it. */
export function fileInTar(archive: Uint8Array, path: string): Uint8Array | null {
  let longName: string | null = null;
  for (let at = 0; at + blockSize <= archive.length; ) {
    const header = archive.subarray(at, at + blockSize);
    if (header.every((byte) => byte === 0)) return null;
    const size = Number.parseInt(textOf(header, 124, 12).trim() || "0", 8);
    if (!Number.isSafeInteger(size) || size < 0) throw new Error(`fileInTar: the archive is damaged at byte ${at}`);
    const type = String.fromCharCode(header[156] as number);
    const content = archive.subarray(at + blockSize, at + blockSize + size);
    const prefix = textOf(header, 345, 155);
    const name = longName ?? (prefix === "" ? "" : `${prefix}/`) + textOf(header, 0, 100);
    // An extended header describes the entry after it.
    longName = type === "x" ? pathIn(new TextDecoder().decode(content)) : null;
    if ((type === "0" || type === "\0") && name === path) return content;
    at += blockSize + Math.ceil(size / blockSize) * blockSize;
  }
  return null;
}

/** The path in the records of an extended header: "<length> path=<value>\n". */
const pathIn = (records: string): string | null => /^\d+ path=(.*)$/m.exec(records)?.[1] ?? null;

/** A field of a header, which ends at the first zero byte. */
function textOf(header: Uint8Array, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end));
}

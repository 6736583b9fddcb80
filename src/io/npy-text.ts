/**
 * Arrays of strings in NumPy's .npy format, dtype `<U` and the largest number of characters: four bytes for each character, strings padded with
 * NUL. This library has no tensors of strings; ONNX models have them as outputs.
 */
import { FileError, quoted } from "./file-error.ts";
import { npyHeader } from "./npy.ts";

/** The parts of an .npy file with strings, in row-major order. */
export function npyTextParts(who: string, shape: readonly number[], texts: readonly string[]): Uint8Array[] {
  const ending = texts.find((text) => text.endsWith("\0"));
  if (ending !== undefined)
    throw new FileError(`${who}: ${quoted(ending)} ends with NUL, which NumPy removes from strings. Write it as JSON.`);
  const points = texts.map((text) => [...text]);
  const width = points.reduce((longest, { length }) => Math.max(longest, length), 1);
  const data = new DataView(new ArrayBuffer(4 * width * texts.length));
  for (const [k, characters] of points.entries())
    for (const [j, character] of characters.entries())
      data.setUint32(4 * (k * width + j), character.codePointAt(0) as number, true);
  return [npyHeader(who, `<U${width}`, shape, "C"), new Uint8Array(data.buffer)];
}

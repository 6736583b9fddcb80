/** Bool bytes at every alignment and length, with the odd one at every place. */
import { expect, test } from "vitest";
import { normalizeBools } from "./raw-array.ts";

test("every byte that is not 0 becomes 1, and honest bytes are not copied", () => {
  for (let start = 0; start < 5; start++)
    for (let length = 0; length < 14; length++)
      for (let odd = -1; odd < length; odd++) {
        const bytes = new Uint8Array(new ArrayBuffer(32), start, length).fill(1, length >> 1);
        if (odd >= 0) bytes[odd] = odd % 2 === 0 ? 2 : 0x80;
        const result = normalizeBools(bytes);
        expect(Array.from(result)).toEqual(Array.from(bytes, (byte) => (byte === 0 ? 0 : 1)));
        expect(result === bytes).toBe(odd === -1);
      }
});

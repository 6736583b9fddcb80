/** Copies of bytes at every pair of alignments, between shared and unshared memory. */
import { expect, test } from "vitest";
import { setBytes } from "./set-bytes.ts";

/** Pages without isolation have no shared memory. */
const kinds =
  typeof SharedArrayBuffer === "undefined"
    ? { unshared: ArrayBuffer }
    : { unshared: ArrayBuffer, shared: SharedArrayBuffer };

test("setBytes copies exactly the bytes of the source, at any alignment of either side", () => {
  for (const [fromKind, From] of Object.entries(kinds))
    for (const [toKind, To] of Object.entries(kinds))
      for (const count of [0, 1, 2047, 2048, 4096, 4097, 9001])
        for (let from = 0; from < 9; from++)
          for (const at of [0, 1, 4, 8, 13]) {
            const source = new Uint8Array(new From(count + 16)).map((_, i) => (i * 131 + 7) % 251);
            const target = new Uint8Array(new To(count + 40)).fill(255);
            const window = target.subarray(3);
            setBytes(window, at, source.subarray(from, from + count));
            const expected = new Uint8Array(count + 40).fill(255);
            expected.set(source.subarray(from, from + count), 3 + at);
            const where = `${count} bytes, ${fromKind} + ${from} to ${toKind} + ${3 + at}`;
            expect(
              target.every((byte, i) => byte === expected[i]),
              where,
            ).toBe(true);
          }
});

/**
 * Files that were damaged at random. Each gives a FileError or an answer that keeps its promises, in a time and with a memory that the size of
 * the file bounds; no other error is ever thrown.
 */
import { expect, test } from "vitest";
import { mutate, recorded, seededRandom } from "../../test/support/files.ts";
import { dtypes } from "../storage/dtype.ts";
import { FileError } from "./file-error.ts";
import { encodeNpy, parseNpy } from "./npy.ts";
import { encodeNpz, encodeNpzCompressed, parseNpz } from "./npz.ts";
import type { RawArray } from "./raw-array.ts";
import { encodeSafetensors, parseSafetensors } from "./safetensors.ts";

const cases = 20_000;

/** An array read from a file of `size` bytes: no larger than the file can hold, and of the size that its shape says. */
function checkArray({ dtype, shape, order, bytes }: RawArray, largest: number): void {
  expect(["C", "F"]).toContain(order);
  expect(bytes.length).toBe(shape.reduce((a, b) => a * b, dtypes[dtype].itemsize));
  expect(bytes.length).toBeLessThanOrEqual(largest);
}

/** Runs the reader on damaged copies of the files; gives how many were read all the same. */
function fuzz(
  seed: number,
  files: readonly Uint8Array[],
  reachOf: (file: Uint8Array) => number,
  read: (f: Uint8Array) => void,
): number {
  const random = seededRandom(seed);
  let answers = 0;
  for (let i = 0; i < cases; i++) {
    const file = files[i % files.length] as Uint8Array;
    const damaged = mutate(file, reachOf(file), random);
    try {
      read(damaged);
      answers++;
    } catch (error) {
      if (!(error instanceof FileError)) throw new Error(`case ${i}: ${String(error)}`, { cause: error });
      expect(error.message).toMatch(/^parse\w+: /);
    }
  }
  return answers;
}

test("20,000 damaged .npy files", { timeout: 60_000 }, () => {
  const files = ["d_lef4.npy", "fortran.npy", "v2.npy", "v3.npy", "d_bei4.npy", "d_bool.npy"].map((f) =>
    recorded(`npy/${f}`),
  );
  const answers = fuzz(
    21,
    files,
    () => 75,
    (file) => {
      const array = parseNpy(file);
      checkArray(array, file.length);
      expect(parseNpy(encodeNpy(array)).bytes).toEqual(array.bytes);
    },
  );
  expect(answers).toBeGreaterThan(500);
});

test("20,000 damaged .npz files", { timeout: 60_000 }, async () => {
  const small = parseNpz(recorded("npy/two.npz"));
  const files = [
    recorded("npy/two.npz"),
    recorded("npy/two_c.npz"),
    encodeNpz(small, { zip64: true }),
    await encodeNpzCompressed(small),
    // Larger than the window of the decompression, so that it arrives in pieces.
    await encodeNpzCompressed({
      large: { dtype: "bool", shape: [140_000], order: "C", bytes: new Uint8Array(140_000) },
    }),
  ];
  const answers = fuzz(
    22,
    files,
    (file) => file.length,
    (file) => {
      for (const array of parseNpz(file).values()) checkArray(array, file.length * 1032);
    },
  );
  expect(answers).toBeGreaterThan(100);
});

test("20,000 damaged safetensors files", { timeout: 60_000 }, () => {
  const names = ["B", "e", "f", "d"];
  const files = names.map((name) => recorded(`safetensors/${name}.safetensors`));
  files.push(recorded("safetensors/overall.safetensors"));
  const answers = fuzz(
    23,
    files,
    (file) => file.length - 30,
    (file) => {
      const { tensors, metadata } = parseSafetensors(file);
      let total = 0;
      for (const tensor of tensors.values()) {
        checkArray(tensor, file.length);
        total += tensor.bytes.length;
      }
      // The tensors fill the file after its header.
      expect(total).toBe(file.length - 8 - (file[0] as number) - 256 * (file[1] as number));
      const again = parseSafetensors(encodeSafetensors(tensors, metadata));
      expect([again.metadata, new Set(again.tensors.keys())]).toEqual([metadata, new Set(tensors.keys())]);
    },
  );
  expect(answers).toBeGreaterThan(500);
});

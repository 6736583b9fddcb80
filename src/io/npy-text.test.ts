/** .npy files of strings have the bytes that NumPy writes. */
import { expect, test } from "vitest";
import { npyTextParts } from "./npy-text.ts";
import { joinParts } from "./raw-array.ts";

/** The characters of each string, after a header of `header` bytes. */
const charactersOf = (bytes: Uint8Array, header: number): number[] => [...new Uint32Array(bytes.slice(header).buffer)];

test("strings are padded to the longest one, in code points", () => {
  const bytes = joinParts(npyTextParts("test", [2, 2], ["a", "", "\u{1f600}é", "xyz"]));
  expect(new TextDecoder("latin1").decode(bytes.subarray(10, 127)).trimEnd()).toBe(
    "{'descr': '<U3', 'fortran_order': False, 'shape': (2, 2), }",
  );
  expect(charactersOf(bytes, 128)).toEqual([0x61, 0, 0, 0, 0, 0, 0x1f600, 0xe9, 0, 0x78, 0x79, 0x7a]);
});

test("an array of empty strings, or without strings, has one character for each", () => {
  expect(charactersOf(joinParts(npyTextParts("test", [2], ["", ""])), 128)).toEqual([0, 0]);
  expect(joinParts(npyTextParts("test", [0], []))).toHaveLength(128);
});

test("a string that ends with NUL throws, because NumPy would shorten it", () => {
  expect(() => npyTextParts("test", [1], ["a\0"])).toThrow("ends with NUL");
});

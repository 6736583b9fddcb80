/** Results whose size follows from the values of arguments: what exceeds memory is refused at once, with its bytes. */
import {
  bincount,
  cartesianProd,
  combinations,
  fft,
  geomspace,
  histc,
  histogram,
  histogramdd,
  multinomial,
  oneHot,
  ones,
  repeatInterleave,
  StorageError,
  tensor,
  trilIndices,
  triuIndices,
  windows,
} from "stridewise";
import { expect, test } from "vitest";

const int32 = (values: number[]) => tensor(values, { dtype: "int32" });
const max = 2 ** 31 - 1;

test.each<[text: string, bytes: number, call: () => unknown]>([
  ["bincount of a large value", 2 ** 34, () => bincount(int32([1, max]))],
  ["bincount with a large minlength", 8 * max, () => bincount(int32([1]), { minlength: max })],
  ["cartesianProd", 2e10, () => cartesianProd([ones([50000]), ones([50000])])],
  ["combinations", 60000 * 59999 * 4, () => combinations(ones([60000]))],
  ["fftfreq", 2 ** 33, () => fft.fftfreq(2 ** 31)],
  ["rfftfreq", 2 ** 33, () => fft.rfftfreq(2 ** 32)],
  ["geomspace", 2 ** 33, () => geomspace(1, 2, 2 ** 31)],
  ["histc", 4 * max, () => histc(ones([3]), max)],
  ["histogram", 2 ** 33, () => histogram(ones([3]), max)],
  ["histogramdd", 4e10, () => histogramdd(ones([3, 2]), [99999, 99999])],
  ["multinomial", 8e9, () => multinomial(tensor([0.5, 0.5]), 1e9, true)],
  ["oneHot of a large class", 2 ** 34, () => oneHot(int32([max]))],
  ["oneHot with many classes", 8 * max, () => oneHot(int32([1]), max)],
  ["repeatInterleave", 2 ** 34, () => repeatInterleave(ones([2]), int32([max, 1]))],
  ["trilIndices", 8 * 40000 * 20000.5, () => trilIndices(40000, 40000)],
  ["triuIndices", 8 * 40000 * 20000.5, () => triuIndices(40000, 40000)],
  ["a window", 2 ** 33, () => windows.hann(2 ** 31)],
])("%s is refused for %d bytes", (_, bytes, call) => {
  const started = performance.now();
  expect(call).toThrow(StorageError);
  expect(call).toThrow(`the result needs ${bytes} bytes, at most 2^32 (4 GiB) are possible. Compute in smaller parts.`);
  expect(performance.now() - started).toBeLessThan(1000);
});

test("numbers of rows that int32 cannot hold are refused", () => {
  expect(() => trilIndices(2 ** 31, 1, -(2 ** 31))).toThrow("trilIndices: rows and columns must be integers from 0");
  expect(trilIndices(2 ** 31 - 1, 1, 2 - 2 ** 31).toArray()).toEqual([[max - 1], [0]]);
});

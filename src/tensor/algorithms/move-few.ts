/** Copies of few elements of one dtype between strided tensors, by a loop here instead of a kernel. */
import type { FlatLayout } from "../../layout/flat.ts";
import { areApart } from "../../storage/byte-range.ts";
import { dtypes } from "../../storage/dtype.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Tensor } from "../tensor.ts";

/** For at most this many elements a loop takes less time than building a program. */
const fewElements = 256;

/**
 * Copies all elements along the modes of both, the run first. Returns false, and copies none, if there are many, if the storages
 * share bytes, or if elements are not aligned.
 */
export function moveFew(
  source: Tensor,
  read: Storage,
  destination: Tensor,
  written: Storage,
  modes: FlatLayout,
): boolean {
  if (destination.size > fewElements) return false;
  const memory = written.writable();
  if (!areApart(written, read)) return false;
  const { itemsize } = dtypes[source.dtype];
  // As integers: moving floats could change the bits of a NaN.
  const kind = itemsize === 1 ? "u8" : itemsize === 2 ? "u16" : "i32";
  const words = itemsize <= 4 ? 1 : itemsize / 4;
  const wordBytes = itemsize / words;
  let from = (read.byteOffset + source.start * itemsize) / wordBytes;
  let to = (written.byteOffset + destination.start * itemsize) / wordBytes;
  if (!Number.isInteger(from) || !Number.isInteger(to)) return false;
  const [input, output] = [read.readable().array(kind), memory.array(kind)];
  const { sizes, strides } = modes;
  const [inSteps, outSteps] = strides;
  const run = sizes[0] * words;
  const turns = new Array<number>(sizes.length).fill(0);
  for (;;) {
    for (let i = 0; i < run; i++) output[to + i] = input[from + i];
    let d = 1;
    for (; d < sizes.length; d++) {
      from += inSteps[d] * words;
      to += outSteps[d] * words;
      if (++turns[d] < sizes[d]) break;
      turns[d] = 0;
      from -= sizes[d] * inSteps[d] * words;
      to -= sizes[d] * outSteps[d] * words;
    }
    if (d === sizes.length) return true;
  }
}

/**
 * A loop that creates temporary tensors of 1 MB and disposes none, without a turn of the event loop and without any
 * scope. Prints the peak of resident memory, in MB, and the bytes outside the heap.
 */
import { full, memoryStatistics } from "../../../src/index.ts";

let sum = 0;
for (let i = 0; i < 20_000; i++) {
  const t = full([512, 512], i & 255);
  sum += t.T.at(5).get(7);
}
const { reserved, overflow } = memoryStatistics();
console.log(JSON.stringify({ peak: process.resourceUsage().maxRSS / 1024, reserved, overflow, sum }));

/**
 * A loop that allocates temporaries of 1 MB and keeps none, without a turn of the event loop. Prints the peak of
 * resident memory, in MB, and the bytes outside the heap.
 */
import { memoryStatistics, Storage } from "../../../src/storage/storage.ts";

let sum = 0;
for (let i = 0; i < 20_000; i++) {
  const storage = Storage.allocate(2 ** 20);
  const bytes = storage.writable().array("u8");
  // Memory counts as resident once it is written to.
  bytes.fill(i & 255, storage.byteOffset, storage.byteOffset + 2 ** 20);
  sum += bytes[storage.byteOffset + 5] as number;
}
const { reserved, overflow } = memoryStatistics();
console.log(JSON.stringify({ peak: process.resourceUsage().maxRSS / 1024, reserved, overflow, sum }));

/**
 * Temporaries of 1 MB with a turn of the event loop after each, none released: nothing but forced collections makes
 * the engine collect. Prints the peak of resident memory, in MB, and the collections.
 */
import { memoryStatistics, Storage } from "../../../src/storage/storage.ts";

for (let i = 0; i < 4000; i++) {
  const storage = Storage.allocate(2 ** 20);
  storage
    .writable()
    .array("u8")
    .fill(1, storage.byteOffset, storage.byteOffset + 2 ** 20);
  await new Promise((resolve) => setImmediate(resolve));
}
const { reserved, collections } = memoryStatistics();
console.log(JSON.stringify({ peak: process.resourceUsage().maxRSS / 1024, reserved, collections }));

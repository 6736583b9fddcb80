/**
 * A million small storages made and dropped, a thousand to a turn of the event loop. At the end live bytes must be what
 * they were. Prints them, and the most there were; with `--expose-gc` it collects at the end.
 */
import { memoryStatistics, Storage } from "../../../src/storage/storage.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const storage = Storage.allocate(2 ** 20);
const start = memoryStatistics();
for (let i = 0; i < 1000; i++) {
  for (let j = 0; j < 1000; j++) Storage.allocate(8 + ((7 * i + j) % 1000));
  await turn();
}
const { gc } = globalThis as { gc?: () => void };
for (let i = 0; i < 400 && memoryStatistics().live > start.live; i++) {
  if (gc) gc();
  // Without gc(), large buffers make the engine collect.
  else new ArrayBuffer(2 ** 27);
  await turn();
}
const end = memoryStatistics();
console.log(
  JSON.stringify({ start: start.live, live: end.live, count: end.count, peak: end.peak, kept: storage.nbytes }),
);

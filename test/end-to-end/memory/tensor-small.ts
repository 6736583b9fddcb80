/**
 * A million small tensors and views of them made and dropped, a thousand to a turn of the event loop. At the end live bytes must
 * be what they were. Prints them, and the most there were; with `--expose-gc` it collects at the end.
 */
import { memoryStatistics, tensor, zeros } from "../../../src/index.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const survivor = zeros([2 ** 18]);
const start = memoryStatistics();
let sum = 0;
/** A function of its own, because the frame of an async one keeps the last tensor alive while it waits. */
function round(i: number): void {
  for (let j = 0; j < 500; j++) {
    const small = zeros([1 + ((7 * i + j) % 200)]);
    sum += small.view([-1, 1]).T.size + tensor([i, j]).get(1);
  }
}
for (let i = 0; i < 1000; i++) {
  round(i);
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
const { live, count, peak } = end;
console.log(JSON.stringify({ start: start.live, live, count, peak, kept: survivor.nbytes, sum }));

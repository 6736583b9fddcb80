/**
 * Messages between threads: they survive structured cloning and a worker, carry no more than the elements, and bad ones are refused.
 */
import { Worker } from "node:worker_threads";
import { arange, counting, type DType, fromMessage, makeTensor, tensor, transferList, zeros } from "stridewise";
import { expect, test } from "vitest";
import { dtypeNames } from "../../storage/dtype.ts";

test.each(dtypeNames)("a %s tensor survives structured cloning", (dtype: DType) => {
  const t = tensor(
    [
      [1, 0, 1],
      [0, 0, 1],
    ],
    { dtype },
  ).T;
  const back = fromMessage(structuredClone(t.toMessage()));
  expect([back.dtype, back.shape, back.toArray()]).toEqual([dtype, [3, 2], t.toArray()]);
  expect([back.ownership, back.stride]).toEqual(["owning", [2, 1]]);
});

test("names, labels, scalars and empty tensors survive too", () => {
  const t = zeros([2, 0], { names: ["a", null] });
  t.label = "weights";
  const back = fromMessage(structuredClone(t.toMessage()));
  expect([back.shape, back.names, back.label]).toEqual([[2, 0], ["a", null], "weights"]);
  expect(fromMessage(tensor(5).toMessage()).item()).toBe(5);
});

test("a message holds the elements of a view, and not the memory around them", () => {
  const message = arange(1000).narrow(0, 10, 3).toMessage();
  expect([message.buffer.byteLength, message.buffer instanceof ArrayBuffer]).toEqual([12, true]);
  const t = tensor([1, 2]);
  const own = t.toMessage();
  t.fill_(9);
  const back = fromMessage(own);
  back.fill_(3);
  expect([...new Float32Array(own.buffer)]).toEqual([1, 2]);
});

test("a tensor whose elements are computed becomes a message of its values", () => {
  expect(fromMessage(makeTensor(counting(3), [2, 2]).toMessage()).toArray()).toEqual([
    [3, 5],
    [4, 6],
  ]);
});

test("transferList finds the buffers of all messages in a value", () => {
  const [a, b] = [zeros([2]).toMessage(), zeros([3]).toMessage()];
  expect(transferList({ a, list: [b, a], other: new Float32Array(2) })).toEqual([a.buffer, b.buffer]);
});

test("a worker gets a tensor without the heap", async () => {
  const source =
    "require('worker_threads').parentPort.once('message', (m) => require('worker_threads').parentPort.postMessage({ ...m, buffer: m.buffer, size: m.buffer.byteLength }));";
  const worker = new Worker(source, { eval: true });
  const message = tensor([
    [1, 2],
    [3, 4],
  ]).toMessage();
  const answer = new Promise<typeof message & { size: number }>((resolve) => worker.once("message", resolve));
  worker.postMessage(message, [message.buffer]);
  const back = await answer;
  await worker.terminate();
  expect([back.size, fromMessage(back).toArray()]).toEqual([
    16,
    [
      [1, 2],
      [3, 4],
    ],
  ]);
  expect(() => fromMessage(message)).toThrow("it was transferred to another thread");
});

test("invalid messages throw", () => {
  const good = zeros([2]).toMessage();
  expect(() => fromMessage({} as never)).toThrow("fromMessage: needs a message from toMessage()");
  expect(() => fromMessage({ ...good, dtype: "float" as never })).toThrow('fromMessage: "float" is not a dtype');
  expect(() => fromMessage({ ...good, shape: [3] })).toThrow(
    "shape [3] of float32 takes 12 bytes, but the buffer has 8",
  );
  expect(() => fromMessage({ ...good, shape: [-2] })).toThrow("-2 is not a size");
});

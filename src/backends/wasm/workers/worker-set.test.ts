/** Words keep their packed values, and the fields of the mailbox do not overlap. */
import { expect, test } from "vitest";
import {
  countBits,
  countMask,
  mailboxBytes,
  maxWorkers,
  nextSequence,
  pack,
  recordOf,
  sequenceOf,
  textBytes,
  word,
} from "./worker-set.ts";

const lastSequence = 2 ** (32 - countBits) - 1;

test("a word holds a sequence and a count, and round-trips through shared memory", () => {
  const words = new Int32Array(1);
  for (const sequence of [0, 1, 2 ** 19 - 1, 2 ** 19, lastSequence])
    for (const count of [0, 1, countMask]) {
      words[0] = pack(sequence, count);
      expect(words[0]).toBe(pack(sequence, count));
      expect([sequenceOf(words[0]), words[0] & countMask]).toEqual([sequence, count]);
      // Taking a chunk changes the count alone.
      if (count > 0) expect(pack(sequence, count) - 1).toBe(pack(sequence, count - 1));
    }
});

test("sequences follow each other and wrap", () => {
  expect([nextSequence(0), nextSequence(2 ** 19), nextSequence(lastSequence)]).toEqual([1, 2 ** 19 + 1, 0]);
});

test("no two fields share a word, and all are in the mailbox", () => {
  const taken = new Set<number>();
  const take = (first: number, count: number): void => {
    for (let i = first; i < first + count; i++) {
      expect(taken.has(i), `word ${i}`).toBe(false);
      expect(i).toBeLessThan(mailboxBytes / 4);
      taken.add(i);
    }
  };
  const { claim, done, waiting, kernel, code, codeLength, args, units, chunk, chunks, error } = word;
  for (const one of [claim, done, waiting, kernel, code, codeLength, args, units, chunk, chunks, error]) take(one, 1);
  take(word.text, textBytes / 4);
  for (let worker = 1; worker <= maxWorkers; worker++) take(recordOf(worker), word.recordWords);
  for (const one of [word.hold, word.started, word.mail]) expect(one).toBeLessThan(word.recordWords);
  // The length of an error's text stands where counts do.
  expect(textBytes).toBeLessThan(countMask);
  // What different threads write at the same time lies in different lines of 64 bytes.
  const lines = [claim, done, kernel, recordOf(1), recordOf(2), recordOf(maxWorkers)].map((one) => one >> 4);
  expect(new Set(lines).size).toBe(lines.length);
});

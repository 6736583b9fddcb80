/**
 * The mailbox: the words of shared memory by which the calling thread and the workers of a pool talk.
 *
 * One word, `claim`, holds (sequence of the job, chunks that nobody has taken); a chunk is taken by compare-exchange from left
 * to left - 1. `done` holds (sequence, chunks that workers have finished). The fields of a job are plain words, written before its
 * `claim` word and unchanged until every taken chunk is finished. Workers get these positions with their first message.
 */

/** Bytes of a mailbox. */
export const mailboxBytes = 4032;

/** Low bits of `claim` and `done` that count chunks; the sequence is above, and wraps. */
export const countBits = 12;
export const countMask = (1 << countBits) - 1;
const sequenceMask = (1 << (32 - countBits)) - 1;

/** Where each word lies, counted in words; what threads write at the same time lies in different lines of cache. */
export const word = {
  claim: 0,
  done: 16,
  /** 1 while the calling thread sleeps on `done`. */
  waiting: 17,
  kernel: 32,
  code: 33,
  codeLength: 34,
  args: 35,
  units: 36,
  chunk: 37,
  chunks: 38,
  /** 0, or (sequence, length of the text) of the first error in a worker. */
  error: 48,
  text: 64,
  /** The record of the first worker. */
  records: 192,
  recordWords: 16,
  /** Within a record: the `claim` word that the worker takes a chunk from, written before it tries, or 0. */
  hold: 0,
  /** Within a record: 1 once the worker has started. */
  started: 1,
  /** Within a record: how many messages were posted to the worker since its first. */
  mail: 2,
} as const;

/** Bytes that the text of an error may have. */
export const textBytes = (word.records - word.text) * 4;

/** Workers that fit into a mailbox. */
export const mostWorkers = Math.floor((mailboxBytes / 4 - word.records) / word.recordWords);

/** The word of a sequence and a count. */
export const pack = (sequence: number, count: number): number => (sequence << countBits) | count;

/** The sequence of a word. */
export const sequenceOf = (packed: number): number => packed >>> countBits;

/** The sequence after this one: 0 after the last. */
export const nextSequence = (sequence: number): number => (sequence + 1) & sequenceMask;

/** The first word of a worker's record; workers count from 1, because 0 is the calling thread. */
export const recordOf = (worker: number): number => word.records + (worker - 1) * word.recordWords;

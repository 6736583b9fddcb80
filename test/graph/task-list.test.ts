/** The index of tasks by storage gives what a search over all tasks gives, even after tasks are replaced and removed. */
import { expect, test } from "vitest";
import { boot } from "../../src/boot.ts";
import { mayShareBytes } from "../../src/graph/fuse/overlap.ts";
import { TaskList } from "../../src/graph/fuse/task-list.ts";
import type { Task } from "../../src/graph/lower/tasks.ts";
import { Storage } from "../../src/storage/storage.ts";
import { numbersFrom } from "../support/seeded-numbers.ts";

boot();

const indices = (list: TaskList): number[] => Array.from({ length: list.length }, (_, k) => k);

/** Compares every question with its definition. */
function check(list: TaskList, storages: readonly Storage[]): void {
  const [readsOf, writesOf] = (["reads", "writes"] as const).map(
    (which) =>
      (k: number): readonly Storage[] =>
        (list.storagesAt(k)?.[which] ?? []) as readonly Storage[],
  );
  const shares = (k: number, storage: Storage, which: typeof readsOf): boolean =>
    which(k).some((each) => mayShareBytes(each, storage));
  for (const at of indices(list))
    for (const storage of storages) {
      const after = indices(list).filter((k) => k > at);
      const end = after.find((k) => writesOf(k).includes(storage)) ?? Infinity;
      const readers = after.filter((k) => k <= end && readsOf(k).includes(storage));
      expect(list.usersOf(at, storage)).toEqual({ readers, isWrittenAgain: end < Infinity });
      expect(list.isWrittenBefore(at, storage)).toBe(
        indices(list).some((k) => k < at && writesOf(k).includes(storage)),
      );
      const touching = after.find((k) => shares(k, storage, readsOf) || shares(k, storage, writesOf)) ?? Infinity;
      expect(list.nextTouching(at, storage)).toBe(touching);
      for (const to of after)
        expect(list.isDisturbed(at, to, [storage])).toBe(after.some((k) => k <= to && shares(k, storage, writesOf)));
    }
}

test("answers equal a search over all tasks", () => {
  for (let seed = 1; seed <= 40; seed++) {
    const next = numbersFrom(seed);
    // The first one shares bytes with the others.
    const buffer = new ArrayBuffer(256);
    const addressed = [
      [0, 256],
      [0, 64],
      [128, 64],
    ].map(([from, bytes]) => Storage.fromBuffer(buffer, from, bytes));
    const storages = [...Array.from({ length: 4 }, (_, k) => Storage.inWorkspace(64, 128 * k)), ...addressed];
    const some = (count: number): Storage[] =>
      Array.from({ length: next(count) }, () => storages[next(storages.length)]);
    const task = (): Task => ({ kind: "other", name: "task", reads: some(3), writes: some(3), lower: () => undefined });
    const list = new TaskList(Array.from({ length: 9 }, task));
    check(list, storages);
    for (let step = 0; step < 4; step++) {
      const k = next(list.length);
      const replacement = next(2) === 0 ? null : task();
      list.set(k, replacement);
      expect(list.at(k)).toBe(replacement);
      check(list, storages);
    }
    expect(list.rest).toEqual(indices(list).flatMap((k) => list.at(k) ?? []));
    for (const storage of addressed) storage.release();
  }
});

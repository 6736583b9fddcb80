/**
 * Things made once per length and kept while there is room: the least recently used leave first.
 * A thing larger than all the room is given and not kept.
 */

/** What is kept, oldest use first, and the sum of its sizes. */
export interface Recent<T> {
  readonly entries: Map<number, { readonly value: T; readonly size: number }>;
  readonly room: number;
  used: number;
}

/** The thing of length n, made if it is not kept. */
export function recall<T>(recent: Recent<T>, n: number, make: (n: number) => T, sizeOf: (value: T) => number): T {
  const { entries, room } = recent;
  let entry = entries.get(n);
  if (entry === undefined) {
    const value = make(n);
    entry = { value, size: sizeOf(value) };
    if (entry.size > room) return value;
    recent.used += entry.size;
  } else entries.delete(n);
  entries.set(n, entry);
  for (const [oldest, { size }] of entries) {
    if (recent.used <= room) break;
    entries.delete(oldest);
    recent.used -= size;
  }
  return entry.value;
}

/**
 * Values that are computed when they are first asked for: under a key of a map, or a single one.
 */

/** A Map or a WeakMap. */
interface Filled<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** What the map holds under a key, made and kept if it holds nothing yet. */
export function remember<K, V>(map: Filled<K, V>, key: K, make: (key: K) => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  map.set(key, made);
  return made;
}

/** A function that computes a value at its first call, and returns that value from then on. */
export function once<T extends object | string | null>(compute: () => T): () => T {
  let value: T | undefined;
  return () => {
    if (value === undefined) value = compute();
    return value;
  };
}

/**
 * Values that are computed at first use: under a key of a map, or a single value.
 */

/** A Map or a WeakMap. */
interface AnyMap<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** Returns the value of a key, after computing and storing it if the map does not have it. */
export function getOrCompute<K, V>(map: AnyMap<K, V>, key: K, make: (key: K) => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make(key);
  map.set(key, value);
  return value;
}

/** A function that computes a value at its first call, and returns that value from then on. */
export function once<T extends object | string | null>(compute: () => T): () => T {
  let value: T | undefined;
  return () => {
    if (value === undefined) value = compute();
    return value;
  };
}

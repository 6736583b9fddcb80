/**
 * Maps that fill themselves: the value under a key is made when it is first asked for.
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

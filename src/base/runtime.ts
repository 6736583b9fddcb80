/**
 * The mutable state of the library. Each file with state owns one record of it, under the file's name, and holds a reference to that record,
 * so reading state is a field access. Two copies of the package in one process have a runtime each and share nothing.
 */

export class Runtime {
  readonly #records = new Map<string, object>();

  /** Adds the record of a file, and returns it. */
  own<T extends object>(file: string, record: T): T {
    this.#records.set(file, record);
    return record;
  }

  /** Returns all records by the names of their files. */
  get records(): ReadonlyMap<string, object> {
    return this.#records;
  }
}

export const runtime: Runtime = /* @__PURE__ */ new Runtime();

/**
 * The epoch: a number that changes whenever programs that were built before may no longer be run, because of another backend, another
 * configuration or another default dtype. A cache compares it with the number at which an entry was built.
 */
export const epoch: { now: number } = /* @__PURE__ */ runtime.own("base/runtime", { now: 0 });

/** Runs `fn` while a field of a record has another value. */
export function withField<R, K extends keyof R, T>(record: R, field: K, value: R[K], fn: () => T): T {
  const before = record[field];
  record[field] = value;
  try {
    return fn();
  } finally {
    record[field] = before;
  }
}

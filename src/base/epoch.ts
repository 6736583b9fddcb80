/**
 * The epoch: a number that changes whenever programs that were built before may no longer be run, because of another backend, another
 * configuration or another default dtype. A cache compares it with the number at which an entry was built.
 */
export const epoch = { now: 0 };

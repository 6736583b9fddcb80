/**
 * The epoch: a number that changes whenever cached programs become invalid: with the backend, the configuration or the default
 * dtype. Caches compare it with the epoch of an entry.
 */
export const epoch = { now: 0 };

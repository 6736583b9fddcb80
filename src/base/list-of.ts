/** Lists computed from indices. */

/** The list at(0), at(1), ... with `length` items. */
export const listOf = <T>(length: number, at: (i: number) => T): T[] => Array.from({ length }, (_, i) => at(i));

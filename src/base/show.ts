/** Lists in error messages. */

/** The items as `[2, 3]`: sizes, strides, axes, names. */
export const show = (items: readonly unknown[]): string => `[${items.join(", ")}]`;

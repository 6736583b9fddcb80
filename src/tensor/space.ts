/**
 * Memory spaces: where the elements of a tensor are meant to live, as CuTe tags its pointers.
 * A space is part of a tensor's type and survives slices and partitions. On a CPU all spaces are ordinary memory; algorithms
 * read the tags to choose (see `copy-plan.ts`), and kernels will allocate by them.
 */

/** none: untagged; gmem: global; smem: shared by a group of threads; rmem: registers of one thread. */
export type Space = "none" | "gmem" | "smem" | "rmem";

/** How a pointer of this space is printed. */
export const pointerNames: Readonly<Record<Space, string>> = {
  none: "ptr",
  gmem: "gmem_ptr",
  smem: "smem_ptr",
  rmem: "ptr",
};

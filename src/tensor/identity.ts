/**
 * What the low bits of a tensor say of it: whether it owns its memory, and in which space that lies. Bits 0-1 are the ownership,
 * bits 2-3 the space; what is above them is fixed by the layout and belongs to `tensor.ts` and `geometry.ts`.
 *
 * A memory space says where the elements of a tensor are meant to live, as CuTe tags its pointers. It is part of a tensor's type and survives slices and partitions. On a CPU all spaces are ordinary memory; algorithms
 * read the tags to choose (see `copy-plan.ts`), and kernels will allocate by them.
 */
import { keySet, keyShift } from "./dispatch/keys.ts";

/** The owner of its storage, a view of it, or a view that may not write. */
export type Ownership = "owning" | "view" | "const";

const ownerships: readonly Ownership[] = ["owning", "view", "const"];
const spaces: readonly Space[] = ["none", "gmem", "smem", "rmem"];
const spaceShift = 2;

/** The bits of an ownership in a space. */
export const identityBits = (ownership: Ownership, space: Space): number =>
  ownerships.indexOf(ownership) | (spaces.indexOf(space) << spaceShift);

/** The bits of the ownership. */
export const ownershipMask = 3;

export const ownershipIn = (bits: number): Ownership => ownerships[bits & 3];
export const spaceIn = (bits: number): Space => spaces[(bits >> spaceShift) & 3];

/** Bits of views created while recording is off. They are not part of the graph and cannot be written to while it is on. */
export const unrecorded = { noGrad: 1 << 10, inference: 1 << 11, any: 3 << 10 } as const;

/** All bits of ownership and space, and of where a view was made. */
export const identityMask = 0b1111 | unrecorded.any;

/** The bits of views that are created now. */
const views = { bits: 0 };

/** Says what views that are made now have in their bits; gives what they had before. */
export function setUnrecorded(bits: number): number {
  const before = views.bits;
  views.bits = bits;
  return before;
}

/** Whoever writes to a view of a tensor with a history is looked at: this key says so. */
const lookedAt = /* @__PURE__ */ keySet("inPlaceOrView") << keyShift;
const withHistory = /* @__PURE__ */ keySet("autograd", "inPlaceOrView") << keyShift;

/** The bits of a view: what owned becomes a view, what may not write stays so, the space and where it was made stay, the rest is forgotten. */
export const viewBits = (bits: number): number =>
  (bits & identityMask) | ((bits & 3) === 0 ? 1 : 0) | ((bits & withHistory) === 0 ? 0 : lookedAt) | views.bits;

/** The bits of what is a view no longer. */
export const detachedBits = (bits: number): number => bits & ~(withHistory | unrecorded.any);

/** none: untagged; gmem: global; smem: shared by a group of threads; rmem: registers of one thread. */
export type Space = "none" | "gmem" | "smem" | "rmem";

/** How a pointer of this space is printed. */
export const pointerNames: Readonly<Record<Space, string>> = {
  none: "ptr",
  gmem: "gmem_ptr",
  smem: "smem_ptr",
  rmem: "ptr",
};

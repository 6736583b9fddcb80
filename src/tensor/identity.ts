/**
 * The low bits of a tensor: bits 0-1 are its ownership, bits 2-3 its memory space. The bits above them describe the layout and belong to
 * `tensor.ts` and `geometry.ts`.
 *
 * A memory space tags the elements of a tensor, as CuTe tags its pointers. It is part of the type of a tensor, and slices and partitions keep
 * it. On a CPU all spaces are ordinary memory; `copyPlan` reads the tags.
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

/** The bits of ownership and space, and of the mode in which a view was created. */
export const identityMask = 0b1111 | unrecorded.any;

/** The bits of views that are created now. */
const views = { bits: 0 };

/** Sets the bits of views that are created from now on, and returns the previous ones. */
export function setUnrecorded(bits: number): number {
  const before = views.bits;
  views.bits = bits;
  return before;
}

/** The key of a view of a tensor with a history: autograd intercepts writes to it. */
const intercepted = /* @__PURE__ */ keySet("inPlaceOrView") << keyShift;
const withHistory = /* @__PURE__ */ keySet("autograd", "inPlaceOrView") << keyShift;

/** Returns the bits of a view: an owner becomes a view, a const view stays one, and the space and the mode of creation are kept. */
export const viewBits = (bits: number): number =>
  (bits & identityMask) | ((bits & 3) === 0 ? 1 : 0) | ((bits & withHistory) === 0 ? 0 : intercepted) | views.bits;

/** Returns the bits of a detached tensor, which is not a view. */
export const detachedBits = (bits: number): number => bits & ~(withHistory | unrecorded.any);

/** none: untagged; gmem: global; smem: shared by a group of threads; rmem: registers of one thread. */
export type Space = "none" | "gmem" | "smem" | "rmem";

/** The printed name of a pointer of each space. */
export const pointerNames: Readonly<Record<Space, string>> = {
  none: "ptr",
  gmem: "gmem_ptr",
  smem: "smem_ptr",
  rmem: "ptr",
};

/**
 * What the low bits of a tensor say of it: whether it owns its memory, and in which space that lies. Bits 0-1 are the ownership,
 * bits 2-3 the space; what is above them is fixed by the layout and belongs to `tensor.ts` and `geometry.ts`.
 */
import { keySet, keyShift } from "./dispatch/keys.ts";
import type { Space } from "./space.ts";

/** The owner of its storage, a view of it, or a view that may not write. */
export type Ownership = "owning" | "view" | "const";

const ownerships: readonly Ownership[] = ["owning", "view", "const"];
const spaces: readonly Space[] = ["none", "gmem", "smem", "rmem"];
const spaceShift = 2;

/** The bits of an ownership in a space. */
export const identityBits = (ownership: Ownership, space: Space): number =>
  ownerships.indexOf(ownership) | (spaces.indexOf(space) << spaceShift);

export const ownershipIn = (bits: number): Ownership => ownerships[bits & 3] as Ownership;
export const spaceIn = (bits: number): Space => spaces[(bits >> spaceShift) & 3] as Space;

/** All bits of ownership and space. */
export const identityMask = 0b1111;

/** Whoever writes to a view of a tensor with a history is looked at: this key says so. */
const lookedAt = /* @__PURE__ */ keySet("inPlaceOrView") << keyShift;
const withHistory = /* @__PURE__ */ keySet("autograd", "inPlaceOrView") << keyShift;

/** The bits of a view: what owned becomes a view, what may not write stays so, the space stays, the rest is forgotten. */
export const viewBits = (bits: number): number =>
  (bits & identityMask) | ((bits & 3) === 0 ? 1 : 0) | ((bits & withHistory) === 0 ? 0 : lookedAt);

/** The bits of what is a view no longer. */
export const detachedBits = (bits: number): number => bits & ~withHistory;

/**
 * Facts of the views, copies and writes of whole tensors in `view-ops.ts`, by name: the kind of their gradient, and the facts for forward mode
 * and vmap. They are separate from the definitions because every bundle has views, and few have those modes.
 */
import type { OpFacts } from "../dispatch/facts.ts";

/** The gradient of an op is computed as that of the op of this name. The rules are in `autograd`, because they call ops. */
export type GradientKind =
  | "permute"
  | "transpose"
  | "T"
  | "mT"
  | "movedim"
  | "reshape"
  | "split"
  | "unbind"
  | "unfold"
  | "expand"
  | "asStrided"
  | "viewAsReal"
  | "viewAsComplex"
  | "partView"
  | "at"
  | "pick"
  | "clone"
  | "detach"
  | "fill_"
  | "copy_"
  | "takeAxes_"
  | "assignAt_";

/** The kinds of ops whose name is not their kind. The gradient of a view without a kind goes to the part that the view selects. */
export const gradientKinds: Readonly<Record<string, GradientKind>> = {
  squeeze: "reshape",
  unsqueeze: "reshape",
  chunk: "split",
  tensorSplit: "split",
  view: "reshape",
  unflatten: "reshape",
  readonly: "reshape",
  rename: "reshape",
  zerosBeside: "detach",
};

/** The other facts. */
export const viewFacts: Readonly<Record<string, OpFacts>> = {
  permute: { batch: "permute" },
  transpose: { batch: "moved 1 2" },
  T: { batch: "T" },
  mT: { batch: "same 2" },
  movedim: { batch: "moved 1 2" },
  squeeze: { batch: "squeeze" },
  unsqueeze: { batch: "unsqueeze" },
  select: { batch: "moved 1" },
  narrow: { batch: "moved 1" },
  slice: { batch: "moved 1" },
  split: { batch: "moved 2=0" },
  chunk: { batch: "moved 2=0" },
  tensorSplit: { batch: "moved 2=0" },
  unbind: { batch: "moved 1=0" },
  diagonal: { batch: "diagonal" },
  unfold: { batch: "along 1" },
  view: { batch: "view" },
  viewDType: { linear: "none", batch: "same 1" },
  unflatten: { batch: "moved 1" },
  expand: { batch: "expand" },
  asStrided: { batch: "asStrided" },
  viewAsReal: { batch: "same" },
  viewAsComplex: { batch: "same 1" },
  partView: { batch: "same" },
  readonly: { batch: "same" },
  rename: { batch: "rename" },
  at: { linear: "0", batch: "at" },
  pick: { linear: "0", batch: "pick" },
  clone: { linear: "0", batch: "clone" },
  detach: { linear: "none", batch: "same" },
  fill_: { linear: "0,1", batch: "fill_" },
  copy_: { linear: "0,1", batch: "copy_" },
  set_: { batch: "refused" },
  resize_: { batch: "refused" },
  takeAxes_: { linear: "0,1", batch: "refused" },
  assignAt_: { linear: "0,2", batch: "assignAt_" },
};

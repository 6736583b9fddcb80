/**
 * CuTe's algorithms on tensors of any engine.
 */

export { cooperativeCopy, copy, copyAligned } from "./copy.ts";
export type { CopyKind } from "./copy-path.ts";
export { type CopyEnd, type CopyPlan, copyPlan } from "./copy-plan.ts";
export { gemm } from "./gemm.ts";
export { axpby, copyIf, type Predicate } from "./predicated.ts";
export { batchReduce, logicalReduce, plus, reduce } from "./reduce.ts";
export { type CallbackValue, clear, fill, forEach, transform } from "./transform.ts";

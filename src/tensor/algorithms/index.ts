/**
 * CuTe's algorithms on tensors of any engine.
 */
export { axpby } from "./axpby.ts";
export { cooperativeCopy } from "./cooperative-copy.ts";
export { copy, copyAligned } from "./copy.ts";
export { copyIf, type Predicate } from "./copy-if.ts";
export type { CopyKind } from "./copy-path.ts";
export { type CopyEnd, type CopyPlan, copyPlan } from "./copy-plan.ts";
export { clear, fill } from "./fill.ts";
export { forEach } from "./for-each.ts";
export { gemm } from "./gemm.ts";
export { batchReduce, logicalReduce, plus, reduce } from "./reduce.ts";
export { type Given, transform } from "./transform.ts";

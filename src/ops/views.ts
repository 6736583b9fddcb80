/** Views and copies as ops, for ops that are made of other ops. */
export * from "../tensor/views/view-ops.ts";

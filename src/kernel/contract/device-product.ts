/**
 * The matrix product of devices whose units have little memory, which the first such device installs, so that programs without one do not contain
 * its kernel.
 */
import { runtime } from "../../base/runtime.ts";
import type { ProgramBuilder } from "../program/builder.ts";
import type { Product } from "./product.ts";

/** Adds the steps of a product. */
export type LowerProduct = (builder: ProgramBuilder, product: Product) => void;

export const deviceProduct: { lower: LowerProduct | null } = /* @__PURE__ */ runtime.own(
  "kernel/contract/device-product",
  { lower: null as LowerProduct | null },
);

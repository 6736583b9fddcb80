/** Matrix products and what is composed of them. */
import type { OperatorTable } from "../operator.ts";

export const products: OperatorTable = {};

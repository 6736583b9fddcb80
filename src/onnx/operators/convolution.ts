/** Convolutions, pooling and their inverses. */
import type { OperatorTable } from "../operator.ts";

export const convolution: OperatorTable = {};

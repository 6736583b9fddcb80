/** Operators that move elements: slices, gathering, scattering, padding, joining, and changes of shape. */
import type { OperatorTable } from "../operator.ts";

export const movement: OperatorTable = {};

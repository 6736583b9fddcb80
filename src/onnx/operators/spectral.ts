/** Fourier transforms and windows. */
import type { OperatorTable } from "../operator.ts";

export const spectral: OperatorTable = {};

/** Quantization, and products and convolutions of quantized tensors. */
import type { OperatorTable } from "../operator.ts";

export const quantize: OperatorTable = {};

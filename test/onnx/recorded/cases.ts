/** Nodes whose outputs another implementation computed: `record.ts` writes them to `onnxruntime.json`, and the tests compare ours with them. */
import type { NodeCase } from "../../support/onnx-node.ts";
import { attention } from "./attention.ts";
import { fused } from "./fused.ts";
import { quantized } from "./quantized.ts";
import { recurrent } from "./recurrent.ts";

export const recordedCases: Readonly<Record<string, NodeCase>> = { ...recurrent, ...quantized, ...attention, ...fused };

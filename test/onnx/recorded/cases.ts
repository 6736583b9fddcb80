/** Nodes whose outputs another implementation computed: `record.ts` writes them to `onnxruntime.json`, and the tests compare ours with them. */
import type { NodeCase } from "../../support/onnx-node.ts";
import { recurrent } from "./recurrent.ts";

export const recordedCases: Readonly<Record<string, NodeCase>> = { ...recurrent };

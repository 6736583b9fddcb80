/** Attention, rotary embeddings and caches of keys and values. */
import type { OperatorTable } from "../operator.ts";

export const attention: OperatorTable = {};

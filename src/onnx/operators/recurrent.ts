/** Recurrent layers: RNN, GRU, LSTM. */
import type { OperatorTable } from "../operator.ts";

export const recurrent: OperatorTable = {};

/** Stridewise without compile, as its own peer. */
import type { Prepare } from "./peer.ts";
import { prepareStridewise } from "./stridewise.ts";

export const prepare: Prepare = (row) => prepareStridewise(row, "eager");

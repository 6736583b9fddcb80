/** Resampling of images: Resize, Upsample, GridSample, RoiAlign and others. */
import type { OperatorTable } from "../operator.ts";

export const resize: OperatorTable = {};

/** TensorFlow.js on its plain JavaScript backend. */
import type { Prepare } from "./peer.ts";
import { prepareTfjs } from "./tfjs.ts";

export const prepare: Prepare = async (row) => {
  await import("@tensorflow/tfjs-backend-cpu");
  return prepareTfjs(row, "tfjs-cpu");
};

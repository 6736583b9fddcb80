/** How a tensor becomes another one, in place: for set_, resize_, transpose_ and their like. */
import { Storage } from "../storage/storage.ts";
import { Ended } from "./ended.ts";
import type { Tensor } from "./tensor.ts";

/** Makes a tensor all that another is; the other is given up. */
export function become(t: Tensor, other: Tensor): void {
  const old = t.source;
  const { extras, history } = t;
  Object.assign(t, other);
  t.extras = extras;
  t.history = history;
  if (extras !== null && extras.names !== null && extras.names.length !== t.rank) extras.names = null;
  other.source = new Ended("moved into another tensor");
  if (old instanceof Storage) old.release();
}

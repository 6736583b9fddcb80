/** All rows, in the order of the table. */
import { calls } from "./calls.ts";
import { compiledRows } from "./compiled.ts";
import { indexing } from "./indexing.ts";
import { linalg } from "./linalg.ts";
import { maps } from "./maps.ts";
import { models } from "./models.ts";
import { ops } from "./ops.ts";
import { planes } from "./planes.ts";
import type { Row } from "./row.ts";
import { threads } from "./threads.ts";
import { training } from "./train.ts";

export const rows: readonly Row[] = [
  ...maps,
  ...planes,
  ...calls,
  ...ops,
  ...indexing,
  ...linalg,
  ...training,
  ...compiledRows,
  ...threads,
  ...models,
];

/** The public face of data: loaders and data sets, and a progress bar for loops over them. */

export { DataError } from "./checks.ts";
export { type Collated, collate } from "./collate.ts";
export { type Columns, type Dataset, type Row, Subset, TensorDataset } from "./dataset.ts";
export { DataLoader, type LoaderOptions } from "./loader.ts";
export type { RandomSource } from "./order.ts";
export { Progress, type ProgressOptions, progress } from "./progress.ts";
export type { ProgressOutput } from "./progress-output.ts";
export type { ProgressState } from "./progress-text.ts";
export type { BatchOf, FieldsOf, SampleOf, Source, Stream } from "./source.ts";
export { randomSplit } from "./split.ts";

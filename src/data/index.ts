/** The public API of data: loaders, datasets, and a progress bar for loops over them. */

export { DataError } from "./checks.ts";
export { type Collated, collate } from "./collate.ts";
export {
  type BatchOf,
  type Columns,
  type Dataset,
  type FieldsOf,
  type Row,
  type SampleOf,
  type Source,
  type Stream,
  Subset,
  TensorDataset,
} from "./dataset.ts";
export { DataLoader, type LoaderOptions } from "./loader.ts";
export { Progress, type ProgressOptions, type ProgressOutput, type ProgressState, progress } from "./progress.ts";
export { type RandomSource, randomSplit } from "./split.ts";

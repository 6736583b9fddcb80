/** Files of the user that commands read. */
import { statSync } from "node:fs";
import { UsageError } from "../arguments.ts";

/** Throws unless there is a file at a path. */
export function requireFile(path: string): void {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) throw new UsageError(`there is no file ${path}.`);
  if (!status.isFile()) throw new UsageError(`${path} is not a file.`);
}

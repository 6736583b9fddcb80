/** Writes the files of a module to a folder, in Node. Each file is written under a temporary name and then replaces its old version. */
import { FileError } from "../io/file-error.ts";
import { createFolder, pathOf, writePath } from "../io/source.ts";
import type { StandaloneModule } from "./to-module.ts";

/** Writes the files of a module to a folder, and creates the folder if it does not exist. */
export async function saveModule(folder: string | URL, module: StandaloneModule): Promise<void> {
  const path = pathOf("saveModule", folder);
  if (path === undefined) throw new FileError(`saveModule: the first argument must be a path, got ${typeof folder}.`);
  await createFolder("saveModule", path);
  for (const [name, content] of Object.entries(module.files)) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await writePath("saveModule", `${path.replace(/[\\/]+$/, "")}/${name}`, [bytes]);
  }
}

/**
 * The tests in Node, as two projects of vitest. Most files run one after another in one process per core, which loads
 * and starts the library (some hundred modules) only once. A file that observes or changes the whole process has its
 * own process: one that measures time or memory, replaces modules or the backend, sets options of the platform, or
 * reads the environment. `boot.ts` checks that the others restore the library's settings.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { TestProjectInlineConfiguration } from "vitest/config";
import { projectRoot } from "./command.ts";

const include = ["src/**/*.test.ts", "test/**/*.test.ts"];
const exclude = ["test/browser/**"];

const looksAtProcess = [
  /\bvi\.(mock|doMock|hoisted|spyOn|stub|useFake|resetModules)/,
  /emoryStatistics|memoryUsage|programStatistics|\bgc\b|garbage\.ts|FinalizationRegistry/,
  /performance\.now|cpuUsage|Date\.now|hrtime/,
  /configure\(|replaceBackend|registerAllocator|\bcompiled\b/,
  /0x7f\[/,
  // The stacks of disposed tensors are recorded only for the first ten thousand of a process.
  /disposed by dispose|<place>|\/, at /,
  /process\.(env|chdir|argv|exit)|new Worker|await import\(/,
];

const alone = ["src", "test"]
  .flatMap((folder) =>
    readdirSync(projectRoot + folder, { recursive: true, encoding: "utf8" }).map(
      (file) => `${folder}/${file.replaceAll("\\", "/")}`,
    ),
  )
  .filter((file) => file.endsWith(".test.ts") && !file.startsWith("test/browser/"))
  .filter((file) => {
    const text = readFileSync(projectRoot + file, "utf8");
    return looksAtProcess.some((pattern) => pattern.test(text));
  });

export const nodeProjects: TestProjectInlineConfiguration[] = [
  { extends: true, test: { name: "node", include: alone, exclude } },
  { extends: true, test: { name: "node together", include, exclude: [...exclude, ...alone], isolate: false } },
];

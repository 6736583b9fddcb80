/**
 * The tests in Node, as two projects of vitest. Most files run one after another in the same process for each core: the library, which is
 * some hundred modules, is loaded and started once there, not once for each file. A file that looks at the process as a whole or changes it
 * has a process of its own: one that measures time or memory, replaces modules or the backend, sets options of the platform, reads the
 * environment. `boot.ts` sees to it that the others leave the library's settings as they were.
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
  // Where tensors were disposed is remembered of the first ten thousand of a process.
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

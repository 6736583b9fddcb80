/**
 * The tests in Node, as three projects of vitest. Most files run one after another in one process per core, which loads
 * and starts the library (some hundred modules, two seconds) only once. Files that change the library's settings or
 * backend and restore them, or read the environment, share processes of their own. A file that observes the whole
 * process has its own: one that measures time or memory, or replaces modules. `boot.ts` checks that settings are
 * restored.
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
  // The stacks of disposed tensors are recorded only for the first ten thousand of a process.
  /disposed by dispose|<place>|\/, at /,
  // Each buffer of a process has a higher address than those before it.
  /0x7f\[/,
  /process\.(chdir|argv|exit)|new Worker|await import\(/,
];

const changesSettings = [/configure\(|replaceBackend|registerAllocator|\bcompiled\b/, /process\.env/];

const files = ["src", "test"]
  .flatMap((folder) =>
    readdirSync(projectRoot + folder, { recursive: true, encoding: "utf8" }).map(
      (file) => `${folder}/${file.replaceAll("\\", "/")}`,
    ),
  )
  .filter((file) => file.endsWith(".test.ts") && !file.startsWith("test/browser/"))
  .map((file) => ({ file, text: readFileSync(projectRoot + file, "utf8") }));

const matching = (patterns: readonly RegExp[]): string[] =>
  files.filter(({ text }) => patterns.some((pattern) => pattern.test(text))).map(({ file }) => file);

const alone = matching(looksAtProcess);
const settings = matching(changesSettings).filter((file) => !alone.includes(file));

export const nodeProjects: TestProjectInlineConfiguration[] = [
  { extends: true, test: { name: "node", include: alone, exclude } },
  { extends: true, test: { name: "node settings", include: settings, exclude, isolate: false } },
  {
    extends: true,
    test: { name: "node together", include, exclude: [...exclude, ...alone, ...settings], isolate: false },
  },
];

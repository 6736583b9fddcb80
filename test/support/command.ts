/**
 * Runs a program to its end and returns its output. Development tools are started by the script in their package, not
 * through `npx`, which costs half a second each time.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The root folder of the project, with a trailing slash. */
export const projectRoot: string = fileURLToPath(new URL("../../", import.meta.url));

/** Runs a program in the project's root folder, without colors. */
export function runCommand(program: string, args: readonly string[]): Promise<CommandResult> {
  const { FORCE_COLOR: _, ...environment } = process.env;
  const child = spawn(program, args, { cwd: projectRoot, env: { ...environment, NO_COLOR: "1" } });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

const toolScripts = {
  tsc: "node_modules/typescript/bin/tsc",
  biome: "node_modules/@biomejs/biome/bin/biome",
} as const;

/** Runs a development tool of this project. */
export function runTool(tool: keyof typeof toolScripts, args: readonly string[]): Promise<CommandResult> {
  return runCommand(process.execPath, [toolScripts[tool], ...args]);
}

/** Throws an error with the program's output if it failed. */
export function requireSuccess({ code, stdout, stderr }: CommandResult): void {
  if (code !== 0) throw new Error(`${stdout}${stderr}`.trim() || `exit code ${code}`);
}

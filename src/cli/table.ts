/**
 * The table of commands, in the order of help.
 */
import type { Command } from "./command.ts";
import { algebraCommands } from "./commands/algebra.ts";
import { exprCommands } from "./commands/expr.ts";
import { guideCommands } from "./commands/guide.ts";
import { kernelCommands } from "./commands/kernel.ts";
import { lookCommands } from "./commands/look.ts";
import { memoryCommands } from "./commands/memory.ts";
import { tilingCommands } from "./commands/tiling.ts";

const working: readonly Command[] = [
  ...lookCommands,
  ...algebraCommands,
  ...tilingCommands,
  ...memoryCommands,
  ...kernelCommands,
  ...exprCommands,
];

export const commands: readonly Command[] = [...working, ...guideCommands(working)];

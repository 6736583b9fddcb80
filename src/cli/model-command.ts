/** Commands about files of the user, which are imported: they need a process, and their answers come later. */
import type { Command, Invocation, Outcome } from "./command.ts";
import type { ImportModule } from "./load-function.ts";
import type { Io } from "./output.ts";

/** What commands about files of the user need besides streams. */
export interface ModelIo extends Io {
  readonly writeFile: (path: string, content: string | Uint8Array) => void;
  readonly makeFolder: (path: string) => void;
  readonly importModule: ImportModule;
}

/** A command about a file of the user. */
export interface ModelCommand extends Command {
  readonly start: (invocation: Invocation, io: ModelIo) => Promise<Outcome>;
}

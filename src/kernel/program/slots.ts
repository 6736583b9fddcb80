/** What stands for memory while a program is built: storages of operands, the workspace, and storages that move on in a loop. */
import { InternalError } from "../../base/errors.ts";
import type { Memory } from "../../storage/memory.ts";
import type { ElementStorage } from "../operand.ts";

/** The workspace: it has no memory before the program runs. */
export class Workspace implements ElementStorage {
  readonly byteOffset = 0;

  readable(): never {
    throw new InternalError("program: the workspace has no memory before the program runs");
  }

  writable(): never {
    return this.readable();
  }
}

/** A storage that moves on through another one while a loop runs. */
export class MovingStorage implements ElementStorage {
  readonly byteOffset = 0;
  readonly of: ElementStorage;

  constructor(of: ElementStorage) {
    this.of = of;
  }

  readable(): Memory {
    return this.of.readable();
  }

  writable(): Memory {
    return this.of.writable();
  }
}

/** The storage that one moves through, or it itself. */
export const rootOf = (storage: ElementStorage): ElementStorage =>
  storage instanceof MovingStorage ? rootOf(storage.of) : storage;

/** True of a storage that has memory: what a slot is bound to before the program runs. */
export const isBound = (storage: ElementStorage): boolean =>
  !(storage instanceof MovingStorage || storage instanceof Workspace);

/** True if and only if bytes of two storages may be the same. */
export function mayShare(a: ElementStorage, b: ElementStorage): boolean {
  const [first, second] = [rootOf(a), rootOf(b)];
  if (first === second) return true;
  if (first instanceof Workspace || second instanceof Workspace) return false;
  return first.readable().buffer === second.readable().buffer;
}

/**
 * A builder of programs for modules: every storage of the workspace has a separate slot, so the program states which step uses which storage,
 * and the module decides at which address it is. Kernels of a module reach all of its memory.
 */
import type { ElementStorage } from "../kernel/operand.ts";
import { type Buffer, ProgramBuilder } from "../kernel/program/builder.ts";
import type { Step } from "../kernel/program/program.ts";
import { alignment } from "../storage/memory.ts";
import { Storage } from "../storage/storage.ts";

export class ModuleBuilder extends ProgramBuilder {
  /** The number of the task that a step belongs to, counted in the order in which tasks are lowered. */
  readonly tasks = new Map<Step, number>();
  readonly #scratch = new Map<ElementStorage, number>();
  #next = 0;
  #depth = 0;
  #task = -1;

  constructor() {
    super();
    this.mayUseSteps = false;
  }

  override canAddress(): boolean {
    return true;
  }

  override slotOf(storage: ElementStorage): number {
    if (storage.isScratch !== true) return super.slotOf(storage);
    let slot = this.#scratch.get(storage);
    if (slot === undefined) {
      slot = this.addSlot(storage);
      this.#scratch.set(storage, slot);
    }
    return slot;
  }

  override shiftOf({ storage, start, itemsize }: Buffer): number {
    return start * itemsize - this.origins[this.slotOf(storage)];
  }

  override add(step: Step): void {
    this.tasks.set(step, this.#task);
    super.add(step);
  }

  override take(bytes: number): readonly [storage: ElementStorage, byteOffset: number] {
    return [this.scratch(bytes), 0];
  }

  /** A new storage. The offsets of storages differ, because the lowering compares them. */
  override scratch(bytes: number): Storage {
    const at = this.#next;
    this.#next += (Math.ceil(bytes / alignment) + 1) * alignment;
    return Storage.inWorkspace(bytes, at);
  }

  override workspace<T>(bytes: number, use: (storage: ElementStorage, byteOffset: number) => T): T {
    if (this.#depth === 0) this.#task++;
    this.#depth++;
    try {
      return super.workspace(bytes, use);
    } finally {
      this.#depth--;
    }
  }
}

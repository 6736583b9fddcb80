/**
 * The base class of learning-rate schedules. A schedule is a function from a group's initial learning rate and an epoch to a learning rate.
 *
 * Guarantees: the learning rate at epoch k is exactly that function's value, independent of the number of steps, unless other code changes it.
 * After such a change, by another schedule or the program, the learning rate is multiplied by the ratio of consecutive values, so schedules
 * can be combined.
 */
import { OptimError, shown } from "../checks.ts";
import { Optimizer } from "../optimizer.ts";

/** The learning rate of a group at an epoch; `group` is its index. */
export type Schedule = (base: number, epoch: number, group: number) => number;

/** A schedule as plain data. */
export interface SchedulerState {
  readonly lastEpoch: number;
  readonly baseLrs: readonly number[];
  readonly lastLr: readonly number[];
  /** The last values of the schedule's function; they differ from `lastLr` if schedules are combined. */
  readonly own: readonly number[];
}

// biome-ignore lint/suspicious/noExplicitAny: an optimizer with any options.
export type AnyOptimizer = Optimizer<any>;

/** The base class of learning-rate schedules. */
export abstract class LRScheduler {
  readonly optimizer: AnyOptimizer;
  /** The current epoch, initially 0. */
  lastEpoch = 0;
  #baseLrs: number[];
  #own: number[];
  #lastLr: number[] = [];
  readonly #schedule: Schedule;

  protected constructor(optimizer: AnyOptimizer, schedule: Schedule) {
    checkOptimizer(new.target.name, optimizer);
    this.optimizer = optimizer;
    this.#schedule = schedule;
    this.#baseLrs = optimizer.paramGroups.map((group) => {
      group.initialLr ??= group.lr;
      return group.initialLr as number;
    });
    this.#own = this.#baseLrs.slice();
    this.#follow();
  }

  /** The current learning rates of the groups. */
  get lastLr(): readonly number[] {
    return this.#lastLr;
  }

  /** Advances to the next epoch, or to the given one. */
  step(epoch?: number): void {
    if (epoch === undefined) {
      this.lastEpoch++;
      this.#follow();
    } else this.restart(epoch);
  }

  /** Sets the learning rates to those of an epoch, overriding other changes. */
  restart(epoch: number): void {
    if (!(epoch >= 0))
      throw new OptimError(
        `${this.constructor.name}.step: the epoch must be a non-negative number, got ${shown(epoch)}`,
      );
    this.lastEpoch = epoch;
    this.#addNewGroups();
    for (const [k, group] of this.optimizer.paramGroups.entries()) group.lr = this.#own[k] = this.#at(k);
    this.#follow();
  }

  stateDict(): SchedulerState {
    const { lastEpoch } = this;
    return { lastEpoch, baseLrs: this.#baseLrs.slice(), lastLr: this.#lastLr.slice(), own: this.#own.slice() };
  }

  /** Resumes from a saved state. The learning rates are part of the optimizer's state. */
  loadStateDict({ lastEpoch, baseLrs, lastLr, own }: SchedulerState): void {
    const groups = this.optimizer.paramGroups.length;
    if (baseLrs.length !== groups)
      throw new OptimError(
        `${this.constructor.name}.loadStateDict: the state has ${baseLrs.length} groups, but the optimizer has ${groups}. Add the same groups first`,
      );
    this.lastEpoch = lastEpoch;
    this.#baseLrs = baseLrs.slice();
    this.#lastLr = lastLr.slice();
    this.#own = own.slice();
  }

  /** Called with each group after its learning rate is set. */
  protected alsoSet(_group: Record<string, unknown>, _epoch: number): void {}

  /** Sets the learning rates of the epoch; multiplies those that other code changed by the ratio of values. */
  #follow(): void {
    const { paramGroups } = this.optimizer;
    this.#addNewGroups();
    for (const [k, group] of paramGroups.entries()) {
      const [before, value] = [this.#own[k], this.#at(k)];
      group.lr = group.lr === before || before === 0 ? value : (group.lr * value) / before;
      this.#own[k] = value;
      this.alsoSet(group, this.lastEpoch);
    }
    this.#lastLr = paramGroups.map(({ lr }) => lr as number);
  }

  /** The value for a group at the current epoch. */
  #at(k: number): number {
    return this.#schedule(this.#baseLrs[k], this.lastEpoch, k);
  }

  /** Includes groups added since the last step, from their current learning rate. */
  #addNewGroups(): void {
    const groups = this.optimizer.paramGroups;
    for (let k = this.#baseLrs.length; k < groups.length; k++) {
      const group = groups[k] as unknown as { lr: number; initialLr?: number };
      group.initialLr ??= group.lr;
      this.#baseLrs.push(group.initialLr);
      this.#own.push(this.#schedule(group.initialLr, Math.max(this.lastEpoch - 1, 0), k));
    }
  }
}

/** Throws unless the value is an optimizer. */
export function checkOptimizer(who: string, optimizer: unknown): void {
  if (!(optimizer instanceof Optimizer))
    throw new OptimError(
      `${who}: the first argument must be an optimizer, such as new SGD(...), got ${shown(optimizer)}`,
    );
}

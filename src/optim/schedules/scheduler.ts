/**
 * What all schedules share. A schedule is a function from a group's first learning rate and an epoch to a learning rate.
 *
 * Promises: the learning rate at epoch k is exactly that function's value, however many steps led there, as long as nobody else
 * changes it. If somebody does, another schedule or the program, it changes by the ratio of the function's values from then on, so
 * schedules can be combined.
 */
import { OptimError, told } from "../checks.ts";
import { Optimizer } from "../optimizer.ts";

/** The learning rate of a group at an epoch; `group` is its number. */
export type Schedule = (base: number, epoch: number, group: number) => number;

/** A schedule as plain data. */
export interface SchedulerState {
  readonly lastEpoch: number;
  readonly baseLrs: readonly number[];
  readonly lastLr: readonly number[];
  /** What the schedule itself gave last; differs from `lastLr` where schedules are combined. */
  readonly own: readonly number[];
}

// biome-ignore lint/suspicious/noExplicitAny: any optimiser, whatever the options of its groups are.
export type AnyOptimizer = Optimizer<any>;

/** Changes the learning rates of an optimiser from epoch to epoch. */
export abstract class LRScheduler {
  readonly optimizer: AnyOptimizer;
  /** The epoch whose learning rate is set; 0 at the start. */
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

  /** The learning rates of the groups, as set last. */
  get lastLr(): readonly number[] {
    return this.#lastLr;
  }

  /** Goes on to the next epoch, or straight to one. */
  step(epoch?: number): void {
    if (epoch === undefined) {
      this.lastEpoch++;
      this.#follow();
    } else this.restart(epoch);
  }

  /** Sets the learning rates to those of an epoch, whatever they are now. */
  restart(epoch: number): void {
    if (!(epoch >= 0))
      throw new OptimError(`${this.constructor.name}.step: an epoch is a number from 0, got ${told(epoch)}`);
    this.lastEpoch = epoch;
    this.#welcome();
    for (const [k, group] of this.optimizer.paramGroups.entries()) group.lr = this.#own[k] = this.#at(k);
    this.#follow();
  }

  stateDict(): SchedulerState {
    const { lastEpoch } = this;
    return { lastEpoch, baseLrs: this.#baseLrs.slice(), lastLr: this.#lastLr.slice(), own: this.#own.slice() };
  }

  /** Goes on where another schedule stood. The learning rates themselves belong to the optimiser's state. */
  loadStateDict({ lastEpoch, baseLrs, lastLr, own }: SchedulerState): void {
    const groups = this.optimizer.paramGroups.length;
    if (baseLrs.length !== groups)
      throw new OptimError(
        `${this.constructor.name}.loadStateDict: the state is of ${baseLrs.length} groups, the optimizer has ${groups}. Add the same groups first`,
      );
    this.lastEpoch = lastEpoch;
    this.#baseLrs = baseLrs.slice();
    this.#lastLr = lastLr.slice();
    this.#own = own.slice();
  }

  /** Called with each group when its learning rate was set. */
  protected alsoSet(_group: Record<string, unknown>, _epoch: number): void {}

  /** Sets the learning rates of the epoch, by the ratio where they are not those of the schedule. */
  #follow(): void {
    const { paramGroups } = this.optimizer;
    this.#welcome();
    for (const [k, group] of paramGroups.entries()) {
      const [before, value] = [this.#own[k], this.#at(k)];
      group.lr = group.lr === before || before === 0 ? value : (group.lr * value) / before;
      this.#own[k] = value;
      this.alsoSet(group, this.lastEpoch);
    }
    this.#lastLr = paramGroups.map(({ lr }) => lr as number);
  }

  /** The value for a group at the present epoch. */
  #at(k: number): number {
    return this.#schedule(this.#baseLrs[k], this.lastEpoch, k);
  }

  /** A group that was added since goes along from the learning rate it has. */
  #welcome(): void {
    const groups = this.optimizer.paramGroups;
    for (let k = this.#baseLrs.length; k < groups.length; k++) {
      const group = groups[k] as unknown as { lr: number; initialLr?: number };
      group.initialLr ??= group.lr;
      this.#baseLrs.push(group.initialLr);
      this.#own.push(this.#schedule(group.initialLr, Math.max(this.lastEpoch - 1, 0), k));
    }
  }
}

/** Refuses what is no optimiser. */
export function checkOptimizer(who: string, optimizer: unknown): void {
  if (!(optimizer instanceof Optimizer))
    throw new OptimError(`${who}: the first argument is an optimizer, as new SGD(...), got ${told(optimizer)}`);
}

/** Schedules one after the other, and the usual case of it: a warm-up. */
import { checkNumber, OptimError, told } from "../checks.ts";
import { ConstantLR, LinearLR } from "./curves.ts";
import { type AnyOptimizer, checkOptimizer, LRScheduler, type SchedulerState } from "./scheduler.ts";

export interface SequentialState {
  readonly lastEpoch: number;
  readonly schedulers: readonly SchedulerState[];
}

/** Each schedule runs until its milestone; the next one starts there, from its own beginning. */
export class SequentialLR {
  readonly optimizer: AnyOptimizer;
  lastEpoch = 0;
  readonly #schedulers: readonly LRScheduler[];
  readonly #milestones: readonly number[];

  constructor(
    optimizer: AnyOptimizer,
    options: { readonly schedulers: readonly LRScheduler[]; readonly milestones: readonly number[] },
  ) {
    const who = "SequentialLR";
    checkOptimizer(who, optimizer);
    const { schedulers, milestones } = options ?? {};
    if (!Array.isArray(schedulers) || !Array.isArray(milestones))
      throw new OptimError(`${who}: two lists are needed, { schedulers, milestones }, got ${told(options)}`);
    if (schedulers.length === 0 || milestones.length !== schedulers.length - 1)
      throw new OptimError(
        `${who}: there is one schedule more than there are milestones, got ${schedulers.length} schedules and ${milestones.length} milestones`,
      );
    for (const [k, scheduler] of schedulers.entries()) {
      if (!(scheduler instanceof LRScheduler))
        throw new OptimError(
          `${who}: schedule ${k} is ${String((scheduler as object)?.constructor?.name)}, which goes by no epochs. Take one that extends LRScheduler`,
        );
      if (scheduler.optimizer !== optimizer)
        throw new OptimError(`${who}: schedule ${k} belongs to another optimizer. Make all of them for the same`);
    }
    for (const [k, milestone] of milestones.entries())
      checkNumber(who, `milestones[${k}]`, milestone, { least: (milestones[k - 1] ?? 0) + 1, integer: true });
    this.optimizer = optimizer;
    this.#schedulers = schedulers;
    this.#milestones = milestones;
    (schedulers[0] as LRScheduler).restart(0);
  }

  /** The learning rates of the groups, as set last. */
  get lastLr(): readonly number[] {
    return this.#present.lastLr;
  }

  step(): void {
    this.lastEpoch++;
    if (this.#milestones.includes(this.lastEpoch)) this.#present.restart(0);
    else this.#present.step();
  }

  stateDict(): SequentialState {
    return { lastEpoch: this.lastEpoch, schedulers: this.#schedulers.map((scheduler) => scheduler.stateDict()) };
  }

  loadStateDict({ lastEpoch, schedulers }: SequentialState): void {
    if (schedulers.length !== this.#schedulers.length)
      throw new OptimError(
        `SequentialLR.loadStateDict: the state is of ${schedulers.length} schedules, here are ${this.#schedulers.length}. Make the same ones first`,
      );
    this.lastEpoch = lastEpoch;
    for (const [k, state] of schedulers.entries()) this.#schedulers[k]?.loadStateDict(state);
  }

  get #present(): LRScheduler {
    const passed = this.#milestones.filter((milestone) => milestone <= this.lastEpoch).length;
    return this.#schedulers[passed];
  }
}

export interface WarmupOptions {
  /** How many steps the learning rate rises. */
  readonly steps: number;
  /** What it starts from, as a part of the learning rate; 1 / steps unless given. */
  readonly startFactor?: number;
  /** Makes the schedule that follows; without, the learning rate stays. */
  readonly after?: (optimizer: AnyOptimizer) => LRScheduler;
}

/** A learning rate that rises in a line for some steps, and then goes its way. */
export function warmup(optimizer: AnyOptimizer, options: WarmupOptions): SequentialLR {
  const { steps, startFactor, after } = options ?? {};
  checkNumber("warmup", "steps", steps, { least: 1, integer: true });
  const rise = new LinearLR(optimizer, { startFactor: startFactor ?? 1 / steps, totalIters: steps });
  const rest = after?.(optimizer) ?? new ConstantLR(optimizer, { factor: 1, totalIters: 0 });
  return new SequentialLR(optimizer, { schedulers: [rise, rest], milestones: [steps] });
}

/** Laws of every schedule: state, jumps, combinations, groups added later, errors. */
import { zeros } from "stridewise";
import {
  ConstantLR,
  CosineAnnealingLR,
  CosineAnnealingWarmRestarts,
  ExponentialLR,
  LambdaLR,
  LinearLR,
  type LRScheduler,
  MultiStepLR,
  OneCycleLR,
  PolynomialLR,
  ReduceLROnPlateau,
  SequentialLR,
  SGD,
  StepLR,
  warmup,
} from "stridewise/optim";
import { describe, expect, test } from "vitest";

const sgd = (): SGD =>
  new SGD([{ params: [zeros([1])] }, { params: [zeros([1])], lr: 0.1 }], { lr: 0.5, momentum: 0.9 });
const rates = (optimizer: SGD): number[] => optimizer.paramGroups.map(({ lr }) => lr);

const schedules: readonly (readonly [string, (optimizer: SGD) => LRScheduler | SequentialLR])[] = [
  ["StepLR", (o) => new StepLR(o, { stepSize: 2 })],
  ["MultiStepLR", (o) => new MultiStepLR(o, { milestones: [1, 4] })],
  ["ExponentialLR", (o) => new ExponentialLR(o, { gamma: 0.9 })],
  ["ConstantLR", (o) => new ConstantLR(o)],
  ["LambdaLR", (o) => new LambdaLR(o, [(epoch) => 1 / (1 + epoch), () => 0.5])],
  ["LinearLR", (o) => new LinearLR(o)],
  ["PolynomialLR", (o) => new PolynomialLR(o, { power: 2 })],
  ["CosineAnnealingLR", (o) => new CosineAnnealingLR(o, { tMax: 5 })],
  ["CosineAnnealingWarmRestarts", (o) => new CosineAnnealingWarmRestarts(o, { t0: 3, tMult: 2 })],
  ["OneCycleLR", (o) => new OneCycleLR(o, { maxLr: 1, totalSteps: 20 })],
  ["SequentialLR", (o) => warmup(o, { steps: 3, after: (same) => new CosineAnnealingLR(same, { tMax: 9 }) })],
];

describe.each(schedules)("%s", (_name, make) => {
  test("continues from its state as if it had not been interrupted, and reports its last value", () => {
    const whole = sgd();
    const straight = make(whole);
    const optimizer = sgd();
    let scheduler = make(optimizer);
    for (let k = 0; k < 12; k++) {
      if (k === 5) {
        const [groups, state] = [optimizer.stateDict(), JSON.parse(JSON.stringify(scheduler.stateDict()))];
        scheduler = make(optimizer);
        optimizer.loadStateDict(groups);
        scheduler.loadStateDict(state as never);
      }
      straight.step();
      scheduler.step();
      expect(rates(optimizer)).toEqual(rates(whole));
      expect(scheduler.lastLr).toEqual(rates(optimizer));
      expect(scheduler.lastEpoch).toBe(k + 1);
    }
  });
});

test.each(schedules.slice(0, -1) as [string, (optimizer: SGD) => LRScheduler][])(
  "%s can jump to an epoch",
  (_name, make) => {
    const [walked, jumped] = [sgd(), sgd()];
    const [slow, fast] = [make(walked), make(jumped)];
    for (let k = 0; k < 7; k++) slow.step();
    fast.step(7);
    expect(rates(jumped)).toEqual(rates(walked));
    slow.step();
    fast.step();
    expect(rates(jumped)).toEqual(rates(walked));
  },
);

test("after 10,000 steps a schedule is still exactly on its curve", () => {
  const optimizer = sgd();
  const scheduler = new CosineAnnealingLR(optimizer, { tMax: 100 });
  for (let k = 0; k < 10_000; k++) scheduler.step();
  expect(rates(optimizer)).toEqual([0.5, 0.1]);
});

test("a learning rate that other code changes is followed by the ratio", () => {
  const optimizer = sgd();
  const scheduler = new ExponentialLR(optimizer, { gamma: 0.5 });
  scheduler.step();
  (optimizer.paramGroups[0] as { lr: number }).lr = 8;
  scheduler.step();
  expect(rates(optimizer)).toEqual([4, 0.025]);
});

test("a group that is added later follows from its own learning rate", () => {
  const optimizer = sgd();
  const scheduler = new ExponentialLR(optimizer, { gamma: 0.5 });
  scheduler.step();
  optimizer.addParamGroup({ params: [zeros([1])], lr: 16 });
  scheduler.step();
  expect(rates(optimizer)[2]).toBe(8);
});

test("warm restarts take fractions of epochs", () => {
  const optimizer = sgd();
  const scheduler = new CosineAnnealingWarmRestarts(optimizer, { t0: 2, tMult: 2 });
  scheduler.step(4);
  expect(rates(optimizer)[0]).toBeCloseTo(0.25, 12);
  scheduler.step(2.5);
  expect(rates(optimizer)[0]).toBeCloseTo((0.5 * (1 + Math.cos(Math.PI / 8))) / 2, 12);
});

test("a warm-up rises linearly and then stays", () => {
  const optimizer = sgd();
  const scheduler = warmup(optimizer, { steps: 4 });
  const seen = [0, 1, 2, 3, 4, 5].map(() => {
    const [first] = rates(optimizer);
    scheduler.step();
    return first as number;
  });
  for (const [k, expected] of [0.125, 0.21875, 0.3125, 0.40625, 0.5, 0.5].entries())
    expect(seen[k]).toBeCloseTo(expected, 12);
});

test("one cycle ends at its last step, and not after", () => {
  const optimizer = sgd();
  const scheduler = new OneCycleLR(optimizer, { maxLr: 1, totalSteps: 10 });
  for (let k = 0; k < 10; k++) scheduler.step();
  expect(() => scheduler.step()).toThrow(
    "OneCycleLR: tried to step 12 times, the specified number of total steps is 10",
  );
});

test("a plateau's state can be saved", () => {
  const [a, b] = [sgd(), sgd()];
  const whole = new ReduceLROnPlateau(a, { patience: 2, cooldown: 1 });
  let scheduler = new ReduceLROnPlateau(b, { patience: 2, cooldown: 1 });
  for (let k = 0; k < 12; k++) {
    if (k === 2) {
      const state = scheduler.stateDict();
      scheduler = new ReduceLROnPlateau(b, { patience: 2, cooldown: 1 });
      scheduler.loadStateDict(state);
    }
    whole.step(1);
    scheduler.step(1);
    expect(rates(b)).toEqual(rates(a));
  }
  // The first metric is the best; the rate falls at the 4th, and after one epoch of cooldown at the 8th and the 12th.
  expect(rates(a)[0]).toBeCloseTo(0.5 * 0.1 ** 3, 12);
});

test("mistakes throw named errors", () => {
  const o = sgd();
  const refused: readonly (readonly [() => unknown, string])[] = [
    [
      () => new StepLR(3 as never, { stepSize: 1 }),
      "StepLR: the first argument must be an optimizer, such as new SGD(...), got 3",
    ],
    [
      () => new StepLR(o, 30 as never),
      "StepLR: stepSize must be a positive integer, got nothing. Pass it by name: { stepSize }",
    ],
    [() => new StepLR(o, undefined as never), "StepLR: stepSize must be a positive integer, got nothing"],
    [
      () => new MultiStepLR(o, [30] as never),
      "milestones must be a list of epochs, { milestones: [30, 80] }, got nothing",
    ],
    [() => new ExponentialLR(o, undefined as never), "ExponentialLR: gamma must be a non-negative number, got nothing"],
    [
      () => new CosineAnnealingLR(o, undefined as never),
      "CosineAnnealingLR: tMax must be a number of at least 1, got nothing",
    ],
    [() => new LambdaLR(o, 0.5 as never), "LambdaLR: needs a function of the epoch, or a list of functions, got 0.5"],
    [
      () => new OneCycleLR(o, undefined as never),
      "OneCycleLR: needs totalSteps, or epochs and stepsPerEpoch, got nothing",
    ],
    [
      () => new SequentialLR(o, [new StepLR(o, { stepSize: 1 })] as never),
      "SequentialLR: needs two lists, { schedulers, milestones }, got [",
    ],
    [() => warmup(o, undefined as never), "warmup: steps must be a positive integer, got nothing"],
    [() => new StepLR(o, { stepSize: 0 }), "StepLR: stepSize must be a positive integer, got 0"],
    [() => new LinearLR(o, { startFactor: 2 }), "LinearLR: startFactor must be a number from 0 to 1, got 2"],
    [() => new ReduceLROnPlateau(o, { factor: 1 }), "ReduceLROnPlateau: factor must be a number in [0, 1), got 1"],
    [() => new OneCycleLR(o, { maxLr: 1 }), "OneCycleLR: needs totalSteps, or epochs and stepsPerEpoch"],
    [() => new OneCycleLR(o, { maxLr: [1], totalSteps: 9 }), "OneCycleLR: expected 2 values for maxLr, got 1"],
    [
      () => new OneCycleLR(o, { maxLr: 1, totalSteps: Number.POSITIVE_INFINITY }),
      "totalSteps must be a positive integer, got Infinity",
    ],
    [() => new LambdaLR(o, [() => 1]), "LambdaLR: expected 2 functions, one for each group, got 1"],
    [
      () => new SequentialLR(o, { schedulers: [new ConstantLR(o)], milestones: [1] }),
      "SequentialLR: needs one more schedule than milestones, got 1 schedules and 1 milestones",
    ],
    [
      () => new SequentialLR(o, { schedulers: [new ConstantLR(sgd())], milestones: [] }),
      "SequentialLR: schedule 0 belongs to another optimizer",
    ],
    [
      () => new SequentialLR(o, { schedulers: [new ReduceLROnPlateau(o) as never], milestones: [] }),
      "SequentialLR: schedule 0 is ReduceLROnPlateau, which has no epochs",
    ],
  ];
  for (const [fn, message] of refused) expect(fn).toThrow(message);
});

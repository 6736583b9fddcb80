/**
 * Mistakes with optimizers: options that do not exist, models for parameters, states that do not fit, steps inside
 * scopes, and parameters without elements.
 */
import { manualSeed, mseLoss, ones, randn, scope, type Tensor, tensor, zeros } from "stridewise";
import { Linear, parameter, Sequential, Tanh } from "stridewise/nn";
import {
  Adam,
  clipGradNorm_,
  flattenState,
  LBFGS,
  type LBFGSOptions,
  NAdam,
  ReduceLROnPlateau,
  SGD,
  unflattenState,
} from "stridewise/optim";
import { describe, expect, test } from "vitest";

test("options that do not exist throw; in groups they are the user's own", () => {
  const w = parameter(ones([1]));
  expect(() => new Adam([w], { learningRate: 1 } as never)).toThrow(
    "Adam: there is no option learningRate; the options are lr, betas, eps, weightDecay, maximize, amsgrad",
  );
  expect(() => new LBFGS([w], { lineSearchFn: null } as never)).toThrow("LBFGS: there is no option lineSearchFn");
  const named = new SGD([{ params: [w], name: "body" } as never], { lr: 1 });
  expect(named.paramGroups[0]).toMatchObject({ name: "body", lr: 1 });
});

test("throws unless given a list of parameters, and suggests how to get them", () => {
  const model = new Linear(1, 1);
  expect(() => new Adam(model as never)).toThrow("got Linear. Write model.parameters()");
  expect(() => new Adam(model.parameters as never)).toThrow("got a function. Call it: model.parameters()");
  expect(() => new Adam(model.namedParameters() as never)).toThrow("got a list. Write model.parameters()");
  expect(() => clipGradNorm_(model as never, 1)).toThrow(
    "clipGradNorm_: params must be a tensor or a list of tensors, got Linear",
  );
});

test("positional options throw, and so does a parameter that cannot change", () => {
  const w = parameter(ones([1]));
  expect(() => new SGD([w], { lr: 1 }).step(3 as never)).toThrow("step: takes a closure that computes the loss");
  expect(() => new SGD([w], 0.1 as never)).toThrow("SGD: options must be an object, such as { lr: 0.01 }, got 0.1");
  expect(() => new SGD(undefined as never, undefined as never)).toThrow(
    "SGD: params must be a list of tensors or of groups { params, lr }, got nothing",
  );
  const meta = zeros([2], { device: "meta", requiresGrad: true });
  expect(() => new SGD([meta], { lr: 1 })).toThrow(
    "SGD: parameter 0, of shape [2], is on the meta device and has no values. Create it on the cpu",
  );
  const left = parameter(ones([1]));
  left.dispose();
  expect(() => new SGD([left], { lr: 1 })).toThrow("SGD: parameter 0 was disposed, or its scope has ended.");
  expect(() => new SGD([w], { lr: 1 }).loadStateDict(Promise.resolve() as never)).toThrow("got a promise. Await it");
});

test("a plateau schedule needs a metric", () => {
  const schedule = new ReduceLROnPlateau(new SGD([parameter(ones([1]))], { lr: 1 }), { patience: 0 });
  expect(() => schedule.step(undefined as never)).toThrow(
    "ReduceLROnPlateau.step: the metric must be a number or a tensor",
  );
  expect(schedule.lastEpoch).toBe(0);
});

test("parameters without elements take part", () => {
  const w = parameter(zeros([0, 3]));
  const optimizer = new Adam([w]);
  w.sum().backward();
  optimizer.step();
  expect(optimizer.stateDict().state[0]).toMatchObject({ step: 1 });
});

test("a state that was written as JSON throws, and nothing changes", () => {
  const make = () => {
    const w = parameter(tensor([1, 2]));
    const optimizer = new Adam([w], { lr: 0.5 });
    w.sum().backward();
    optimizer.step();
    return optimizer;
  };
  const optimizer = make();
  const saved = JSON.parse(JSON.stringify({ ...make().stateDict(), paramGroups: [{ params: [0], lr: 9 }] }));
  expect(() => optimizer.loadStateDict(saved)).toThrow(
    "Adam.loadStateDict: expAvg of parameter 0 must be a tensor or a number",
  );
  expect(optimizer.paramGroups[0]?.lr).toBe(0.5);
  expect(() => optimizer.loadStateDict({ state: {}, paramGroups: [{}] } as never)).toThrow(
    "this optimizer has groups of [1]",
  );
});

test("a state is loaded from its file form; other values throw", () => {
  const w = parameter(tensor([1, 2]));
  const optimizer = new NAdam([{ params: [w], lr: 0.3 }]);
  w.square().sum().backward();
  optimizer.step();
  const state = optimizer.stateDict();
  const { tensors, text } = flattenState(state);
  expect(Object.keys(tensors)).toEqual(["0.expAvg", "0.expAvgSq"]);
  for (const source of [tensors, new Map(Object.entries(tensors))]) {
    const back = unflattenState(source, text);
    expect(back.paramGroups).toEqual(state.paramGroups);
    expect(Object.keys(back.state[0] ?? {}).sort()).toEqual(Object.keys(state.state[0] ?? {}).sort());
    for (const [name, value] of Object.entries(back.state[0] ?? {})) expect(value).toBe(state.state[0]?.[name]);
  }
  expect(() => unflattenState({ ...tensors, weight: w }, text)).toThrow("weight belongs to none of the parameters 0");
  expect(() => unflattenState(tensors, undefined)).toThrow("needs the text of flattenState");
});

test("a state that is loaded in a scope outlives it", () => {
  const make = () => {
    const w = parameter(tensor([1, 2]));
    return { w, optimizer: new Adam([w], { lr: 0.5 }) };
  };
  const [first, second] = [make(), make()];
  const step = ({ w, optimizer }: ReturnType<typeof make>): void => {
    optimizer.zeroGrad();
    w.square().sum().backward();
    optimizer.step();
  };
  step(first);
  step(second);
  scope(() => second.optimizer.loadStateDict(first.optimizer.stateDict()));
  step(first);
  step(second);
  expect(second.w.detach().toArray()).toEqual(first.w.detach().toArray());
});

describe("LBFGS", () => {
  const start = (options: LBFGSOptions = {}) => {
    manualSeed(3);
    const model = new Sequential(new Linear(2, 4), new Tanh(), new Linear(4, 1)).to("float64");
    const [x, y] = [randn([12, 2], { dtype: "float64" }), randn([12, 1], { dtype: "float64" })];
    const optimizer = new LBFGS(model.parameters(), { maxIter: 4, historySize: 3, ...options });
    const step = (): number =>
      optimizer
        .step(() => {
          optimizer.zeroGrad();
          const loss = mseLoss(model.forward(x), y);
          loss.backward();
          return loss;
        })
        .item();
    return { model, optimizer, step };
  };

  test.each([null, "strongWolfe"] as const)("keeps its history across scopes: line search %s", (lineSearch) => {
    const [inside, outside] = [start({ lineSearch }), start({ lineSearch })];
    const run = (step: () => number) => Array.from({ length: 4 }, step);
    expect(run(() => scope(inside.step))).toEqual(run(outside.step));
  });

  test("continues from a saved state while the original optimizer also continues", () => {
    const first = start();
    for (let k = 0; k < 3; k++) first.step();
    const saved = { model: first.model.clone().stateDict(), optimizer: first.optimizer.stateDict() };
    const later = [first.step(), first.step()];
    const second = start();
    second.model.loadStateDict(saved.model);
    scope(() => second.optimizer.loadStateDict(saved.optimizer));
    expect([second.step(), second.step()]).toEqual(later);
  });

  test("a state of other parameters throws, and nothing changes", () => {
    const optimizer = new LBFGS([parameter(ones([2]))], { lr: 0.5 });
    const load = (state: Record<string, Tensor | number>) =>
      optimizer.loadStateDict({ state: { 0: state }, paramGroups: [{ params: [0], lr: 9 }] });
    expect(() => load({ nIter: 3, d: ones([5]) })).toThrow(
      "LBFGS.loadStateDict: d must be a tensor of shape [2], got shape [5]",
    );
    expect(() => load({ oldSteps: ones([1, 2]) })).toThrow("oldChanges must be a tensor of shape [1,2], got undefined");
    expect(() => optimizer.loadStateDict(null as never)).toThrow("a state must be { state, paramGroups }");
    expect(optimizer.paramGroups[0]?.lr).toBe(0.5);
  });

  test("a closure that does not return the loss throws", () => {
    const w = parameter(ones([1]));
    expect(() => new LBFGS([w]).step((() => w.sum().backward()) as never)).toThrow(
      "LBFGS.step: the closure must return the loss, a tensor or a number, got nothing. Write return loss",
    );
  });
});

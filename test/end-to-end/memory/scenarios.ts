/**
 * Ways to run tensor code over many turns of the event loop, each with and without scopes: what the memory table in docs/09-threads-and-speed.md is
 * measured by. Works in every runtime; prints or returns how much memory there was.
 *
 * Usage: node scenarios.mjs NAME [plain|scope] [steps]
 */
import { memoryStatistics, mseLoss, randn, relu, scope, type Tensor, zeros } from "../../../src/index.ts";
import { Linear, ReLU, Sequential } from "../../../src/nn/index.ts";
import { SGD } from "../../../src/optim/index.ts";

/** A step of work, freed by a scope or by garbage collection. */
type Step = () => number;
type Freed = "plain" | "scope";

interface Host {
  readonly process?: {
    readonly argv?: readonly string[];
    memoryUsage?: (() => { readonly rss: number }) & { rss?(): number };
    getBuiltinModule?(name: string): unknown;
    exit?(code: number): void;
  };
  setImmediate?(callback: () => void): void;
}
const host = globalThis as Host;

const immediate = (): Promise<void> =>
  new Promise((resolve) => {
    if (host.setImmediate) host.setImmediate(resolve);
    else setTimeout(resolve);
  });
const timeout = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** x W with a relu, summed: two tensors of 512 KB and one number for each step. */
function product(): Step {
  const x = randn([512, 256]);
  const w = randn([256, 256]);
  return () => relu(x.matmul(w)).sum().item();
}

/** A small perceptron, as a server calls it. */
function perceptron(): Step {
  const weights = [randn([32, 64]), randn([64, 64]), randn([64, 10])];
  return () => {
    let h: Tensor<readonly number[], "float32"> = randn([4, 32]);
    for (const w of weights) h = relu(h.matmul(w));
    return h.sum().item();
  };
}

/** Elementwise arithmetic on 1 MB: the fastest way to make garbage. */
const arithmetic: Step = () => zeros([256, 1024]).add(1).mul(2).get(0, 0);

/** A step of training. */
function training(): Step {
  const model = new Sequential(new Linear(64, 256), new ReLU(), new Linear(256, 1));
  const optimizer = new SGD(model.parameters(), { lr: 0.01 });
  return () => {
    const loss = mseLoss(model.forward(randn([256, 64])), randn([256, 1]));
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    return loss.item();
  };
}

let peak = 0;
/** Records the current resident memory, if the runtime reports it. */
function look(): void {
  const rss = host.process?.memoryUsage?.rss?.() ?? host.process?.memoryUsage?.().rss ?? 0;
  if (rss > peak) peak = rss;
}

const freed = (step: Step, by: Freed): Step => (by === "scope" ? () => scope(step) : step);

async function loop(step: Step, steps: number, wait: () => Promise<void> | undefined): Promise<void> {
  for (let i = 0; i < steps; i++) {
    step();
    const waiting = wait();
    if (waiting !== undefined) await waiting;
    if (i % 16 === 0) look();
  }
}

async function* batches(steps: number): AsyncGenerator<number> {
  for (let i = 0; i < steps; i++) {
    if (i % 10 === 0) await immediate();
    yield i;
  }
}

/** A server in this process that answers this many requests of eight clients. */
async function serve(step: Step, requests: number): Promise<void> {
  interface Server {
    listen(port: number, address: string, callback: () => void): void;
    address(): { readonly port: number };
    close(): void;
  }
  type Handler = (request: unknown, response: { end(text: string): void }) => void;
  interface Response {
    resume(): void;
    on(event: "end", callback: () => void): void;
  }
  const http = host.process?.getBuiltinModule?.("node:http") as {
    createServer(handler: Handler): Server;
    Agent: new (options: object) => { destroy(): void };
    get(
      options: object,
      callback: (response: Response) => void,
    ): { on(event: "error", callback: (e: Error) => void): void };
  };
  const server = http.createServer((_, response) => response.end(String(step())));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  const { port } = server.address();
  const request = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const options = { port, host: "127.0.0.1", agent };
      const sent = http.get(options, (response) => {
        response.resume();
        response.on("end", resolve);
      });
      sent.on("error", reject);
    });
  let left = requests;
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      await request();
      if (left % 16 === 0) look();
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  agent.destroy();
  server.close();
}

/** This program in a worker, with one of its scenarios. */
async function inWorker(scenario: string, by: Freed, steps: number): Promise<void> {
  interface Running {
    on(event: "exit" | "error", callback: (value: unknown) => void): void;
  }
  const threads = host.process?.getBuiltinModule?.("node:worker_threads") as {
    Worker: new (url: URL, options: object) => Running;
  };
  const worker = new threads.Worker(new URL(import.meta.url), { argv: [scenario, by, String(steps), "quiet"] });
  const looking = setInterval(look, 20);
  try {
    await new Promise((resolve, reject) => {
      worker.on("exit", resolve);
      worker.on("error", reject);
    });
  } finally {
    clearInterval(looking);
  }
}

/** The scenarios and their steps in the long form. */
export const scenarios: Readonly<
  Record<string, readonly [steps: number, run: (steps: number, by: Freed) => Promise<void>]>
> = {
  "synchronous loop": [8000, (steps, by) => loop(freed(product(), by), steps, () => undefined)],
  "await setImmediate": [8000, (steps, by) => loop(freed(product(), by), steps, immediate)],
  "await setTimeout": [4000, (steps, by) => loop(freed(product(), by), steps, timeout)],
  "await a resolved promise": [8000, (steps, by) => loop(freed(product(), by), steps, () => Promise.resolve())],
  "scope.async": [
    8000,
    (steps, by) => {
      const step = product();
      return loop(
        () => 0,
        steps,
        async () => {
          const work = async (): Promise<void> => {
            step();
            await immediate();
          };
          if (by === "scope") await scope.async(work);
          else await work();
        },
      );
    },
  ],
  "arithmetic, await setImmediate": [6000, (steps, by) => loop(freed(arithmetic, by), steps, immediate)],
  "small perceptron": [20_000, (steps, by) => loop(freed(perceptron(), by), steps, immediate)],
  training: [6000, (steps, by) => loop(freed(training(), by), steps, () => undefined)],
  "training, await setImmediate": [6000, (steps, by) => loop(freed(training(), by), steps, immediate)],
  "training, async generator": [
    6000,
    async (steps, by) => {
      const step = freed(training(), by);
      for await (const i of batches(steps)) {
        step();
        if (i % 16 === 0) look();
      }
    },
  ],
  "worker thread": [8000, (steps, by) => inWorker("await setImmediate", by, steps)],
  "HTTP server": [100_000, (steps, by) => serve(freed(perceptron(), by), steps)],
};

/** Runs a scenario: milliseconds, the peak of resident memory in MB (0 where the runtime does not tell), and the library's own numbers. */
export async function runScenario(name: string, by: Freed, steps?: number): Promise<object> {
  const [long, run] = scenarios[name] as NonNullable<(typeof scenarios)[string]>;
  const begun = performance.now();
  await run(steps ?? long, by);
  look();
  const { live, collections, reserved } = memoryStatistics();
  return {
    name,
    by,
    ms: Math.round(performance.now() - begun),
    peak: Math.round(peak / 2 ** 20),
    live: Math.round(live / 2 ** 20),
    reserved: Math.round(reserved / 2 ** 20),
    collections,
  };
}

const [name, by = "plain", steps, quiet] = host.process?.argv?.slice(2) ?? [];
if (name !== undefined && name in scenarios) {
  const result = await runScenario(name, by as Freed, steps === undefined ? undefined : Number(steps));
  if (quiet === undefined) console.log(JSON.stringify(result));
}
(globalThis as { runScenario?: unknown }).runScenario = runScenario;

/**
 * A small transformer learns to write like the Constitution of the United States, letter by letter: it sees up to 32
 * letters and predicts the next one. A tenth of the text is held out; there it must do far better than a model of
 * letter frequencies. Run it: `npx tsx examples/characters.ts`. Writes the loss curve to out/.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  bincount,
  cat,
  crossEntropy,
  Generator,
  manualSeed,
  multinomial,
  noGrad,
  randn,
  scope,
  type Tensor,
  tensor,
} from "stridewise";
import { DataLoader, progress } from "stridewise/data";
import { lineChart } from "stridewise/draw";
import {
  Embedding,
  LayerNorm,
  Linear,
  Module,
  parameter,
  TransformerEncoder,
  TransformerEncoderLayer,
} from "stridewise/nn";
import { AdamW, CosineAnnealingLR, clipGradNorm_, LinearLR, SequentialLR } from "stridewise/optim";

const context = 32;
const width = 48;

/** Token and position embeddings, two causal transformer layers, and a score for each next letter. */
export class CharacterModel extends Module {
  letters: Embedding;
  positions = parameter(randn([context, width]));
  encoder: TransformerEncoder;
  scores: Linear;

  constructor(alphabet: number) {
    super();
    this.letters = new Embedding(alphabet, width);
    const layer = new TransformerEncoderLayer(width, 4, {
      dimFeedforward: 4 * width,
      dropout: 0,
      activation: "gelu",
      batchFirst: true,
      normFirst: true,
    });
    this.encoder = new TransformerEncoder(layer, 2, { norm: new LayerNorm(width) });
    this.scores = new Linear(width, alphabet);
  }

  /** From codes [batch, length] to scores [batch, length, alphabet]. */
  forward(codes: Tensor): Tensor {
    const embedded = this.letters.forward(codes).add(this.positions.narrow(0, 0, codes.shape[1] as number));
    return this.scores.forward(this.encoder.forward(embedded, { isCausal: true }));
  }
}

/**
 * The cross entropy of the next letter at each position of some windows, in nats. Windows have one letter more than the
 * model sees.
 */
function lossOf(model: CharacterModel, windows: Tensor): Tensor {
  const scores = model.forward(windows.narrow(1, 0, context));
  return crossEntropy(scores.flatten(0, 1), windows.narrow(1, 1, context).flatten());
}

/** The cross entropy of a model that predicts letters by their frequency in one text, measured on another. */
function frequencyLoss(known: Tensor, read: Tensor, alphabet: number): number {
  const counts = bincount(known, { minlength: alphabet }).to("float64").add(1);
  return -Number(counts.div(counts.sum()).log().indexSelect(0, read).mean().item());
}

/** Generates text that continues a prompt. A temperature below 1 makes likely letters likelier. */
function write(
  model: CharacterModel,
  letters: readonly string[],
  begin: string,
  length: number,
  temperature: number,
): string {
  const generator = new Generator(3);
  return noGrad(() => {
    let codes = tensor(Int32Array.from(begin, (letter) => letters.indexOf(letter))) as Tensor;
    for (let k = 0; k < length; k++) {
      codes = scope(() => {
        const seen = codes.narrow(0, Math.max(0, codes.size - context), Math.min(context, codes.size));
        const scores = model.forward(seen.unsqueeze(0)).at(0, -1) as Tensor;
        const next = multinomial(scores.div(temperature).softmax(0), 1, false, { generator });
        return cat([codes, next.to("int32")]) as Tensor;
      });
    }
    return (codes.toArray() as number[]).map((code) => letters[code]).join("");
  });
}

export interface CharactersOptions {
  readonly steps?: number;
  /** The folder for output files. */
  readonly folder?: string;
  /** The margin in nats by which the model must beat the letter frequencies on the held-out text. */
  readonly gain?: number;
}

export interface CharactersResult {
  readonly text: string;
  readonly svg: string;
  readonly losses: readonly number[];
  /** Loss on the held-out text, in nats per letter: of the model, and of the letter frequencies. */
  readonly heldOutLoss: number;
  readonly frequencies: number;
}

/** Trains, compares, and generates some text. */
export function characters({ steps = 400, folder = "out", gain = 0.8 }: CharactersOptions = {}): CharactersResult {
  const begun = performance.now();
  manualSeed(1);
  const text = readFileSync(new URL("data/constitution.txt", import.meta.url), "utf8");
  const letters = [...new Set(text)].sort();
  const codes = tensor(Int32Array.from(text, (letter) => letters.indexOf(letter))) as Tensor;
  const cut = Math.floor(codes.size * 0.9);
  const [known, heldOutCodes] = [codes.narrow(0, 0, cut), codes.narrow(0, cut, codes.size - cut)];
  // Every window of the text, as a view: row i starts at letter i. Nothing is copied before a batch is gathered.
  const windows = known.unfold(0, context + 1, 1) as Tensor;
  const heldOut = heldOutCodes.unfold(0, context + 1, context) as Tensor;

  const model = new CharacterModel(letters.length);
  const optimizer = new AdamW(model.parameters(), { lr: 0.005, betas: [0.9, 0.99] });
  const rising = Math.ceil(steps / 12);
  const schedule = new SequentialLR(optimizer, {
    schedulers: [
      new LinearLR(optimizer, { startFactor: 1 / rising, totalIters: rising }),
      new CosineAnnealingLR(optimizer, { tMax: steps - rising }),
    ],
    milestones: [rising],
  });
  const losses: number[] = [];
  const loader = new DataLoader(windows, { batchSize: 16, shuffle: true, seed: 1 });
  const bar = progress(first(loader, steps), { label: "letters", total: steps });
  for (const batch of bar) {
    optimizer.zeroGrad();
    // Intermediate results of a step are freed at once; gradients stay.
    const loss = scope(() => {
      const value = lossOf(model, batch);
      value.backward();
      return Number(value.item());
    });
    clipGradNorm_(model.parameters(), 1);
    optimizer.step();
    schedule.step();
    losses.push(loss);
    bar.set({ loss });
  }
  model.eval();
  const reached = Number(noGrad(() => lossOf(model, heldOut)).item());
  const frequencies = frequencyLoss(known, heldOutCodes, letters.length);
  const seconds = (performance.now() - begun) / 1000;
  if (!(reached < frequencies - gain))
    throw new Error(
      `the held-out loss is ${reached.toFixed(2)}, and knowing frequencies gives ${frequencies.toFixed(2)}`,
    );

  const svg = lineChart({
    title: "Learning to write, letter by letter",
    series: { "loss of each batch": losses, "frequencies of letters": losses.map(() => frequencies) },
    xLabel: "step",
    yLabel: "nats for each letter",
  });
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "characters-loss.svg");
  writeFileSync(path, svg);
  const sample = write(model, letters, "Section 1\n\nThe ", 240, 0.7);
  return {
    svg,
    losses,
    heldOutLoss: reached,
    frequencies,
    text: [
      `after ${steps} steps of 16 windows the held-out text costs ${reached.toFixed(2)} nats for each letter; knowing how frequent letters are, ${frequencies.toFixed(2)} (${seconds.toFixed(0)} s)`,
      `loss curve: ${path}`,
      "it writes, at a temperature of 0.7:",
      ...sample.split("\n").map((line) => `  ${line}`.trimEnd()),
    ].join("\n"),
  };
}

/** The first `count` batches of a loader. */
function* first<T>(loader: Iterable<T>, count: number): Iterable<T> {
  let left = count;
  while (left > 0)
    for (const batch of loader) {
      if (left-- <= 0) return;
      yield batch;
    }
}

if (process.argv[1]?.endsWith("characters.ts")) console.log(characters().text);

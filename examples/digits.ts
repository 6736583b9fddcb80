/**
 * A small convolutional network learns to read handwritten digits: 1,797 images of 8 x 8. Three fifths are the training
 * set. A fifth is for validation: the settings were chosen by it, and the weights of the best epoch are kept. The last
 * fifth is held out and evaluated once, at the end: the network reads at least 95% of it, or this program fails. The
 * weights are saved and loaded into a new network, which must give the same answers. Run it: `npx tsx
 * examples/digits.ts`. Writes the loss curve, the confusion matrix and the weights to out/.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crossEntropy, Generator, manualSeed, maxPool2d, noGrad, rand, scope, type Tensor } from "stridewise";
import { DataLoader, progress } from "stridewise/data";
import { confusionMatrix, lineChart } from "stridewise/draw";
import { loadNpz, loadSafetensors, saveSafetensors } from "stridewise/io";
import { Conv2d, Linear, Module } from "stridewise/nn";
import { AdamW, CosineAnnealingLR } from "stridewise/optim";

/** Two convolutions, each followed by 2 x 2 max pooling, then two linear layers. */
export class DigitNet extends Module {
  conv1 = new Conv2d(1, 16, 3, { padding: 1 });
  conv2 = new Conv2d(16, 32, 3, { padding: 1 });
  hidden = new Linear(32 * 2 * 2, 64);
  output = new Linear(64, 10);

  forward(images: Tensor): Tensor {
    const strokes = maxPool2d(this.conv1.forward(images).relu(), 2);
    const shapes = maxPool2d(this.conv2.forward(strokes).relu(), 2);
    return this.output.forward(this.hidden.forward(shapes.flatten(1)).relu());
  }
}

/** Images, float32 [count, 1, 8, 8], from 0 to 1, and labels, int64 [count]. */
type Digits = { readonly images: Tensor; readonly labels: Tensor };

/** The training, validation and held-out images, split by a seed. */
async function loadDigits(seed: number): Promise<{ train: Digits; validation: Digits; test: Digits }> {
  const file = await loadNpz(new URL("data/digits.npz", import.meta.url));
  const images = (file.get("images") as Tensor).to("float32").div(16).unsqueeze(1);
  const labels = (file.get("labels") as Tensor).to("int64");
  const count = labels.size;
  const order = rand([count], { generator: new Generator(seed) }).argsort();
  const part = (from: number, length: number): Digits => {
    const chosen = order.narrow(0, from, length);
    return { images: images.indexSelect(0, chosen), labels: labels.indexSelect(0, chosen) };
  };
  const testCount = Math.round(count / 5);
  return {
    test: part(0, testCount),
    validation: part(testCount, testCount),
    train: part(2 * testCount, count - 2 * testCount),
  };
}

/**
 * Evaluates a network: its loss, the number of right answers, the confusion matrix, and its most confident mistakes.
 */
function examine(net: DigitNet, { images, labels }: Digits) {
  return noGrad(() => {
    const scores = net.eval().forward(images);
    const { values, indices } = scores.softmax(1).max(1);
    const [truth, answers, sureness] = [labels, indices, values].map((t) => t.toArray() as number[]) as [
      number[],
      number[],
      number[],
    ];
    const counts = Array.from({ length: 10 }, () => new Array<number>(10).fill(0));
    truth.forEach((label, i) => {
      const row = counts[label] as number[];
      row[answers[i] as number] = (row[answers[i] as number] as number) + 1;
    });
    const right = answers.filter((answer, i) => answer === truth[i]).length;
    const mistakes = truth
      .map((label, i) => ({ label, answer: answers[i] as number, sure: sureness[i] as number, image: i }))
      .filter(({ label, answer }) => label !== answer)
      .sort((a, b) => b.sure - a.sure);
    return {
      loss: Number(crossEntropy(scores, labels).item()),
      accuracy: right / truth.length,
      right,
      counts,
      mistakes,
    };
  });
}

/** Images side by side, two characters per pixel. */
function drawn(images: readonly number[][][]): string {
  const ink = " .:-=+*#%@";
  const rows = Array.from({ length: 8 }, (_, y) =>
    images.map((image) => (image[y] as number[]).map((v) => (ink[Math.round(v * 9)] as string).repeat(2)).join("")),
  );
  return rows.map((row) => `  ${row.join("    ").trimEnd()}`).join("\n");
}

export interface DigitsOptions {
  readonly epochs?: number;
  /** The folder for output files. */
  readonly folder?: string;
  /** The accuracy required on the held-out digits. */
  readonly atLeast?: number;
}

export interface DigitsResult {
  readonly text: string;
  /** The accuracy on the held-out digits. */
  readonly accuracy: number;
  readonly losses: { readonly train: readonly number[]; readonly validation: readonly number[] };
  readonly pictures: { readonly loss: string; readonly confusion: string };
}

/** All batches of all epochs, in one row. */
function* rounds<T>(loader: Iterable<T> & { readonly length: number }, epochs: number) {
  for (let epoch = 0; epoch < epochs; epoch++) {
    let left = loader.length;
    for (const batch of loader) yield { batch, isLast: --left === 0 };
  }
}

/** Trains, evaluates, saves and loads. */
export async function digits(options: DigitsOptions = {}): Promise<DigitsResult> {
  const { epochs = 15, folder = "out", atLeast = 0.95 } = options;
  const begun = performance.now();
  manualSeed(1);
  const { train, validation, test } = await loadDigits(2);
  const net = new DigitNet();
  const loader = new DataLoader(train, { batchSize: 32, shuffle: true, dropLast: true, seed: 1 });
  const steps = epochs * loader.length;
  const optimizer = new AdamW(net.parameters(), { lr: 0.012 });
  const schedule = new CosineAnnealingLR(optimizer, { tMax: steps });

  const losses = { train: [] as number[], validation: [] as number[] };
  let best = { epoch: 0, loss: Infinity, state: net.clone().stateDict() };
  const bar = progress(rounds(loader, epochs), { label: "digits", total: steps });
  let sum = 0;
  for (const { batch, isLast } of bar) {
    optimizer.zeroGrad();
    // Intermediate results of a step are freed at once; gradients stay.
    const loss = scope(() => {
      const value = crossEntropy(net.forward(batch.images), batch.labels);
      value.backward();
      return Number(value.item());
    });
    optimizer.step();
    schedule.step();
    sum += loss;
    bar.set({ loss });
    if (!isLast) continue;
    losses.train.push(sum / loader.length);
    const { loss: validated } = scope(() => examine(net, validation));
    losses.validation.push(validated);
    // The network keeps changing; the copy does not.
    if (validated < best.loss) best = { epoch: losses.train.length, loss: validated, state: net.clone().stateDict() };
    net.train();
    sum = 0;
  }

  net.loadStateDict(best.state);
  const report = examine(net, test);
  const seconds = (performance.now() - begun) / 1000;
  if (!(report.accuracy >= atLeast))
    throw new Error(
      `${percent(report.accuracy)} of the held-out digits are read, and it should be ${percent(atLeast)}`,
    );

  mkdirSync(folder, { recursive: true });
  const weights = join(folder, "digits.safetensors");
  await saveSafetensors(weights, net.stateDict());
  const again = new DigitNet();
  again.loadStateDict((await loadSafetensors(weights)).tensors);
  if (examine(again, test).accuracy !== report.accuracy) throw new Error("the loaded network answers otherwise");

  const x = losses.train.map((_, epoch) => epoch + 1);
  const pictures = {
    loss: lineChart({
      title: "Reading digits",
      series: { train: { x, y: losses.train }, validation: { x, y: losses.validation } },
      xLabel: "epochs",
      yLabel: "cross entropy",
      log: true,
    }),
    confusion: confusionMatrix(report.counts, undefined, { title: "Which held-out digit was taken for which" }),
  };
  const paths = { loss: join(folder, "digits-loss.svg"), confusion: join(folder, "digits-confusion.svg") };
  writeFileSync(paths.loss, pictures.loss);
  writeFileSync(paths.confusion, pictures.confusion);

  const worst = report.mistakes.slice(0, 3);
  const images = worst.map(({ image }) => test.images.at(image, 0).toArray() as number[][]);
  return {
    accuracy: report.accuracy,
    losses,
    pictures,
    text: [
      `${report.right} of ${test.labels.size} held-out digits are read after ${best.epoch} of ${epochs} epochs, the best on the validation digits: ${percent(report.accuracy)}, in ${seconds.toFixed(0)} s`,
      `the same with the weights read back from ${weights}`,
      `loss curve: ${paths.loss}; confusion matrix: ${paths.confusion}`,
      ...(worst.length > 0 ? ["the surest mistakes:", drawn(images)] : []),
      ...worst.map(({ label, answer, sure }) => `  ${named(label)} taken for ${named(answer)}, ${percent(sure)} sure`),
    ].join("\n"),
  };
}

const named = (digit: number): string => `${digit === 8 ? "an" : "a"} ${digit}`;
const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

if (process.argv[1]?.endsWith("digits.ts")) console.log((await digits()).text);

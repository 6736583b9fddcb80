/**
 * Search by meaning. A small language model turns each sentence into 384 numbers; sentences with a similar meaning have vectors with a similar
 * direction, even if they share no word. Run it, with or without a question of your own:
 *
 *   npx tsx examples/models/search.ts "How do plants eat?"
 *
 * The first run downloads the model (90 MB); `--int8` uses a smaller one (23 MB).
 */
import { pathToFileURL } from "node:url";
import { type Tensor, topk } from "stridewise";
import { loadOnnx, type OnnxModel } from "stridewise/onnx";
import { Tokenizer } from "./tokenizer.ts";
import { fetchWeights, weights } from "./weights.ts";

const sentences = [
  "Green leaves turn sunlight, water and air into sugar.",
  "A loaf needs flour, water, salt and a starter that is fed every day.",
  "The last tram to the harbor leaves at a quarter past midnight.",
  "Bees tell each other where flowers are by dancing.",
  "The recipe asks for six eggs and a pinch of saffron.",
  "Glaciers carve valleys as they slide toward the sea.",
  "She fixed the squeaky bicycle with a drop of oil.",
  "An octopus has three hearts and blue blood.",
  "Interest rates rose for the third time this year.",
  "The lighthouse keeper wrote a letter every evening.",
  "A good chair supports the small of the back.",
  "Compilers translate programs into instructions of a processor.",
  "Whales sing songs that travel across whole oceans.",
  "The orchestra tuned to the oboe before the concert.",
  "Rain is expected over the mountains on Thursday.",
  "Vaccines teach the immune system what to look for.",
];

const questions = ["How do plants eat?", "When can I get home at night?", "animals that make music", "sourdough"];

/** Texts as rows of length 1: the mean of the model's vectors of their tokens. */
export function embed(model: OnnxModel, tokenizer: Tokenizer, texts: readonly string[]): Tensor {
  const inputs = tokenizer.encode(texts);
  const { last_hidden_state: hidden } = model.run({ ...inputs }) as { last_hidden_state: Tensor };
  const mask = inputs.attention_mask.to("float32").unsqueeze(-1);
  const mean = hidden.mul(mask).sum(1).div(mask.sum(1));
  return mean.div(mean.norm(2, 1, { keepdims: true }));
}

/** The sentences with the most similar meaning, the best one first, with the cosine of the angle between the vectors. */
export function nearest(question: Tensor, rows: Tensor, count: number): { index: number; similarity: number }[] {
  const { values, indices } = topk(rows.matmul(question), count);
  const similarities = values.toArray() as number[];
  return (indices.toArray() as number[]).map((index, k) => ({ index, similarity: similarities[k] as number }));
}

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const tokenizer = new Tokenizer(await fetchWeights(weights.miniLmTokenizer));
  const model = await loadOnnx(await fetchWeights(args.includes("--int8") ? weights.miniLmInt8 : weights.miniLm));
  const own = args.filter((each) => !each.startsWith("--"));
  const rows = embed(model, tokenizer, sentences);
  for (const question of own.length > 0 ? own : questions) {
    console.log(`\n${question}`);
    for (const { index, similarity } of nearest(embed(model, tokenizer, [question]).at(0), rows, 3)) {
      const bar = "#".repeat(Math.max(0, Math.round(30 * similarity)));
      console.log(`  ${similarity.toFixed(2)} ${bar.padEnd(24)} ${sentences[index]}`);
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();

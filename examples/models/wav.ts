/** WAV files: reads 16-bit PCM and 32-bit float samples of one or more channels, and writes 16-bit PCM of one channel. */

export interface Sound {
  /** Samples per second. */
  readonly rate: number;
  /** Samples from -1 to 1; channels are averaged. */
  readonly samples: Float32Array;
}

/** Reads a WAV file. */
export function readWav(bytes: Uint8Array): Sound {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length < 12 || name(0) !== "RIFF" || name(8) !== "WAVE")
    throw new Error("readWav: the file is not a WAV file (RIFF ... WAVE)");
  let format: { code: number; channels: number; rate: number; bits: number } | null = null;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = Math.min(view.getUint32(at + 4, true), bytes.length - at - 8);
    const start = at + 8;
    if (name(at) === "fmt " && size >= 16) {
      const code = view.getUint16(start, true);
      format = {
        // 0xfffe: the code follows in the extension.
        code: code === 0xfffe && size >= 26 ? view.getUint16(start + 24, true) : code,
        channels: view.getUint16(start + 2, true),
        rate: view.getUint32(start + 4, true),
        bits: view.getUint16(start + 14, true),
      };
    } else if (name(at) === "data" && format !== null) {
      const { code, channels, rate, bits } = format;
      const isFloat = code === 3 && bits === 32;
      if (!(isFloat || (code === 1 && bits === 16)) || channels < 1)
        throw new Error(`readWav: format ${code} with ${bits} bits is not supported. Convert the file to 16-bit PCM`);
      const width = bits / 8;
      const samples = new Float32Array(Math.floor(size / (width * channels)));
      for (let i = 0; i < samples.length; i++) {
        let sum = 0;
        for (let c = 0; c < channels; c++) {
          const byte = start + (i * channels + c) * width;
          sum += isFloat ? view.getFloat32(byte, true) : view.getInt16(byte, true) / 32768;
        }
        samples[i] = sum / channels;
      }
      return { rate, samples };
    }
    at = start + size + (size % 2);
  }
  throw new Error("readWav: the file has no samples (a chunk named data after one named fmt)");
}

/** Writes a WAV file of 16-bit samples. */
export function writeWav({ rate, samples }: Sound): Uint8Array {
  const bytes = new Uint8Array(44 + 2 * samples.length);
  const view = new DataView(bytes.buffer);
  const text = (at: number, value: string): void => bytes.set(new TextEncoder().encode(value), at);
  text(0, "RIFF");
  view.setUint32(4, bytes.length - 8, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, 2 * rate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, 2 * samples.length, true);
  for (const [i, x] of samples.entries())
    view.setInt16(44 + 2 * i, Math.round(32767 * Math.max(-1, Math.min(1, x))), true);
  return bytes;
}

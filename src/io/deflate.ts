/**
 * Raw DEFLATE compression by the platform's CompressionStream.
 * It is there in browsers and in Node; some know "deflate-raw", the others "deflate", which is the same between a header of two bytes
 * and a checksum of four. Where neither exists the answer is undefined, and the caller stores.
 */

/** The bytes as a raw DEFLATE stream; undefined where the platform cannot compress. */
export async function deflate(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const raw = openStream("deflate-raw");
  if (raw !== undefined) return through(raw, bytes);
  const wrapped = openStream("deflate");
  return wrapped === undefined ? undefined : (await through(wrapped, bytes)).slice(2, -4);
}

function openStream(format: CompressionFormat): CompressionStream | undefined {
  try {
    return new CompressionStream(format);
  } catch {
    return undefined;
  }
}

async function through(stream: CompressionStream, bytes: Uint8Array): Promise<Uint8Array> {
  const result = new Response(stream.readable).arrayBuffer();
  const writer = stream.writable.getWriter();
  // In pieces, and copied: a stream refuses windows into shared memory.
  for (let at = 0; at < bytes.length; at += pieceLength) await writer.write(bytes.slice(at, at + pieceLength));
  await writer.close();
  return new Uint8Array(await result);
}

const pieceLength = 1 << 20;

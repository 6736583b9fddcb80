/**
 * Node's file system, found at run time so that no bundler sees it: reading a range, and writing a file so that nothing is
 * lost if it fails. Each read opens the file by itself, so there is nothing to close; a file that was changed since it was
 * first seen is refused. Elsewhere than in Node (Deno and Bun count as Node here) there is no file system.
 */
import { FileError, quoted } from "./file-error.ts";
import type { ByteSource } from "./reader.ts";

/** The part of `node:fs/promises` that is used here. */
interface FileSystem {
  open(path: string, flags: string, mode?: number): Promise<FileHandle>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  realpath(path: string): Promise<string>;
  stat(path: string): Promise<FileStatus>;
}
interface FileHandle {
  stat(): Promise<FileStatus>;
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  write(buffer: Uint8Array, offset: number, length: number): Promise<{ bytesWritten: number }>;
  chmod(mode: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}
interface FileStatus {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  readonly mode: number;
  isFile(): boolean;
}
interface NodeProcess {
  readonly versions?: { readonly node?: string };
  readonly getBuiltinModule?: (name: string) => unknown;
}

/** One system call reads or writes at most this much: below the 2 GiB that some systems refuse. */
const pieceLength = 1 << 30;

async function fileSystem(who: string, path: string): Promise<FileSystem> {
  const { process } = globalThis as { process?: NodeProcess };
  if (process?.versions?.node === undefined)
    throw new FileError(
      `${who}: ${quoted(path)} is a path, and there are no paths here. Pass a Blob (from a file input) or a Response (from fetch).`,
    );
  const name = ["node:fs", "promises"].join("/");
  const builtin = process.getBuiltinModule?.(name) as FileSystem | undefined;
  return builtin ?? ((await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as FileSystem);
}

/** Runs what may fail in the file system, and says for which file it did. */
async function attempt<T>(who: string, path: string, doing: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (cause instanceof FileError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FileError(`${who}: ${quoted(path)} cannot be ${doing}: ${reason}.`, undefined, { cause });
  }
}

/** The bytes of a file by its path. */
export async function openPath(who: string, path: string): Promise<ByteSource> {
  const fs = await fileSystem(who, path);
  const first = await attempt(who, path, "read", () => fs.stat(path));
  if (!first.isFile()) throw new FileError(`${who}: ${quoted(path)} is no file.`);
  return { size: first.size, read: (begin, end) => attempt(who, path, "read", () => readRange(begin, end)) };

  async function readRange(begin: number, end: number): Promise<Uint8Array> {
    const handle = await fs.open(path, "r");
    try {
      const now = await handle.stat();
      if (now.size !== first.size || now.mtimeMs !== first.mtimeMs || now.ino !== first.ino)
        throw new FileError(`${who}: ${quoted(path)} was changed while it was read. Read it again.`);
      const bytes = new Uint8Array(end - begin);
      let done = 0;
      while (done < bytes.length) {
        const length = Math.min(bytes.length - done, pieceLength);
        const { bytesRead } = await handle.read(bytes, done, length, begin + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return bytes.subarray(0, done);
    } finally {
      await handle.close();
    }
  }
}

/**
 * Writes a file from its parts.
 *
 * Promise: afterwards the path holds all of the parts, or an error was thrown and it holds what it held before.
 */
export async function writePath(who: string, path: string, parts: readonly Uint8Array[]): Promise<void> {
  const fs = await fileSystem(who, path);
  // A link stays a link: what it leads to is replaced.
  const target = await fs.realpath(path).catch(() => path);
  const old = await fs.stat(target).catch(() => undefined);
  if (old !== undefined && !old.isFile()) throw new FileError(`${who}: ${quoted(path)} is no file.`);
  const temporary = `${target}.${Math.random().toString(36).slice(2, 10)}.tmp`;
  await attempt(who, path, "written", async () => {
    const handle = await fs.open(temporary, "wx");
    try {
      try {
        if (old !== undefined) await handle.chmod(old.mode & 0o7777);
        for (const part of parts) await writeAll(handle, part);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await fs.rename(temporary, target);
    } catch (error) {
      await fs.unlink(temporary).catch(() => undefined);
      throw error;
    }
  });
}

async function writeAll(handle: FileHandle, part: Uint8Array): Promise<void> {
  for (let done = 0; done < part.length; ) {
    const { bytesWritten } = await handle.write(part, done, Math.min(part.length - done, pieceLength));
    done += bytesWritten;
  }
}

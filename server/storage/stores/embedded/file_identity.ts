/**
 * Watches that the store's files are still the ones that were opened: SQLite goes on writing into a file that
 * was removed or replaced, and what it writes is lost.
 */

/** The files' identity when they were opened; `-wal` holds what is not yet in the main file. */
export interface FileIdentity {
  /** Says what is wrong now, in words; undefined while all is well. */
  trouble(): Promise<string | undefined>;
}

interface Inode {
  readonly path: string;
  readonly dev: number;
  readonly ino: number | null;
}

/** Taken while the store is open, after its first write. */
export async function readFileIdentity(path: string): Promise<FileIdentity> {
  const inodes: Inode[] = [];
  for (const file of [path, `${path}-wal`]) {
    const info = await stat(file);
    if (info) inodes.push({ path: file, dev: info.dev, ino: info.ino });
  }
  return {
    trouble: async () => {
      for (const inode of inodes) {
        const trouble = await changeOf(inode);
        if (trouble) return trouble;
      }
      return undefined;
    },
  };
}

async function changeOf({ path, dev, ino }: Inode): Promise<string | undefined> {
  const now = await stat(path);
  if (!now) return `${path} was removed while the gateway runs`;
  if (now.dev !== dev || now.ino !== ino) return `${path} was replaced while the gateway runs`;
  // The write-ahead log may be empty, the database itself never is.
  if (now.size === 0 && !path.endsWith("-wal")) return `${path} was emptied while the gateway runs`;
  return undefined;
}

async function stat(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

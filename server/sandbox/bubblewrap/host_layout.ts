/** Finds what of this system a sandbox is made of. */

import type { HostLayout } from "./chains.ts";

/** Files of `/proc` that tell of the host, where the system has them. */
export const tellingFiles = [
  "cmdline",
  "config.gz",
  "diskstats",
  "interrupts",
  "kallsyms",
  "kcore",
  "key-users",
  "keys",
  "latency_stats",
  "modules",
  "pagetypeinfo",
  "partitions",
  "sched_debug",
  "slabinfo",
  "timer_list",
].map((name) => `/proc/${name}`);

/** Folders of a root file system that are links to those in `/usr` on most systems. */
const besideUsr = ["bin", "sbin", "lib", "lib32", "libx32", "lib64"] as const;
/** Folders that hold nothing a sandbox needs; the files of containers cover one of them, in their own namespace. */
const coverable = ["/mnt", "/media", "/srv"] as const;

/** Throws where no folder is free for the files of containers. `root`: an absolute path, or "" for this system. */
export function findHostLayout(root: string): HostLayout {
  const mountPoint = coverable.find((folder) => isFolder(folder) && !`${root}/`.startsWith(`${folder}/`));
  if (mountPoint === undefined) throw new Error(`None of the folders ${coverable.join(", ")} is free`);
  return {
    root,
    mountPoint,
    maskedFiles: tellingFiles.filter((path) => infoOf(path) !== undefined),
    folders: besideUsr.flatMap((name) => {
      const info = infoOf(`${root}/${name}`);
      if (info === undefined) return [];
      return [{ name, target: info.isSymlink ? Deno.readLinkSync(`${root}/${name}`) : undefined }];
    }),
  };
}

const isFolder = (path: string): boolean => infoOf(path)?.isDirectory === true;

function infoOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

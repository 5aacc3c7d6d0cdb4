/** Finds what of this system a sandbox is made of. */

import { dirname, resolve } from "node:path";
import type { HostLayout } from "./chains.ts";
import type { SandboxFolders } from "./sandbox_folders.ts";

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

/** Programs of the root that every sandbox is started with, and that the gateway itself runs in one. */
export const neededPrograms = [
  ...["base64", "bash", "cat", "chmod", "env", "find", "head", "prlimit", "sh", "tar", "xargs"],
  // For the walls that are tried.
  ...[
    "awk",
    "cut",
    "df",
    "grep",
    "id",
    "ls",
    "sed",
    "setarch",
    "sort",
    "stat",
    "tail",
    "tr",
    "unshare",
    "wc",
  ],
] as const;

/** Why the folders of the settings cannot be used, in one sentence for the operator. */
export class LayoutError extends Error {
  override readonly name = "LayoutError";
}

/** Throws a LayoutError where a root cannot be used, or no folder is free for the files of containers. */
export function findHostLayout({ root = "", packages: path }: SandboxFolders): HostLayout {
  const packages = path === undefined ? undefined : resolve(path);
  if (root !== "") checkRoot(root);
  const named = [root, packages ?? ""];
  const mountPoint = coverable.find((folder) =>
    isFolder(folder) && !named.some((path) => `${path}/`.startsWith(`${folder}/`))
  );
  if (mountPoint === undefined) {
    throw new LayoutError(
      `The folders ${coverable.join(", ")} are missing or in use: the files of containers need one of them.`,
    );
  }
  return {
    root,
    mountPoint,
    packages: packages !== undefined && isFolder(packages) ? packages : undefined,
    maskedFiles: tellingFiles.filter((path) => infoOf(path) !== undefined),
    folders: besideUsr.flatMap((name) => {
      const info = infoOf(`${root}/${name}`);
      if (info === undefined) return [];
      return [{ name, target: info.isSymlink ? Deno.readLinkSync(`${root}/${name}`) : undefined }];
    }),
  };
}

function checkRoot(root: string): void {
  const info = infoOf(root);
  if (info?.isDirectory !== true) throw new LayoutError(`sandbox.root is ${root}, which is no folder.`);
  if (((info.mode ?? 0) & OTHERS_WRITE) !== 0 || ![0, Deno.uid()].includes(info.uid ?? 0)) {
    throw new LayoutError(
      `sandbox.root is ${root}, which others may write: it has to be the gateway's or root's alone.`,
    );
  }
  if (
    Deno.uid() === 0 && parents(root).some((folder) => ((infoOf(folder)?.mode ?? 0) & OTHERS_ENTER) === 0)
  ) {
    throw new LayoutError(
      `sandbox.root is ${root}, which other users cannot reach: chmod o+x the folders above it.`,
    );
  }
  const missing = neededPrograms.filter((name) =>
    !["usr/bin", "bin", "usr/sbin"].some((folder) => infoOf(`${root}/${folder}/${name}`) !== undefined)
  );
  if (missing.length === 0) return;
  throw new LayoutError(
    `sandbox.root is ${root}, which has no ${
      missing.join(", ")
    }: it needs bash, coreutils, findutils, grep, sed, awk, ` +
      "tar and util-linux.",
  );
}

const OTHERS_WRITE = 0o022;
const OTHERS_ENTER = 0o001;

/** The folder and all above it. */
const parents = (path: string): readonly string[] => path === "/" ? ["/"] : [path, ...parents(dirname(path))];

const isFolder = (path: string): boolean => infoOf(path)?.isDirectory === true;

function infoOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

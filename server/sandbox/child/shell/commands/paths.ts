/** Commands about names of files: `mktemp`, `realpath` and `truncate`. */

import { posix } from "node:path";
import type { ResolvedCommandContext } from "just-bash";
import { FileError, strerror } from "../../files/file_error.ts";
import { CallError, parseOptions, UsageError } from "./options.ts";
import { plainCommand, printed } from "./plain_command.ts";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const MOST_LINKS = 40;
const MOST_TRIES = 10_000;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const DEFAULT_TEMPLATE = "tmp.XXXXXXXXXX";

/** The name with this number: nobody else is in the container, so that nothing has to be guessed. */
function lettersOf(number: number, places: number): string {
  let [letters, left] = ["", number];
  for (let place = 0; place < places; place++) {
    letters = LETTERS.charAt(left % LETTERS.length) + letters;
    left = Math.floor(left / LETTERS.length);
  }
  return letters;
}

async function freePath(
  template: string,
  { fs, cwd }: Pick<ResolvedCommandContext, "fs" | "cwd">,
): Promise<{ readonly path: string; readonly name: string }> {
  const found = /^(.*?)(X{3,})([^X/]*)$/s.exec(template);
  if (found === null) throw new UsageError(`too few X's in template '${template}'`);
  const [, before = "", places = "", suffix = ""] = found;
  for (let tried = 0; tried < MOST_TRIES; tried++) {
    const name = before + lettersOf(tried, places.length) + suffix;
    const path = fs.resolvePath(cwd, name);
    if (!await fs.exists(path)) return { path, name };
  }
  throw new UsageError(`failed to create file via template '${template}': File exists`);
}

export const mktemp = plainCommand("mktemp", async (args, context) => {
  const { options, operands } = parseOptions(args, {
    without: "dqtu",
    withValue: "pS",
    long: new Map([
      ["--directory", "-d"],
      ["--quiet", "-q"],
      ["--dry-run", "-u"],
      ["--tmpdir", "-t"],
      ["--suffix", "-S"],
    ]),
  });
  if (operands.length > 1) throw new CallError("too many templates");
  const [template = DEFAULT_TEMPLATE] = operands;
  const isInFolder = operands.length === 0 || options.has("p") || options.has("t");
  const folder = options.get("p") ?? context.env.get("TMPDIR") ?? "/tmp";
  const whole = (isInFolder ? posix.join(folder, template) : template) + (options.get("S") ?? "");
  const { path, name } = await freePath(whole, context);
  const isFolder = options.has("d");
  try {
    if (!options.has("u")) await makeTemporary(path, { fs: context.fs, isFolder });
    return printed(`${name}\n`);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (options.has("q")) return printed("", 1);
    const kind = isFolder ? "directory" : "file";
    throw new UsageError(`failed to create ${kind} via template '${whole}': ${strerror[error.code]}`);
  }
});

async function makeTemporary(
  path: string,
  { fs, isFolder }: Pick<ResolvedCommandContext, "fs"> & { readonly isFolder: boolean },
): Promise<void> {
  if (isFolder) await fs.mkdir(path);
  else await fs.writeFile(path, "");
  await fs.chmod(path, isFolder ? FOLDER_MODE : FILE_MODE);
}

/** Without links, as far as it is there. Throws a UsageError. */
async function resolved(
  operand: string,
  { context: { fs, cwd }, mayMiss }: {
    readonly context: ResolvedCommandContext;
    readonly mayMiss: "all" | "last" | "none";
  },
): Promise<string> {
  if (operand === "") throw new UsageError("'': No such file or directory");
  const missing = new UsageError(`${operand}: ${strerror.ENOENT}`);
  let path = fs.resolvePath(cwd, operand).replace(/(?!^)\/$/, "");
  for (let links = 0; !await fs.exists(path); links++) {
    if (links > MOST_LINKS) throw new UsageError(`${operand}: ${strerror.ELOOP}`);
    const target = await fs.readlink(path).catch((error: unknown) => {
      if (error instanceof FileError) return undefined;
      throw error;
    });
    if (target === undefined) break;
    path = fs.resolvePath(posix.dirname(path), target);
  }
  if (await fs.exists(path)) return await fs.realpath(path);
  const parent = posix.dirname(path);
  if (mayMiss === "none" || (mayMiss === "last" && !await fs.exists(parent))) throw missing;
  if (!await fs.exists(parent)) return path;
  const isBelowFile = mayMiss === "last" && !(await fs.stat(parent)).isDirectory;
  if (isBelowFile) throw new UsageError(`${operand}: ${strerror.ENOTDIR}`);
  return posix.join(await fs.realpath(parent), posix.basename(path));
}

export const realpath = plainCommand("realpath", async (args, context) => {
  const { options, operands } = parseOptions(args, {
    without: "emqsz",
    withValue: "RB",
    long: new Map([
      ["--canonicalize-existing", "-e"],
      ["--canonicalize-missing", "-m"],
      ["--no-symlinks", "-s"],
      ["--quiet", "-q"],
      ["--relative-to", "-R"],
      ["--relative-base", "-B"],
    ]),
  });
  if (options.has("B")) throw new UsageError("--relative-base is not there");
  if (operands.length === 0) throw new CallError("missing operand");
  const mayMiss = options.has("m") ? "all" : options.has("e") ? "none" : "last";
  const pathOf = async (operand: string) =>
    options.has("s")
      ? context.fs.resolvePath(context.cwd, operand)
      : await resolved(operand, { context, mayMiss });
  const base = options.get("R");
  const from = base === undefined ? undefined : await pathOf(base);
  const end = options.has("z") ? "\0" : "\n";
  let [stdout, stderr, exitCode] = ["", "", 0];
  for (const operand of operands) {
    try {
      const path = await pathOf(operand);
      stdout += (from === undefined ? path : posix.relative(from, path) || ".") + end;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      exitCode = 1;
      if (!options.has("q")) stderr += `realpath: ${error.message}\n`;
    }
  }
  return { stdout, stderr, exitCode };
});

const units: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["K", 1024],
  ["M", 1024 ** 2],
  ["G", 1024 ** 3],
  [
    "KB",
    1000,
  ],
  ["MB", 1000 ** 2],
]);
const MOST = 1024 ** 3;

function newSize(text: string, before: number): number {
  const [, sign = "", digits = "", unit = ""] = /^([-+<>%/]?)(\d{1,12})([KMG]B?|)$/.exec(text) ?? [];
  const factor = units.get(unit);
  if (digits === "" || factor === undefined) throw new UsageError(`Invalid number: '${text}'`);
  const amount = Number(digits) * factor;
  if (amount === 0 && (sign === "%" || sign === "/")) throw new UsageError("division by zero");
  const sizes = new Map([
    ["+", before + amount],
    ["-", Math.max(before - amount, 0)],
    [
      "<",
      Math.min(before, amount),
    ],
    [
      ">",
      Math.max(before, amount),
    ],
    ["%", Math.ceil(before / amount) * amount],
    ["/", Math.floor(before / amount) * amount],
  ]);
  const size = sizes.get(sign) ?? amount;
  if (size > MOST) throw new UsageError("File too large");
  return size;
}

export const truncate = plainCommand("truncate", async (args, { fs, cwd }) => {
  const { options, operands } = parseOptions(args, {
    without: "c",
    withValue: "sr",
    long: new Map([["--size", "-s"], ["--no-create", "-c"], ["--reference", "-r"]]),
  });
  const [size, reference] = [options.get("s"), options.get("r")];
  if (size === undefined && reference === undefined) {
    throw new CallError("you must specify either '--size' or '--reference'");
  }
  if (operands.length === 0) throw new CallError("missing file operand");
  const sizeOf = await sizeFrom({ size, reference }, { fs, cwd });
  let stderr = "";
  for (const operand of operands) {
    try {
      const path = fs.resolvePath(cwd, operand);
      const isThere = await fs.exists(path);
      if (!isThere && options.has("c")) continue;
      await resize(path, { fs, isThere, sizeOf });
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      const words = strerror[error.code];
      stderr += error.code === "ENOSPC"
        ? `truncate: failed to truncate '${operand}': ${words}\n`
        : `truncate: cannot open '${operand}' for writing: ${words}\n`;
    }
  }
  return { stdout: "", stderr, exitCode: stderr === "" ? 0 : 1 };
});

type SizeOf = (before: number) => number;

async function sizeFrom(
  { size, reference = "" }: { readonly size: string | undefined; readonly reference: string | undefined },
  { fs, cwd }: Pick<ResolvedCommandContext, "fs" | "cwd">,
): Promise<SizeOf> {
  if (size !== undefined) return (before) => newSize(size, before);
  const path = fs.resolvePath(cwd, reference);
  if (!await fs.exists(path)) throw new UsageError(`cannot stat '${reference}': ${strerror.ENOENT}`);
  const { size: length } = await fs.stat(path);
  return () => length;
}

async function resize(
  path: string,
  { fs, isThere, sizeOf }: Pick<ResolvedCommandContext, "fs"> & {
    readonly isThere: boolean;
    readonly sizeOf: SizeOf;
  },
): Promise<void> {
  const before = isThere ? await fs.readFileBuffer(path) : new Uint8Array();
  const length = sizeOf(before.length);
  const after = new Uint8Array(length);
  after.set(before.subarray(0, length));
  await fs.writeFile(path, after);
}

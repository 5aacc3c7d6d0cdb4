/** Commands about names of files: `mktemp`, `realpath` and `truncate`. */

import { posix } from "node:path";
import type { ResolvedCommandContext } from "just-bash";
import { parseOptions, UsageError } from "./options.ts";
import { plainCommand, printed } from "./plain_command.ts";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
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
  if (operands.length > 1) throw new UsageError("too many templates");
  const [template = DEFAULT_TEMPLATE] = operands;
  const isInFolder = operands.length === 0 || options.has("p") || options.has("t");
  const folder = options.get("p") ?? context.env.get("TMPDIR") ?? "/tmp";
  const whole = (isInFolder ? posix.join(folder, template) : template) + (options.get("S") ?? "");
  const { path, name } = await freePath(whole, context);
  const { fs } = context;
  if (options.has("u")) return printed(`${name}\n`);
  if (options.has("d")) await fs.mkdir(path);
  else await fs.writeFile(path, "");
  await fs.chmod(path, options.has("d") ? FOLDER_MODE : FILE_MODE);
  return printed(`${name}\n`);
});

/** Without links, as far as it is there. Throws a UsageError. */
async function resolved(
  operand: string,
  { context: { fs, cwd }, mayMiss }: {
    readonly context: ResolvedCommandContext;
    readonly mayMiss: "all" | "last" | "none";
  },
): Promise<string> {
  const path = fs.resolvePath(cwd, operand).replace(/(?!^)\/$/, "");
  if (await fs.exists(path)) return await fs.realpath(path);
  const parent = posix.dirname(path);
  const isMissed = mayMiss === "none" || (mayMiss === "last" && !await fs.exists(parent));
  if (isMissed) throw new UsageError(`${operand}: No such file or directory`);
  const above = await fs.exists(parent) ? await fs.realpath(parent) : parent;
  return posix.join(above, posix.basename(path));
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
  if (operands.length === 0) throw new UsageError("missing operand");
  const mayMiss = options.has("m") ? "all" : options.has("e") ? "none" : "last";
  const pathOf = async (operand: string) =>
    options.has("s")
      ? context.fs.resolvePath(context.cwd, operand)
      : await resolved(operand, { context, mayMiss });
  const base = options.get("R");
  const from = base === undefined ? undefined : await pathOf(base);
  const paths: string[] = [];
  for (const operand of operands) {
    const path = await pathOf(operand);
    paths.push(from === undefined ? path : posix.relative(from, path) || ".");
  }
  return printed(paths.map((path) => `${path}\n`).join(""));
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
  const [, sign = "", digits = "", unit = ""] = /^([-+<>]?)(\d{1,12})([KMG]B?|)$/.exec(text) ?? [];
  const factor = units.get(unit);
  if (digits === "" || factor === undefined) throw new UsageError(`Invalid number: '${text}'`);
  const amount = Number(digits) * factor;
  const sizes = new Map([["+", before + amount], ["-", Math.max(before - amount, 0)], [
    "<",
    Math.min(before, amount),
  ], [
    ">",
    Math.max(before, amount),
  ]]);
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
    throw new UsageError("you must specify either '--size' or '--reference'");
  }
  if (operands.length === 0) throw new UsageError("missing file operand");
  for (const operand of operands) {
    const path = fs.resolvePath(cwd, operand);
    const isThere = await fs.exists(path);
    if (!isThere && options.has("c")) continue;
    const before = isThere ? await fs.readFileBuffer(path) : new Uint8Array();
    const length = size === undefined
      ? (await fs.stat(fs.resolvePath(cwd, reference ?? ""))).size
      : newSize(size, before.length);
    const after = new Uint8Array(length);
    after.set(before.subarray(0, length));
    await fs.writeFile(path, after);
  }
  return printed("");
});

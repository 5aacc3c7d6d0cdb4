/**
 * Packages of Python for the engine `bubblewrap`: wheels that the settings name, checked, unpacked once in a sandbox
 * and kept in the data folder, from where every sandbox has them.
 */

import * as z from "zod";
import type { Logger } from "../../runtime.ts";

/** A file, as the settings name it. */
interface WheelFile {
  readonly path: string;
  /** Check sum of its bytes, in hexadecimal digits. */
  readonly sha256: string;
}

interface WheelFilesOptions {
  readonly wheels: readonly WheelFile[];
  /** Folder that has the packages and the list of them. */
  readonly folder: string;
  readonly log: Logger;
}

/** Unpacks and compiles a wheel; a string says why it cannot be used. */
type UnpackWheel = (wheel: NamedWheel) => Promise<readonly UnpackedFile[] | string>;

export interface NamedWheel {
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

export interface UnpackedFile {
  /** Not yet checked. */
  readonly path: string;
  readonly content: Uint8Array;
}

interface InstallInput {
  /** Version of the Python that is to load them. */
  readonly python: string;
  readonly unpack: UnpackWheel;
}

const listSchema = z.strictObject({
  python: z.string(),
  sha256: z.array(z.string()),
  /** Wheels that cannot be used, in a sentence each. */
  faults: z.array(z.string()),
});
type WheelList = z.output<typeof listSchema>;

/** The folder that sandboxes have; undefined where no wheel is named. */
export function packagesFolder(dataFolder: string, wheels: readonly WheelFile[]): string | undefined {
  return wheels.length === 0 ? undefined : `${wheelsFolder(dataFolder)}/packages`;
}

export const wheelsFolder = (dataFolder: string): string => `${dataFolder}/wheels`;

const MAX_PATH_CHARS = 1_024;
const MAX_LEVELS = 32;
const READABLE_FILE = 0o644;
const READABLE_FOLDER = 0o755;

export class WheelFiles {
  readonly #options: WheelFilesOptions;

  constructor(options: WheelFilesOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#options.wheels.length === 0;
  }

  /** Unpacks them where that has not been done for this Python, and says which cannot be used. */
  async install({ python, unpack }: InstallInput): Promise<void> {
    const { wheels, log } = this.#options;
    const sha256 = wheels.map((wheel) => wheel.sha256);
    const known = await this.#readList();
    const isKnown = known?.python === python && known.sha256.join() === sha256.join();
    const faults = isKnown ? known.faults : await this.#unpackAll(unpack);
    if (!isKnown) await this.#writeList({ python, sha256, faults: [...faults] });
    for (const reason of faults) log.error("A wheel of Python cannot be used", { reason });
  }

  async #unpackAll(unpack: UnpackWheel): Promise<readonly string[]> {
    const { wheels, folder, log } = this.#options;
    log.info("Unpacking wheels of Python", { count: wheels.length });
    const packages = `${folder}/packages`;
    await removeAll(folder);
    await makeFolder(packages);
    const faults: string[] = [];
    for (const wheel of wheels) {
      const fault = await this.#unpackOne(wheel, { unpack, packages });
      if (fault !== undefined) faults.push(`sandbox.python_wheels: ${wheel.path}: ${fault}`);
    }
    return faults;
  }

  async #unpackOne(
    { path, sha256 }: WheelFile,
    { unpack, packages }: Pick<InstallInput, "unpack"> & { readonly packages: string },
  ): Promise<string | undefined> {
    const content = await readWheel(path);
    if (content === undefined) return "there is no such file";
    const found = new Uint8Array(await crypto.subtle.digest("SHA-256", content)).toHex();
    if (found !== sha256) return `its SHA-256 is ${found}, not the one of the settings`;
    const files = await unpack({ name: path.slice(path.lastIndexOf("/") + 1), content });
    if (typeof files === "string") return files;
    const bad = files.find((file) => !isPath(file.path));
    if (bad !== undefined) return `it has a file with the name ${JSON.stringify(bad.path.slice(0, 100))}`;
    const made = new Set<string>();
    for (const file of files) await writeFile(packages, { file, made });
    return undefined;
  }

  async #readList(): Promise<WheelList | undefined> {
    try {
      return listSchema.parse(JSON.parse(await Deno.readTextFile(`${this.#options.folder}/list.json`)));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  }

  async #writeList(list: WheelList): Promise<void> {
    await Deno.writeTextFile(`${this.#options.folder}/list.json`, JSON.stringify(list));
  }
}

/** Relative, and nowhere else than below. */
const isPath = (path: string): boolean =>
  path.length <= MAX_PATH_CHARS && path.split("/").length <= MAX_LEVELS &&
  path.split("/").every((part) => /^[^\\\0]{1,255}$/.test(part) && part !== "." && part !== "..");

async function readWheel(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return await Deno.readFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function removeAll(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** For the users of containers too, whatever the gateway's own files are like. */
async function makeFolder(path: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true });
  await Deno.chmod(path, READABLE_FOLDER);
}

async function writeFile(
  packages: string,
  { file, made }: { readonly file: UnpackedFile; readonly made: Set<string> },
): Promise<void> {
  const parts = file.path.split("/");
  for (let depth = 1; depth < parts.length; depth++) {
    const folder = `${packages}/${parts.slice(0, depth).join("/")}`;
    if (!made.has(folder)) await makeFolder(folder);
    made.add(folder);
  }
  const path = `${packages}/${file.path}`;
  await Deno.writeFile(path, file.content);
  await Deno.chmod(path, READABLE_FILE);
}

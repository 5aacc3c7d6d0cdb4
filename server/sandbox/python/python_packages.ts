/** Python packages besides the standard library: fetched once, checked, and kept in the data folder. */

import { SharedWork } from "../../../shared/util/memo.ts";
import type { Clock, Logger } from "../../runtime.ts";
import type { LockedPackage, PackageLock } from "./package_lock.ts";

export interface PythonPackagesOptions {
  readonly lock: PackageLock;
  /** Names of packages that may be imported, with what they need. */
  readonly allowed: readonly string[];
  /** Address of the folder that has the files. */
  readonly index: string;
  /** Folder that keeps them; undefined: they are fetched each time. */
  readonly folder: string | undefined;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface PythonWheel {
  readonly filename: string;
  readonly content: Uint8Array;
}

/** A package cannot be had; the message is for the model. */
export class PackageError extends Error {
  override readonly name = "PackageError";
}

const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 120_000;
const HOW =
  "Its operator adds packages with sandbox.python_packages in the configuration file and `deno task setup`.";

export class PythonPackages {
  readonly #options: PythonPackagesOptions;
  readonly #allowed: ReadonlyMap<string, LockedPackage>;
  readonly #loads = new SharedWork<string, Uint8Array>();

  constructor(options: PythonPackagesOptions) {
    this.#options = options;
    this.#allowed = options.lock.closure(options.allowed);
  }

  /** Of a module that could not be imported; none where no package brings it. Rejects with a PackageError. */
  async find(module: string): Promise<readonly PythonWheel[]> {
    const { lock } = this.#options;
    const name = lock.nameOf(module);
    if (name === undefined) return [];
    if (!this.#allowed.has(name)) {
      throw new PackageError(`The package ${name} is not switched on in this gateway. ${HOW}`);
    }
    return await this.#wheels(lock.closure([name]));
  }

  /** Fetches what is allowed ahead of its first use; counts it. Rejects with a PackageError. */
  async fetchAll(): Promise<number> {
    return (await this.#wheels(this.#allowed)).length;
  }

  async #wheels(packages: ReadonlyMap<string, LockedPackage>): Promise<readonly PythonWheel[]> {
    const wheels: PythonWheel[] = [];
    for (const [name, one] of packages) {
      const content = await this.#loads.run(one.file, () => this.#load(name, one));
      wheels.push({ filename: one.file, content });
    }
    return wheels;
  }

  async #load(name: string, one: LockedPackage): Promise<Uint8Array> {
    const kept = await this.#read(one.file);
    if (kept !== undefined && await sha256Of(kept) === one.sha256) return kept;
    const content = await this.#fetch(name, one.file);
    if (await sha256Of(content) !== one.sha256) {
      this.#options.log.error("Python package is not what its lock says", { name });
      throw new PackageError(`The package ${name} could not be checked: its file is not what it should be.`);
    }
    await this.#write(one.file, content);
    return content;
  }

  async #read(file: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { folder } = this.#options;
    if (folder === undefined) return undefined;
    try {
      return await Deno.readFile(`${folder}/${file}`);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  }

  /** Whole or not at all. */
  async #write(file: string, content: Uint8Array): Promise<void> {
    const { folder, log, clock } = this.#options;
    if (folder === undefined) return;
    const unfinished = `${folder}/.${file}.${clock.now()}`;
    try {
      await Deno.mkdir(folder, { recursive: true });
      await Deno.writeFile(unfinished, content);
      await Deno.rename(unfinished, `${folder}/${file}`);
    } catch (error) {
      log.warn("Cannot keep Python package", { file, error: String(error) });
    }
  }

  async #fetch(name: string, file: string): Promise<Uint8Array<ArrayBuffer>> {
    const { index, clock, log } = this.#options;
    log.info("Fetching Python package", { name });
    const abort = new AbortController();
    const cancel = clock.after(
      TIMEOUT_MS,
      () => abort.abort(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)),
    );
    try {
      const address = `${index}${index.endsWith("/") ? "" : "/"}${encodeURIComponent(file)}`;
      const response = await this.#options.fetch(address, { signal: abort.signal });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`status ${response.status}`);
      }
      return await readUpTo(MAX_BYTES, response.body);
    } catch (error) {
      log.warn("Cannot fetch Python package", { name, error: String(error) });
      throw new PackageError(`The package ${name} could not be fetched. ${HOW}`, { cause: error });
    } finally {
      cancel();
    }
  }
}

async function sha256Of(bytes: Uint8Array<ArrayBuffer> | Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", Uint8Array.from(bytes));
  return Buffer.from(digest).toString("hex");
}

async function readUpTo(
  most: number,
  body: ReadableStream<Uint8Array> | null,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > most) throw new Error(`the file is larger than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Python packages besides the standard library: fetched once, checked, and kept in the data folder. */

import type { PythonWheel } from "../python_wheel.ts";
import { SharedWork } from "../../../shared/util/memo.ts";
import type { Clock, Logger } from "../../runtime.ts";
import type { LockedPackage, PackageLock } from "./package_lock.ts";

interface PythonPackagesOptions {
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

/** A package cannot be had; the message is for the model. */
class PackageError extends Error {
  override readonly name = "PackageError";
  /** Why, in a few words, for the operator. */
  readonly reason: string;
  /** True where nothing has answered: no other file is to be had either. */
  readonly isUnreachable: boolean;

  constructor(message: string, { reason, cause, isUnreachable = false }: PackageErrorOptions) {
    super(message, { cause });
    this.reason = reason;
    this.isUnreachable = isUnreachable;
  }
}

interface PackageErrorOptions {
  readonly reason: string;
  readonly cause?: unknown;
  readonly isUnreachable?: boolean;
}

/** One of the packages that may be imported, after an attempt to have it. */
export interface PackageResult {
  readonly name: string;
  /** Why it, or a package that it needs, is not there; undefined where all are. */
  readonly problem?: string;
}

const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 120_000;
const HOW =
  "Its operator adds packages with sandbox.python_packages in the configuration file and `deno task setup`.";

export class PythonPackages {
  readonly #options: PythonPackagesOptions;
  readonly #allowed: ReadonlyMap<string, LockedPackage>;
  readonly #loads = new SharedWork<string, Uint8Array<ArrayBuffer>>();

  constructor(options: PythonPackagesOptions) {
    this.#options = options;
    this.#allowed = options.lock.closure(options.allowed);
  }

  /**
   * Finds the wheels of a module that could not be imported; none where no package brings it. Rejects with a
   * PackageError.
   */
  async find(module: string): Promise<readonly PythonWheel[]> {
    const { lock } = this.#options;
    const name = lock.nameOf(module);
    if (name === undefined) return [];
    if (!this.#allowed.has(name)) {
      const message = `The package ${name} is not switched on in this gateway. ${HOW}`;
      throw new PackageError(message, { reason: "it is not switched on" });
    }
    return await this.#wheels(lock.closure([name]));
  }

  /** Fetches what is allowed ahead of its first use, and goes on where one cannot be had. */
  async fetchAll(): Promise<readonly PackageResult[]> {
    const { lock, allowed, index } = this.#options;
    const results: PackageResult[] = [];
    let unreachable: string | undefined;
    for (const name of allowed) {
      const closure = lock.closure([name]);
      if (closure.size === 0) {
        results.push({ name, problem: "Pyodide's distribution has no package of this name" });
        continue;
      }
      const error = await this.#failureOf(closure, unreachable);
      if (error?.isUnreachable) unreachable ??= `${new URL(index).host} cannot be reached`;
      results.push({ name, problem: error?.isUnreachable ? unreachable : error?.reason });
    }
    return results;
  }

  /** Undefined where all of them are there. With `unreachable`, only kept files are looked at. */
  async #failureOf(
    packages: ReadonlyMap<string, LockedPackage>,
    unreachable: string | undefined,
  ): Promise<PackageError | undefined> {
    try {
      await this.#wheels(packages, unreachable);
      return undefined;
    } catch (error) {
      if (error instanceof PackageError) return error;
      throw error;
    }
  }

  async #wheels(
    packages: ReadonlyMap<string, LockedPackage>,
    unreachable?: string,
  ): Promise<readonly PythonWheel[]> {
    const wheels: PythonWheel[] = [];
    for (const [name, one] of packages) {
      const content = await this.#loads.run(one.file, () => this.#load(name, { one, unreachable }));
      wheels.push({ filename: one.file, content });
    }
    return wheels;
  }

  async #load(name: string, { one, unreachable }: PackageLoad): Promise<Uint8Array<ArrayBuffer>> {
    const kept = await this.#read(one.file);
    if (kept !== undefined && await sha256Of(kept) === one.sha256) return kept;
    if (unreachable !== undefined) {
      throw new PackageError(`The package ${name} could not be fetched. ${HOW}`, {
        reason: unreachable,
        isUnreachable: true,
      });
    }
    const content = await this.#fetch(name, one.file);
    if (await sha256Of(content) !== one.sha256) {
      this.#options.log.error("Python package is not what its lock says", { name });
      const message = `The package ${name} could not be checked: its file is not what it should be.`;
      throw new PackageError(message, {
        reason: `the file of ${name} has another checksum than its lock says`,
      });
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
    let answered = false;
    const cancel = clock.after(
      TIMEOUT_MS,
      () => abort.abort(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)),
    );
    try {
      const address = `${index}${index.endsWith("/") ? "" : "/"}${encodeURIComponent(file)}`;
      const response = await this.#options.fetch(address, { signal: abort.signal });
      answered = true;
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`status ${response.status}`);
      }
      return await readUpTo(MAX_BYTES, response.body);
    } catch (error) {
      log.warn("Cannot fetch Python package", { name, error: String(error) });
      const { host } = new URL(index);
      // The run-time's own words for a connection that failed say nothing to an operator.
      const reason = error instanceof TypeError
        ? `there is no connection to ${host}`
        : `${host} did not give ${name}: ${error instanceof Error ? error.message : String(error)}`;
      const options = { reason, cause: error, isUnreachable: !answered };
      throw new PackageError(`The package ${name} could not be fetched. ${HOW}`, options);
    } finally {
      cancel();
    }
  }
}

interface PackageLoad {
  readonly one: LockedPackage;
  /** Why nothing is fetched; undefined where it may be. */
  readonly unreachable?: string;
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

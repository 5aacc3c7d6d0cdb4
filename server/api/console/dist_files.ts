/**
 * The console's built files. `console/build.ts` writes them with a manifest; a name that is not in the manifest is no
 * file. They are held in memory until the console is built anew.
 */

import * as z from "zod";

const builtFileSchema = z.object({
  type: z.string(),
  size: z.int().nonnegative(),
  etag: z.string(),
  /** Its name carries a hash of its content. */
  immutable: z.boolean(),
});

const manifestSchema = z.object({ files: z.record(z.string().regex(/^[A-Za-z0-9._-]+$/), builtFileSchema) });

export interface ConsoleFile extends z.infer<typeof builtFileSchema> {
  readonly content: Uint8Array<ArrayBuffer>;
  /** The same, compressed. */
  readonly gzip: Uint8Array<ArrayBuffer>;
}

interface Held {
  /** Time of the manifest, milliseconds since the epoch. */
  readonly builtAt: number;
  readonly rows: ReadonlyMap<string, z.infer<typeof builtFileSchema>>;
  readonly files: Map<string, ConsoleFile>;
}

/** The page of every address that has none of its own. */
const ANY_PAGE = "index.html";
/** The page of `/console` itself. */
const FIRST_PAGE = "overview";

export class ConsoleFiles {
  readonly #folder: URL;
  #held: Held | undefined;

  /** `folder`: with a slash at the end. */
  constructor(folder: URL) {
    this.#folder = folder;
  }

  /** Whether a console is built and may be read. */
  async isBuilt(): Promise<boolean> {
    try {
      return await this.#current() !== undefined;
    } catch (error) {
      // A folder that may not be read is told to the browser that asks for it.
      if (error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied) {
        return false;
      }
      throw error;
    }
  }

  /**
   * Undefined for a name that the manifest does not list, "missing" where no console is built. Throws where the
   * folder cannot be read for another reason.
   */
  async find(name: string): Promise<ConsoleFile | "missing" | undefined> {
    const held = await this.#current();
    if (held === undefined) return "missing";
    const row = held.rows.get(name);
    if (row === undefined) return undefined;
    const known = held.files.get(name);
    if (known !== undefined) return known;
    const [content, gzip] = await Promise.all(
      [name, `${name}.gz`].map((one) => Deno.readFile(new URL(one, this.#folder))),
    );
    if (content === undefined || gzip === undefined) return undefined;
    const file = { ...row, content, gzip };
    held.files.set(name, file);
    return file;
  }

  /** The page of an address below `/console`: each preloads the scripts that it needs. */
  async findPage(name: string): Promise<ConsoleFile | "missing" | undefined> {
    return await this.find(`${name || FIRST_PAGE}.html`) ?? await this.find(ANY_PAGE);
  }

  async #current(): Promise<Held | undefined> {
    const url = new URL("manifest.json", this.#folder);
    try {
      const { mtime } = await Deno.stat(url);
      const builtAt = mtime?.getTime() ?? 0;
      if (this.#held?.builtAt === builtAt) return this.#held;
      const { files } = manifestSchema.parse(JSON.parse(await Deno.readTextFile(url)));
      return this.#held = { builtAt, rows: new Map(Object.entries(files)), files: new Map() };
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  }
}

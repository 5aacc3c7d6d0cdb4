/** Which Python packages there are for this version of Pyodide: their files, and what they need. */

import * as z from "zod";

const packageSchema = z.object({
  file: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._+-]*\.whl$/),
  sha256: z.string().regex(/^[\da-f]{64}$/),
  /** Names of packages. */
  depends: z.array(z.string()),
  /** Modules that it brings. */
  imports: z.array(z.string()),
});

const packageLockSchema = z.record(z.string(), packageSchema);
export type LockedPackage = z.infer<typeof packageSchema>;

export class PackageLock {
  readonly #packages: ReadonlyMap<string, LockedPackage>;
  readonly #byModule = new Map<string, string>();

  /** Throws a ZodError for what is no lock. */
  constructor(json: unknown) {
    this.#packages = new Map(Object.entries(packageLockSchema.parse(json)));
    for (const [name, { imports }] of this.#packages) {
      for (const module of imports) this.#byModule.set(module, name);
    }
  }

  /** The package that brings a module; undefined where none does. */
  nameOf(module: string): string | undefined {
    return this.#byModule.get(module);
  }

  /** Packages with all that they need, each once, what is needed before what needs it. Unknown names are left out. */
  closure(names: Iterable<string>): ReadonlyMap<string, LockedPackage> {
    const found = new Map<string, LockedPackage>();
    const open = new Set<string>();
    const add = (name: string) => {
      const one = this.#packages.get(normalize(name));
      if (one === undefined || open.has(name)) return;
      open.add(name);
      for (const needed of one.depends) add(needed);
      found.set(normalize(name), one);
    };
    for (const name of names) add(name);
    return found;
  }
}

/** As Python's indexes do: `PyYAML` and `py_yaml` are written alike. */
const normalize = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, "-");

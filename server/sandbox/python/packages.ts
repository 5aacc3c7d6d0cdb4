/** The packages of the version of Pyodide that containers run, from its own lock file. */

import { PackageLock } from "./package_lock.ts";
import packages from "./packages.json" with { type: "json" };

/** That of `pyodide` in server/sandbox/child/deno.json. */
export const PYODIDE_VERSION = "314.0.7";

/** Where the distribution has its files. */
export const DEFAULT_INDEX = `https://cdn.jsdelivr.net/pyodide/v${PYODIDE_VERSION}/full/`;

export const pyodideLock = (): PackageLock => new PackageLock(packages);

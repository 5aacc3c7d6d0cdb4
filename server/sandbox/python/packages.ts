/** The packages of the version of Pyodide that containers run, from its own lock file. */

import { PackageLock } from "./package_lock.ts";
import { PYODIDE_VERSION } from "./pyodide_version.ts";
import packages from "./packages.json" with { type: "json" };

/** Where the distribution has its files. */
export const DEFAULT_INDEX = `https://cdn.jsdelivr.net/pyodide/v${PYODIDE_VERSION}/full/`;

export const pyodideLock = (): PackageLock => new PackageLock(packages);

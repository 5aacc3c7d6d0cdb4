/** Settings that hold at the moment, for parts that outlive a reload. */

import type { Config } from "../../config/config.ts";
import type { Catalog } from "../../providers/catalog/catalog.ts";
import type { FileLimits } from "../../storage/files/file_limits.ts";

/** One reading of the settings, with the catalog that it makes. */
export interface Settings {
  readonly config: Config;
  readonly catalog: Catalog;
}

/** Replaced as a whole: who asks twice within one turn gets the same both times. */
export class InForce {
  #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get config(): Config {
    return this.#settings.config;
  }

  get catalog(): Catalog {
    return this.#settings.catalog;
  }

  replace(settings: Settings): void {
    this.#settings = settings;
  }
}

/** Rules for what may be fetched, as they hold when they are asked. */
export const fetchPolicyOf = (inForce: InForce): Config["fetch"] => ({
  get allowHttp() {
    return inForce.config.fetch.allowHttp;
  },
  get allowedHosts() {
    return inForce.config.fetch.allowedHosts;
  },
});

/** Sizes of files, likewise. */
export const fileLimitsOf = (inForce: InForce): FileLimits => ({
  get maxFileBytes() {
    return inForce.config.limits.maxFileBytes;
  },
  get workspaceFileBytes() {
    return inForce.config.limits.workspaceFileBytes;
  },
});

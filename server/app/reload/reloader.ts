/**
 * Reads the settings again while the gateway runs. Everything that they need is made first, so that a fault leaves the
 * old ones in force, and then they are exchanged at once: a request has all of one reading to its end.
 */

import { ApiError } from "../../../shared/errors.ts";
import type { ReloadReport } from "../../../shared/management/gateway/reload.ts";
import { pause } from "../../../shared/util/pause.ts";
import { type Config, ConfigError } from "../../config/config.ts";
import { compareSettings, keepFixedSettings } from "../../config/reload/setting_values.ts";
import type { AuditWriter } from "../../management/audit/audit_log.ts";
import type { ManagementDeps } from "../../management/core/management_deps.ts";
import { StartError } from "../../management/core/start_error.ts";
import type { EndpointHealth } from "../../pipeline/routing/health/endpoint_health.ts";
import { CatalogFileError } from "../../providers/catalog/operator_file.ts";
import { credentialHashOf } from "../../providers/credentials/credential_hash.ts";
import type { Provider } from "../../providers/endpoint.ts";
import type { Logger } from "../../runtime.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { InForce } from "./in_force.ts";
import type { OpenedSettings } from "./open_settings.ts";

/** Settings that can be put in force. */
interface PreparedSettings extends OpenedSettings {
  /** Requests that come from now on are served by them. Cannot fail. */
  readonly serve: () => void;
}

interface ReloaderOptions {
  /** Throws a ConfigError. Undefined: the settings cannot be read again. */
  readonly read: (() => Config) | undefined;
  /** Throws a ConfigError, a CatalogFileError, a StartError or a StoreError. */
  readonly prepare: (config: Config) => Promise<PreparedSettings>;
  readonly inForce: InForce;
  readonly health: Pick<EndpointHealth, "forget">;
  readonly audit: AuditWriter;
  readonly store: Pick<Store, "commit">;
  readonly log: Logger;
  readonly isStopping: () => boolean;
}

type Requester = Parameters<ManagementDeps["reload"]>[0];

export class Reloader {
  readonly #options: ReloaderOptions;
  /** The last reload that was asked for; never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ReloaderOptions) {
    this.#options = options;
  }

  /**
   * One at a time, each with what the files have when it begins. Throws an ApiError with the sentence for the operator,
   * or a StoreError, and leaves the settings in force.
   */
  async run(by: Requester | undefined): Promise<ReloadReport> {
    const mine = this.#last.then(() => this.#reload(by));
    this.#last = mine.catch(() => {
      // Told to who has asked for it.
    });
    return await mine;
  }

  /** The same by a signal: the log is told how it ends. */
  async runLogged(): Promise<void> {
    const { log } = this.#options;
    try {
      await this.run(undefined);
    } catch (error) {
      log.error("Settings not reloaded; those before stay in force", {
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }

  async #reload(by: Requester | undefined): Promise<ReloadReport> {
    const { inForce, prepare, health, isStopping } = this.#options;
    const before = { config: inForce.config, catalog: inForce.catalog };
    const read = this.#read();
    const { changed, restart } = compareSettings(before.config, read);
    const report = { changed: [...changed], restart: [...restart], warnings: [...read.warnings] };
    if (changed.length > 0) {
      await pause();
      const prepared = await prepare(keepFixedSettings(before.config, read)).catch(throwReadable);
      report.warnings.push(...prepared.warnings);
      await this.#keepAudit(by, report);
      if (isStopping()) throw stopping();
      inForce.replace(prepared);
      prepared.serve();
      for (const id of otherProviders(before.catalog.providers, prepared.catalog.providers)) {
        health.forget(id);
      }
    }
    this.#tell(report);
    return report;
  }

  #read(): Config {
    const { read, isStopping } = this.#options;
    if (isStopping()) throw stopping();
    if (read === undefined) throw new ApiError("conflict", "This gateway cannot read its settings again.");
    try {
      return read();
    } catch (error) {
      return throwReadable(error);
    }
  }

  async #keepAudit(by: Requester | undefined, report: ReloadReport): Promise<void> {
    const { audit, store } = this.#options;
    const change = {
      ...by,
      operation: "reload",
      subject: { type: "settings", id: "settings" },
      before: null,
    };
    await store.commit({ puts: [audit.put({ ...change, after: report })] });
  }

  #tell({ changed, restart, warnings }: ReloadReport): void {
    const { log } = this.#options;
    for (const sentence of warnings) log.warn(sentence);
    log.info("Settings reloaded", {
      setting: changed.length === 0 ? "none has changed" : changed.join(", "),
    });
    if (restart.length === 0) return;
    log.warn("Settings that need a restart stay as they were", { setting: restart.join(", ") });
  }
}

const stopping = () => new ApiError("unavailable", "Cannot reload settings: the gateway is stopping.");

/** Throws an ApiError with the sentence for what an operator can mend, and everything else as it is. */
function throwReadable(error: unknown): never {
  const isReadable = error instanceof ConfigError || error instanceof CatalogFileError ||
    error instanceof StartError;
  if (!isReadable) throw error;
  throw new ApiError(
    "invalid_request",
    `Cannot reload settings: ${error.message}. The settings before stay in force.`,
    { cause: error },
  );
}

/** Ids of the providers that are gone, stand elsewhere or are called with another credential. */
function otherProviders(before: readonly Provider[], now: readonly Provider[]): readonly string[] {
  const known = new Map(now.map((provider) => [provider.id, identityOf(provider)]));
  return before.filter((provider) => known.get(provider.id) !== identityOf(provider)).map(({ id }) => id);
}

const identityOf = (provider: Provider): string =>
  JSON.stringify([provider.baseUrl, credentialHashOf(provider), provider.keys]);

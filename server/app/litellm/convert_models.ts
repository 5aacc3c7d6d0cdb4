/** Rows of LiteLLM's `model_list` → providers, corrections of prices, and the models that each name stands for. */

import type { Snapshot } from "../../providers/catalog/snapshot.ts";
import type { OffService } from "../../providers/mod.ts";
import type { ImportReport } from "./import_report.ts";
import type { LitellmRow } from "./litellm_file.ts";
import { differs, type ModelPrices, priceFields, pricingOf } from "./model_facts.ts";
import { ModelGroups } from "./model_groups.ts";
import { OwnServers, type ProviderEntry } from "./own_servers.ts";
import { convertPattern, isPattern } from "./convert_patterns.ts";
import { whyFieldIsLeft } from "./left_fields.ts";
import { clouds, type ReadRow, readRow, services, splitModel, switched } from "./services.ts";

/** A price of the operator's for a model that is built in. */
interface PriceCorrection {
  readonly id: string;
  readonly provider: string;
  readonly pricing: ModelPrices;
}

interface ConverterDeps {
  readonly snapshot: Snapshot;
  readonly report: ImportReport;
}

/** Ids that the configuration file takes. */
const isModelId = (id: string): boolean => id.length <= 256 && /^[^\s/]+\/\S+$/.test(id);

export class ModelConverter {
  readonly groups: ModelGroups;
  readonly #snapshot: Snapshot;
  readonly #report: ImportReport;
  readonly #servers: OwnServers;
  readonly #prices = new Map<string, PriceCorrection>();
  /** Variable of the first key of each built-in service. */
  readonly #keys = new Map<string, string>();
  /** The first address of each cloud: its variables hold one. */
  readonly #addresses = new Map<string, string>();

  constructor({ snapshot, report }: ConverterDeps) {
    this.#snapshot = snapshot;
    this.#report = report;
    this.#servers = new OwnServers(report);
    this.groups = new ModelGroups((name) => {
      const [prefix, model] = splitModel(name);
      return this.#knownId(readRow({ model_name: name, litellm_params: { model: `${prefix}/${model}` } }, 0));
    });
  }

  get providers(): readonly ProviderEntry[] {
    return this.#servers.providers;
  }

  get models(): readonly PriceCorrection[] {
    return [...this.#prices.values()];
  }

  /** `at` is the row's place in the list. */
  add(row: LitellmRow, at: number): void {
    const read = readRow(row, at);
    if (read.foreignMode !== undefined) {
      return this.#report.impossible(`${read.place}: no route here calls models of ${read.foreignMode}`);
    }
    if (isPattern(read)) {
      convertPattern(read, { report: this.#report, servers: this.#servers, groups: this.groups });
    } else if (!this.#addModel(read)) return;
    for (const [field, why] of leftFields(read)) this.#report.leave(field, { place: read.place, why });
  }

  /** False for a row that could not be taken. */
  #addModel(read: ReadRow): boolean {
    const { name, row: { litellm_params: { api_base: base, order }, model_info: info } } = read;
    const id = switched.has(read.prefix) && (clouds.has(read.prefix) || !base)
      ? this.#switchedId(read)
      : base
      ? this.#servers.add(read)
      : this.#builtInId(read);
    if (id !== undefined) this.groups.add(name, { id, order, accessGroups: info?.access_groups });
    return id !== undefined;
  }

  /** The id at a service that variables switch on. */
  #switchedId(read: ReadRow): string | undefined {
    const { prefix, model, place } = read;
    const service = switched.get(prefix);
    const id = service?.idOf(model) ?? "";
    const fault = isModelId(id) ? this.#switchFault(read) : `${prefix} names no model`;
    if (fault !== undefined) return void this.#report.impossible(`${place}: ${fault}`);
    this.#report.changed.push(`${place}: ${id}, switched on by ${service?.variables}`);
    return id;
  }

  #switchFault({ prefix, row: { litellm_params: { api_base: base }, model_info: info } }: ReadRow) {
    if (info?.mode === "embedding") return "a model that makes vectors needs a row of a provider of the file";
    const first = this.#addresses.get(prefix) ?? (base || "");
    this.#addresses.set(prefix, first);
    return !base || base === first
      ? undefined
      : `its address is another one than that of the first row of ${prefix}, and one can be switched on`;
  }

  #builtInId(read: ReadRow): string | undefined {
    const { service, model, place, keyName, hasKey } = read;
    const found = services.get(service);
    if (found === undefined) {
      return void this.#report.impossible(
        `${place}: the provider ${service} is not built in and has no api_base`,
      );
    }
    const known = this.#knownId(read);
    const id = known ?? `${found.id}/${model}`;
    if (!isModelId(id)) {
      return void this.#report.impossible(`${place}: ${found.name} has no model of that name`);
    }
    if (hasKey) this.#noteKey(found, { place, keyName });
    const isPriced = this.#takePrice(read, id);
    if (known !== undefined || isPriced) this.#report.done.push(`${place}: ${id} at ${found.name}`);
    else {
      this.#report.changed.push(
        `${place}: ${id}, which the catalog does not know, is sent on without a price: keys with a limit need one under models`,
      );
    }
    return id;
  }

  /** A built-in service has one key, in a variable of its own. */
  #noteKey({ name, keyEnv, id }: OffService, { place, keyName }: Pick<ReadRow, "place" | "keyName">): void {
    if (keyName === undefined) {
      return this.#report.changeOnce(place, `its key is no variable and was not copied: set ${keyEnv}`);
    }
    const first = this.#keys.get(id) ?? keyName;
    this.#keys.set(id, first);
    if (keyName !== first) {
      this.#report.leave(`${name} has another key in ${keyName}`, {
        place,
        why: `a built-in provider has one, ${keyEnv}; a provider of the file may have several (api_keys_env)`,
      });
    } else if (keyName !== keyEnv) {
      this.#report.changeOnce(place, `its key is read from ${keyEnv} instead of ${keyName}`);
    }
  }

  /** The id of a service's own name of a model; undefined for one that the catalog does not know. */
  #knownId({ service, model }: Pick<ReadRow, "service" | "model">): string | undefined {
    return this.#snapshot.offersOf(service).get(model)?.model ??
      services.get(service)?.models.find((id) => id === model || id.endsWith(`/${model}`));
  }

  /** Whether the row has prices; those that this version does not know are the operator's. */
  #takePrice({ service, model, row, place }: ReadRow, id: string): boolean {
    const pricing = pricingOf(row);
    if (pricing === undefined) return false;
    const slot = `${service} ${id}`;
    if (!this.#prices.has(slot) && differs(pricing, this.#snapshot.offersOf(service).get(model)?.pricing)) {
      this.#prices.set(slot, { id, provider: service, pricing });
      this.#report.done.push(`${place}: its prices are those of ${id} at ${service}`);
    }
    return true;
  }
}

/** Params that say which model is called, and what it costs. */
const usedParams: ReadonlySet<string> = new Set([
  "model",
  "custom_llm_provider",
  "api_key",
  "api_base",
  "order",
  "drop_params",
  ...priceFields,
]);

const usedFields: ReadonlySet<string> = new Set(["model_name", "litellm_params", "model_info"]);

/** Fields of a row that nothing here stands for, each with the reason. */
function leftFields({ row, prefix }: ReadRow): readonly (readonly [field: string, why: string])[] {
  const { api_base: base } = row.litellm_params;
  const isOwn = Boolean(base) && !clouds.has(prefix);
  return [
    ...Object.keys(row.litellm_params).filter((name) =>
      !usedParams.has(name) && !(isOwn && name === "stream_timeout")
    ),
    ...Object.keys(row).filter((name) => !usedFields.has(name)),
  ].map((name) => [name, whyFieldIsLeft(name)] as const);
}

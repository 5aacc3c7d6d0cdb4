/** Rows of LiteLLM's `model_list` → providers and aliases of the configuration file. */

import { ownValue } from "../../../shared/util/own_value.ts";
import type { Snapshot } from "../../providers/catalog/snapshot.ts";
import { offServices } from "../../providers/mod.ts";
import type { ImportReport } from "./import_report.ts";
import type { LitellmRow } from "./litellm_file.ts";

/** LiteLLM's names of services that are called otherwise here. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["gemini", "google"],
  ["together_ai", "together"],
  ["fireworks_ai", "fireworks"],
  ["nvidia_nim", "nvidia"],
  ["moonshot", "moonshotai"],
  ["zai", "z-ai"],
]);

/** Clouds that sign their calls: their variables switch them on, and no row. */
const clouds: ReadonlySet<string> = new Set(["azure", "azure_ai", "bedrock", "vertex_ai", "sagemaker"]);

const services = new Map(
  offServices({ providers: [], providerEnv: new Map() }).map((service) => [service.id, service]),
);

type ModelPrices = { readonly [N in (typeof priceNames)[keyof typeof priceNames]]?: string };

interface ModelEntry {
  readonly id: string;
  readonly upstream_id: string;
  readonly context_length?: number;
  readonly max_output_tokens?: number;
  readonly pricing?: ModelPrices;
}

interface ProviderEntry {
  readonly id: string;
  readonly wire: "chat" | "messages" | "gemini";
  readonly base_url: string;
  api_key_env?: string;
  api_keys_env?: readonly string[];
  readonly models: ModelEntry[];
}

interface ConvertedModels {
  readonly providers: readonly ProviderEntry[];
  readonly aliases: Readonly<Record<string, string>>;
}

interface ReadRow {
  readonly name: string;
  readonly service: string;
  readonly model: string;
  readonly keyName: string | undefined;
  readonly row: LitellmRow;
}

export class ModelConverter {
  readonly #snapshot: Snapshot;
  readonly #report: ImportReport;
  readonly #providers = new Map<string, ProviderEntry>();
  readonly #aliases = new Map<string, string>();
  /** How many providers have an id, but for the number behind it. */
  readonly #counts = new Map<string, number>();

  constructor({ snapshot, report }: { readonly snapshot: Snapshot; readonly report: ImportReport }) {
    this.#snapshot = snapshot;
    this.#report = report;
  }

  /** `at` is the row's place in the list. */
  add(row: LitellmRow, at: number): void {
    const read = readRow(row);
    const place = `model_list[${at}] (${read.name})`;
    if (read.model.includes("*") || read.name.includes("*")) {
      this.#report.impossible.push(
        `${place}: a pattern: every model of a provider that is on is there by its id`,
      );
    } else if (clouds.has(read.service)) {
      this.#report.impossible.push(
        `${place}: ${read.service} is switched on by variables of its own, and its models are named by their ids`,
      );
    } else if (row.litellm_params.api_base) this.#addOwn(read, place);
    else this.#addBuiltIn(read, place);
    for (const field of unusedParams(row)) {
      this.#report.impossible.push(`${place}: ${field} has no counterpart`);
    }
  }

  get result(): ConvertedModels {
    return {
      providers: mergeKeys([...this.#providers.values()]),
      aliases: Object.fromEntries(this.#aliases),
    };
  }

  addAlias(name: string, target: string): void {
    this.#aliases.set(name, this.#aliases.get(target) ?? target);
  }

  #addBuiltIn({ name, service, model, keyName, row }: ReadRow, place: string): void {
    const found = services.get(service);
    const id = found && this.#modelAt(found.id, model);
    if (found === undefined || id === undefined) {
      const what = found === undefined
        ? `the provider ${service} is not built in and has no api_base`
        : `${found.name} has no model ${model} in the catalog`;
      return void this.#report.impossible.push(`${place}: ${what}`);
    }
    if (keyName !== undefined && keyName !== found.keyEnv) {
      this.#report.changed.push(`${place}: its key is read from ${found.keyEnv} instead of ${keyName}`);
    } else if (keyName === undefined && row.litellm_params.api_key) {
      this.#report.changed.push(`${place}: its key is no variable and was not copied: set ${found.keyEnv}`);
    }
    const known = this.#aliases.get(name);
    if (known !== undefined && known !== id) {
      return void this.#report.changed.push(
        `${place}: ${name} stays ${known}; name ${id} in \`models\` of requests`,
      );
    }
    if (name !== id) this.#aliases.set(name, id);
    this.#report.done.push(`${place}: ${id} at ${found.name}`);
  }

  /** The id of a service's own name of a model. */
  #modelAt(service: string, model: string): string | undefined {
    return this.#snapshot.offersOf(service).get(model)?.model ??
      services.get(service)?.models.find((id) => id === model || id.endsWith(`/${model}`));
  }

  #addOwn(read: ReadRow, place: string): void {
    const { name, service, model, row } = read;
    const base = baseUrlOf(service, row.litellm_params.api_base ?? "");
    if (!URL.canParse(base)) {
      return void this.#report.impossible.push(`${place}: api_base is no address: name it in the file`);
    }
    const id = `litellm/${slugOf(name)}`;
    const provider = this.#providerAt(read, base);
    if (!provider.models.some((one) => one.id === id)) {
      provider.models.push({ id, upstream_id: model, ...factsOf(row) });
    }
    if (read.keyName === undefined && row.litellm_params.api_key) {
      this.#report.changed.push(
        `${place}: its key is no variable and was not copied: set ${provider.api_key_env ?? ""}`,
      );
    }
    this.#aliases.set(name, id);
    this.#report.done.push(`${place}: ${id} at ${base}`);
  }

  #providerAt({ service, keyName, row }: ReadRow, base: string): ProviderEntry {
    const hasKey = Boolean(row.litellm_params.api_key) && row.litellm_params.api_key !== "none";
    const id = idFor(base, service);
    const key = hasKey ? keyName ?? `${id.replaceAll(/[^a-z0-9]+/g, "_").toUpperCase()}_API_KEY` : undefined;
    const place = `${service} ${base} ${key ?? ""}`;
    const known = this.#providers.get(place);
    if (known !== undefined) return known;
    const count = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, count);
    const made: ProviderEntry = {
      id: count === 1 ? id : `${id}.${count}`,
      wire: service === "anthropic" ? "messages" : service === "google" ? "gemini" : "chat",
      base_url: base,
      ...(key === undefined ? {} : { api_key_env: key }),
      models: [],
    };
    this.#providers.set(place, made);
    return made;
  }
}

function readRow(row: LitellmRow): ReadRow {
  const { litellm_params: { model, api_key: key } } = row;
  const slash = model.indexOf("/");
  const prefix = slash === -1 ? "openai" : model.slice(0, slash);
  return {
    name: row.model_name,
    service: renamed.get(prefix) ?? prefix,
    model: model.slice(slash + 1),
    keyName: /^os\.environ\/(\w+)$/.exec(key ?? "")?.[1],
    row,
  };
}

/** Params that say which model is called; the others are named in the report. */
const usedParams: ReadonlySet<string> = new Set([
  "model",
  "api_key",
  "api_base",
  "input_cost_per_token",
  "output_cost_per_token",
  "cache_read_input_token_cost",
  "cache_creation_input_token_cost",
]);

const unusedParams = ({ litellm_params: params }: LitellmRow): readonly string[] =>
  Object.keys(params).filter((name) => !usedParams.has(name));

/** Anthropic's and Ollama's addresses are written without the version there. */
function baseUrlOf(service: string, base: string): string {
  const plain = base.replace(/\/+$/, "");
  const needsVersion = service === "anthropic" || service === "ollama" || service === "ollama_chat";
  return needsVersion && !/\/v\d\w*$/.test(plain) ? `${plain}/v1` : plain;
}

const idFor = (base: string, service: string): string =>
  slugOf(`${service}-${new URL(base).hostname}`).replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "")
    .slice(0, 56);

const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9._:-]+/g, "-");

function factsOf({ litellm_params: params, model_info: info }: LitellmRow): Partial<ModelEntry> {
  const priceOf = (field: keyof typeof priceNames) =>
    decimal(ownValue(info ?? {}, field) ?? ownValue(params, field));
  const pricing: ModelPrices = Object.fromEntries(
    Object.entries(priceNames).flatMap(([field, name]) => {
      const price = priceOf(toPriceField(field));
      return price === undefined ? [] : [[name, price]];
    }),
  );
  const isPriced = pricing.prompt !== undefined && pricing.completion !== undefined;
  return {
    ...(info?.max_input_tokens ? { context_length: info.max_input_tokens } : {}),
    ...(info?.max_output_tokens ? { max_output_tokens: info.max_output_tokens } : {}),
    ...(isPriced ? { pricing } : {}),
  };
}

const priceNames = {
  input_cost_per_token: "prompt",
  output_cost_per_token: "completion",
  cache_read_input_token_cost: "input_cache_read",
  cache_creation_input_token_cost: "input_cache_write",
} as const;

/** Every key of the table is one. */
function toPriceField(field: string): keyof typeof priceNames {
  return field as keyof typeof priceNames;
}

/** `2e-7` → `0.0000002`; undefined for what is no price. */
function decimal(value: unknown): string | undefined {
  const number = Number(value ?? NaN);
  if (!Number.isFinite(number) || number < 0) return undefined;
  return number.toFixed(20).replace(/\.?0+$/, "") || "0";
}

/** Providers that differ in nothing but their key become one with several. */
function mergeKeys(providers: readonly ProviderEntry[]): readonly ProviderEntry[] {
  const groups = Map.groupBy(
    providers,
    ({ wire, base_url, models }) => JSON.stringify([wire, base_url, models]),
  );
  return [...groups.values()].map(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first;
    const names = [first, ...others].flatMap(({ api_key_env: name }) => name ?? []);
    const { api_key_env: _single, ...rest } = first;
    return names.length < 2 ? first : { ...rest, api_keys_env: names };
  }).filter((one) => one !== undefined);
}

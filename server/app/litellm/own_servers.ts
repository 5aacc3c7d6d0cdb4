/** Servers of LiteLLM's rows that have an address → providers of the configuration file. */

import { isBaseUrl } from "../../config/setting_parsers.ts";
import type { ImportReport } from "./import_report.ts";
import { factsOf, type ModelFacts } from "./model_facts.ts";
import { type ReadRow, services } from "./services.ts";

interface ModelEntry extends ModelFacts {
  readonly id: string;
  readonly upstream_id: string;
}

export interface ProviderEntry {
  readonly id: string;
  readonly wire: "chat" | "messages" | "gemini";
  readonly base_url: string;
  readonly api_key_env?: string;
  readonly api_keys_env?: readonly string[];
  first_byte_seconds?: number;
  open?: true;
  readonly models: ModelEntry[];
}

const MOST_SECONDS = 86_400;

/** LiteLLM's names of services that are called as OpenAI is, or whose own wire is known. */
const compatible: ReadonlySet<string> = new Set([
  "custom_openai",
  "hosted_vllm",
  "litellm_proxy",
  "llamafile",
  "lm_studio",
  "ollama",
  "ollama_chat",
  "openai_like",
  "vllm",
  "xinference",
]);

/** Ids of models begin with it. */
const AUTHOR = "litellm";

export class OwnServers {
  readonly #report: ImportReport;
  readonly #providers = new Map<string, ProviderEntry>();
  /** By the name of a model and its rank among the rows of that name. */
  readonly #ids = new Map<string, readonly string[]>();

  constructor(report: ImportReport) {
    this.#report = report;
  }

  get providers(): readonly ProviderEntry[] {
    return mergeKeys([...this.#providers.values()]);
  }

  /** The id of a row's model: the same for all rows that stand in for each other. Undefined for no usable address. */
  add(read: ReadRow): string | undefined {
    const provider = this.#providerOf(read);
    if (provider === undefined) return undefined;
    const id = this.#idOf(read, provider);
    if (!provider.models.some((one) => one.id === id)) {
      provider.models.push({ id, upstream_id: read.model, ...factsOf(read.row) });
    }
    if (!compatible.has(read.prefix) && !services.has(read.service)) {
      this.#report.changeOnce(read.place, `${read.prefix}: called as an OpenAI-compatible server`);
    }
    const { name, place, row: { litellm_params: { stream_timeout: seconds } } } = read;
    if (seconds && seconds > 0 && seconds !== provider.first_byte_seconds) {
      provider.first_byte_seconds = Math.min(
        MOST_SECONDS,
        Math.max(seconds, provider.first_byte_seconds ?? 0),
      );
      this.#report.changed.push(
        `${place}: stream_timeout: first_byte_seconds of ${provider.id} is ${provider.first_byte_seconds}, for ${name} and the others there`,
      );
    }
    this.#report.done.push(`${place}: ${id} at ${provider.base_url}`);
    return id;
  }

  /** The provider's id, behind which any model of the server may be named. Undefined for no usable address. */
  open(read: ReadRow, wanted?: string): string | undefined {
    const provider = this.#providerOf(read, wanted);
    if (provider === undefined) return undefined;
    provider.open = true;
    return provider.id;
  }

  #providerOf(read: ReadRow, wanted?: string): ProviderEntry | undefined {
    const { service, place, hasKey, keyName } = read;
    const base = baseUrlOf(service, read.row.litellm_params.api_base ?? "");
    if (!isBaseUrl(base)) {
      this.#report.impossible(
        `${place}: api_base is no address without user and query: name the server under providers`,
      );
      return undefined;
    }
    const slot = `${service} ${base} ${hasKey ? keyName ?? "in clear" : ""} ${wanted ?? ""}`;
    const known = this.#providers.get(slot);
    const id = known?.id ?? this.#freeId(wanted ?? idFor(base, service));
    const key = hasKey ? keyName ?? `${id.replaceAll(/[^a-z0-9]+/g, "_").toUpperCase()}_API_KEY` : undefined;
    if (hasKey && keyName === undefined) {
      this.#report.changeOnce(place, `its key is no variable and was not copied: set ${key}`);
    }
    if (known !== undefined) return known;
    const made: ProviderEntry = {
      id,
      wire: service === "anthropic" ? "messages" : service === "google" ? "gemini" : "chat",
      base_url: base,
      ...(key === undefined ? {} : { api_key_env: key }),
      models: [],
    };
    this.#providers.set(slot, made);
    return made;
  }

  #freeId(id: string): string {
    const taken = new Set([...this.#providers.values()].map((one) => one.id));
    if (!taken.has(id) && !services.has(id)) return id;
    for (let at = 2;; at++) if (!taken.has(`${id}.${at}`)) return `${id}.${at}`;
  }

  /**
   * The same id for rows of one name, so that they stand in for each other; another one for those of another `order`,
   * and where the server has another model by that id. An alias tries such models one after the other.
   */
  #idOf({ name, model, row: { litellm_params: { order } } }: ReadRow, { models }: ProviderEntry): string {
    const slot = `${name} ${order ?? ""}`;
    const known = this.#ids.get(slot) ?? [];
    const own = known.find((id) => models.every((one) => one.id !== id || one.upstream_id === model));
    if (own !== undefined) return own;
    const taken = new Set([...this.#ids.values()].flat());
    const plain = `${AUTHOR}/${slugOf(name)}`;
    let id = plain;
    for (let at = 2; taken.has(id); at++) id = `${plain}.${at}`;
    this.#ids.set(slot, [...known, id]);
    return id;
  }
}

/** Anthropic's and Ollama's addresses are written without the version there. */
function baseUrlOf(service: string, base: string): string {
  const plain = base.replace(/\/+$/, "");
  const needsVersion = service === "anthropic" || service === "ollama" || service === "ollama_chat";
  return needsVersion && !/\/v\d\w*$/.test(plain) ? `${plain}/v1` : plain;
}

const idFor = (base: string, service: string): string =>
  slugOf(`${service}-${new URL(base).hostname}`).replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "")
    .slice(0, 56).replace(/-$/, "");

const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9._:-]+/g, "-");

/** Providers that differ in nothing but their key become one with several. */
function mergeKeys(providers: readonly ProviderEntry[]): readonly ProviderEntry[] {
  const groups = Map.groupBy(
    providers,
    ({ id, wire, base_url, open, models, first_byte_seconds: seconds }) =>
      JSON.stringify([wire, base_url, models, seconds, open ? id : false]),
  );
  return [...groups.values()].map(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first;
    const names = [first, ...others].flatMap(({ api_key_env: name }) => name ?? []);
    const { api_key_env: _single, ...rest } = first;
    return names.length < 2 ? first : { ...rest, api_keys_env: names };
  }).filter((one) => one !== undefined);
}

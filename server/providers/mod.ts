/** The registry of providers: settings → the endpoints that there are, and which of them serve a model. */

import { isUpstreamName } from "../../shared/validation/upstream_names.ts";
import type { Config } from "../config/config.ts";
import type { ProviderSetting } from "../config/provider_setting.ts";
import { anthropic } from "./rows/anthropic.ts";
import { localProviders, type LocalServer } from "./rows/local_provider.ts";
import { cloudOffers, cloudProviderIds, cloudSettings } from "./rows/cloud_providers.ts";
import { compatibleServers } from "./rows/compatible_servers.ts";
import type { Endpoint, Provider } from "./endpoint.ts";
import { authHeader, modelFromRow, providerFromRow, speechDialectOfRow } from "./configured_providers.ts";
import { geminiProvider } from "./rows/gemini.ts";
import { hostedProviders } from "./rows/hosted_providers.ts";
import { openaiProvider } from "./rows/openai.ts";
import { type ModelDefinition, type ProviderDefinition, providerSettingsOf } from "./rows/provider_row.ts";
import { speechProviders } from "./rows/speech_providers.ts";

const rows: readonly ProviderDefinition[] = [
  openaiProvider,
  anthropic,
  geminiProvider,
  ...hostedProviders,
  ...speechProviders,
  ...compatibleServers,
];

/** Ids of the models in the tables of this version, whether their providers are on or off. */
export const builtInModelIds: readonly string[] = rows.flatMap(({ models }) =>
  models.map(({ model }) => model.id)
);

/** The variables of the environment that the rows ask for. */
export const providerSettings: readonly ProviderSetting[] = [
  ...rows.flatMap(providerSettingsOf),
  ...cloudSettings,
];

export interface ProviderRegistry {
  readonly providers: readonly Provider[];
  /** Endpoints of every model whose name is known; open providers serve others besides. */
  readonly endpoints: readonly Endpoint[];
  /** Endpoints that serve a model id, in the order of the providers; empty for an unknown one. */
  resolve(model: string): readonly Endpoint[];
}

export type ProviderConfig = Pick<Config, "providers" | "providerEnv" | "local" | "faultLab">;

interface EndpointOffer {
  readonly provider: Provider;
  readonly models: readonly ModelDefinition[];
}

/** `server` is where the built-in providers are served; without it there are none. */
export function createProviders(config: ProviderConfig, server?: LocalServer): ProviderRegistry {
  const own = offersOfFile(config);
  const taken = new Set(own.map(({ provider }) => provider.id));
  const builtIn = [
    ...rows.filter((row) => isOn(row, config)).flatMap((row) => offersOf(row, config)),
    ...cloudOffers(config.providerEnv),
    ...(server ? localProviders(server, config) : []),
  ];
  return collectOffers([...own, ...builtIn.filter(({ provider }) => !taken.has(provider.id))]);
}

/**
 * The services that are built in and not switched on, as far as the operator lets workspaces reach them with keys of
 * their own: without a key they are of no use, and with one nothing else is missing.
 */
export function createByokProviders(
  config: ProviderConfig & Pick<Config, "byokProviders">,
): ProviderRegistry {
  const { providers, byokProviders } = config;
  const off = rows.filter((row) =>
    row.on === "key" && !isOn(row, config) && (byokProviders?.includes(row.id) ?? true) &&
    providers.every(({ id }) => id !== row.id)
  );
  const offers = off.flatMap((row) => offersOf(row, config));
  return collectOffers(
    offers.map(({ provider, models }) => ({ provider: { ...provider, isKeyless: true }, models })),
  );
}

export interface OffService {
  readonly id: string;
  readonly name: string;
  /** The variable that switches it on. */
  readonly keyEnv: string;
  /** Ids of the models that this version knows of it. */
  readonly models: readonly string[];
}

/** The built-in services that need a key and have none. */
export function offServices(config: Pick<Config, "providers" | "providerEnv">): readonly OffService[] {
  return rows
    .filter((row) =>
      row.on === "key" && !isOn(row, config) && config.providers.every(({ id }) => id !== row.id)
    )
    .map(({ id, name, keyEnv, models }) => ({
      id,
      name,
      keyEnv,
      models: models.map(({ model }) => model.id),
    }));
}

/** Ids of the providers of the configuration file and of all built-in ones, whether they are on or off. */
export function knownProviderIds({ providers }: Pick<Config, "providers">): readonly string[] {
  return [...new Set([...providers, ...rows].map(({ id }) => id)), ...cloudProviderIds].sort();
}

/** Where a built-in service is called with a workspace's own key; undefined where the operator does not allow that. */
export function byokBaseUrl(
  provider: string,
  { byokProviders, providerEnv }: Pick<Config, "byokProviders" | "providerEnv">,
): string | undefined {
  const row = rows.find(({ id }) => id === provider);
  if (row === undefined || !(byokProviders?.includes(provider) ?? true)) return undefined;
  return (row.baseUrlEnv && providerEnv.get(row.baseUrlEnv)) || row.defaultBaseUrl;
}

function collectOffers(offers: readonly EndpointOffer[]): ProviderRegistry {
  const endpoints = offers.flatMap(({ provider, models }) =>
    models.map((data) => endpointOf(provider, data))
  );
  const byModel = Map.groupBy(endpoints, ({ model }) => model.id);
  const open = new Map(offers.flatMap(({ provider }) => provider.open ? [[provider.id, provider]] : []));
  const speaking = Map.groupBy(
    endpoints.filter(({ speech }) => speech !== undefined),
    ({ provider, upstreamModel }) => `${provider.id}/${upstreamModel}`,
  );
  // A provider's own name of a model that speaks finds what is known of it: a guess would have no limits.
  return {
    providers: offers.map(({ provider }) => provider),
    endpoints,
    resolve: (model) => byModel.get(model) ?? speaking.get(model) ?? openEndpoint(open, model),
  };
}

function offersOfFile({ providers, providerEnv }: ProviderConfig): readonly EndpointOffer[] {
  return providers.map((row) => ({
    provider: providerFromRow(row, (name) => providerEnv.get(name)),
    models: row.models.map(modelFromRow),
  }));
}

type Env = Pick<Config, "providerEnv">;

function isOn({ on, keyEnv, baseUrlEnv }: ProviderDefinition, { providerEnv }: Env): boolean {
  return providerEnv.has(on === "key" ? keyEnv : baseUrlEnv);
}

/** None of a row whose address nobody has told. */
function offersOf(row: ProviderDefinition, { providerEnv }: Env): readonly EndpointOffer[] {
  const baseUrl = providerEnv.get(row.baseUrlEnv) ?? row.defaultBaseUrl;
  if (baseUrl === undefined) return [];
  const { id, name, wire, quirks, open, reportsCost, isOwn, models } = row;
  const speech = speechDialectOfRow(row);
  const headers = authHeader(row, providerEnv.get(row.keyEnv));
  const provider = { id, name, wire, speech, baseUrl, headers, quirks, open, reportsCost, isOwn };
  return [{ provider, models }];
}

function endpointOf(
  provider: Provider,
  { model, upstreamModel, maxOutputTokens, traits, pricing, speech }: ModelDefinition,
): Endpoint {
  const id = `${provider.id}|${model.id}|${upstreamModel}`;
  return { id, model, provider, upstreamModel, maxOutputTokens, traits, pricing, speech };
}

/** Model names are sent on as they are, so they must be names: no spaces, no control characters, no novels. */
const printable = /^[\x21-\x7e]{1,200}$/;

/** `<provider>/<anything>` at an open provider, about which nothing is known but its name. */
function openEndpoint(open: ReadonlyMap<string, Provider>, id: string): readonly Endpoint[] {
  const slash = id.indexOf("/");
  const provider = open.get(id.slice(0, Math.max(0, slash)));
  const upstreamModel = id.slice(slash + 1);
  if (!provider || !printable.test(upstreamModel) || !isUpstreamName(upstreamModel)) return [];
  const model = {
    id,
    name: id,
    created: 0,
    contextLength: null,
    inputModalities: ["text", "image", "file"],
    outputModalities: ["text"],
    supportedParameters: [],
    hidden: false,
  };
  const endpoint = endpointOf(provider, { model, upstreamModel, maxOutputTokens: null, pricing: null });
  return [{ ...endpoint, isAssumed: true }];
}

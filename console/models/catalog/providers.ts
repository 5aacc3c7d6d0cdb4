/** Providers as their endpoints show them: what switched each on, how it stands, and when it is tried again. */

import { computed, type ReadonlySignal } from "@preact/signals";
import type { ManagedModel, ModelEndpoint } from "../../../shared/management/gateway/models.ts";
import type { ProviderTest } from "../../../shared/management/gateway/providers.ts";
import type { SettingDescription } from "../../../shared/management/gateway/settings.ts";
import type { EndpointStanding, EndpointStatus } from "../../../shared/management/status.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import { createResource } from "../../resource.ts";

const getSettings = operation<"settings.get">("GET", "/settings");
const testProvider = operation<"providers.test">("POST", "/providers/:slug/test");

/** A setting that switches a provider on. */
interface ProviderSwitch {
  readonly setting: string;
  /** The configuration file that it stands in; undefined for a variable of the environment. */
  readonly file: string | undefined;
}

export interface ProviderRow {
  readonly slug: string;
  readonly name: string;
  /** Ids of models that it serves, each once. */
  readonly models: readonly string[];
  readonly endpoints: number;
  /** Number of endpoints that stand as `standing` says. */
  readonly affected: number;
  /** The worst of its endpoints. */
  readonly standing: EndpointStanding;
  /** When the first of them is tried again, and the reason of its last failure. */
  readonly rests_until: string | null;
  readonly last_failure: string | null;
  readonly p50Ms: number | undefined;
  /** Number of requests of 24 hours. */
  readonly requests: number;
  /** Failed attempts of five minutes. */
  readonly failures: number;
  /** Undefined where no setting names it. */
  readonly switchedBy: ProviderSwitch | undefined;
  /** Every endpoint is called with a workspace's own key. */
  readonly isByok: boolean;
}

/** Slug of the provider that is built in. */
const LOCAL = "local";

const severity = ["misconfigured", "cooling_down", "probe", "well"] as const;

/** The setting of a provider: its entry in the configuration file, else the variable that says so. */
function switchOf(
  { provider, provider_name: name }: ModelEndpoint,
  settings: readonly SettingDescription[],
): ProviderSwitch | undefined {
  const entry = settings.find((one) => /^providers\[\d+\]\.id$/.test(one.name) && one.value === provider);
  if (entry !== undefined) return { setting: entry.name, file: entry.source.name ?? undefined };
  if (provider === LOCAL) return { setting: "TOLLGATE_LOCAL", file: undefined };
  const isSet = ({ source }: SettingDescription) => source.type !== "default";
  const says = [`key of ${name}; switches it on`, `address of ${name}; switches it on`];
  const variable = settings.find((one) =>
    isSet(one) && says.some((text) => one.description?.startsWith(text) === true)
  );
  return variable && { setting: variable.name, file: undefined };
}

interface RowSources {
  readonly settings: readonly SettingDescription[];
  readonly statuses: readonly Pick<EndpointStatus, "provider" | "failures_5m">[];
}

interface Served {
  readonly model: string;
  readonly endpoint: ModelEndpoint;
}

function rowOf(served: readonly Served[], { settings, statuses }: RowSources): ProviderRow | undefined {
  const endpoints = served.map(({ endpoint }) => endpoint);
  const [first] = endpoints;
  if (first === undefined) return undefined;
  const standing = severity.find((one) => endpoints.some((endpoint) => endpoint.standing === one)) ?? "well";
  const worst = endpoints.filter((endpoint) => endpoint.standing === standing);
  const rests = worst.map(({ rests_until }) => rests_until).filter((at) => at !== null).sort();
  const p50s = endpoints.map(({ p50_ms }) => p50_ms).filter((ms) => ms !== null);
  // Endpoints of one model have its requests together.
  const requests = new Map(served.map(({ model, endpoint }) => [model, endpoint.requests_1d]));
  return {
    slug: first.provider,
    name: first.provider_name,
    models: [...new Set(served.map(({ model }) => model))],
    endpoints: endpoints.length,
    affected: worst.length,
    standing,
    rests_until: rests[0] ?? null,
    last_failure: worst.find(({ last_failure }) => last_failure !== null)?.last_failure ?? null,
    p50Ms: p50s.length === 0 ? undefined : Math.min(...p50s),
    requests: [...requests.values()].reduce((sum, count) => sum + count, 0),
    failures: statuses.filter(({ provider }) => provider === first.provider)
      .reduce((sum, { failures_5m }) => sum + failures_5m, 0),
    switchedBy: switchOf(first, settings),
    isByok: endpoints.every(({ is_byok }) => is_byok),
  };
}

/** Providers of the models: those that fail first, then the busiest. */
function providerRows(models: readonly ManagedModel[], sources: RowSources): readonly ProviderRow[] {
  const served = new Map<string, Served[]>();
  for (const { id, endpoints } of models) {
    for (const endpoint of endpoints) {
      const known = served.get(endpoint.provider) ?? [];
      served.set(endpoint.provider, [...known, { model: id, endpoint }]);
    }
  }
  const rows = [...served.values()].flatMap((list) => rowOf(list, sources) ?? []);
  return rows.toSorted((one, other) =>
    severity.indexOf(one.standing) - severity.indexOf(other.standing) ||
    other.requests - one.requests || (one.name < other.name ? -1 : 1)
  );
}

interface ProvidersDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly models: ReadonlySignal<readonly ManagedModel[] | undefined>;
  readonly statuses: ReadonlySignal<RowSources["statuses"] | undefined>;
}

export function createProviders({ api, models, statuses }: ProvidersDeps) {
  const settings = createResource(async (signal) => (await api.call(getSettings, { signal })).data.settings);
  const rows = computed(() =>
    models.value && providerRows(models.value, {
      settings: settings.data.value ?? [],
      statuses: statuses.value ?? [],
    })
  );
  return { settings, rows };
}

interface TestInput {
  readonly api: Pick<ConsoleApi, "call">;
  readonly slug: string;
  readonly model: string;
  readonly workspaceId: string | undefined;
}

/** Calls a model of a provider once. Throws what the gateway refuses before anybody is asked. */
export async function runProviderTest({ api, slug, model, workspaceId }: TestInput): Promise<ProviderTest> {
  const body = { model, ...(workspaceId === undefined ? {} : { workspace_id: workspaceId }) };
  return (await api.call(testProvider, { params: { slug }, body })).data;
}

/** Days on which providers end models, as `retirements.json` has them (made by `tests/catalog/retirements.ts`). */

import * as z from "zod";
import { ownValue } from "../../../shared/util/own_value.ts";
import type { Config } from "../../config/config.ts";
import type { Endpoint } from "../endpoint.ts";
import type { ProviderRegistry } from "../mod.ts";
import { buildCatalog } from "./catalog.ts";
import { snapshotFor } from "./operator_file.ts";
import { catalogProviderName } from "./provider_facts.ts";

const retirement = z.object({
  date: z.iso.date(),
  /** The provider's own name of the model that it recommends instead. */
  successor: z.string().optional(),
});

const retirementsSchema = z.object({
  source: z.object({ name: z.string(), date: z.iso.date() }),
  attribution: z.string(),
  /** By provider, then by the provider's own name of the model. */
  providers: z.record(z.string(), z.record(z.string(), retirement)),
});
export type RetirementsFile = z.output<typeof retirementsSchema>;

/** Imported, not read as a file, so that it needs no permission. */
async function loadRetirements(): Promise<RetirementsFile> {
  const { default: file } = await import("./retirements.json", { with: { type: "json" } });
  return retirementsSchema.parse(file);
}

const DAY_MS = 86_400_000;
/** Ends within so many days are told. */
export const AHEAD_DAYS = 60;

interface Retirement {
  readonly provider: string;
  readonly model: string;
  readonly successor: string | null;
  /** `anthropic claude-sonnet-4-5 ends on 2026-11-30, claude-sonnet-5-5 follows` */
  readonly text: string;
  readonly date: string;
}

/** Ends of endpoints that have come, or come within 60 days of `now` (ms since the epoch), the first one in front. */
function retirementsAt(
  endpoints: readonly Pick<Endpoint, "model" | "provider" | "upstreamModel">[],
  { file: { providers }, now }: { readonly file: RetirementsFile; readonly now: number },
): readonly Retirement[] {
  const today = new Date(now).toISOString().slice(0, 10);
  const last = new Date(now + AHEAD_DAYS * DAY_MS).toISOString().slice(0, 10);
  return endpoints.flatMap(({ model, provider, upstreamModel }): readonly Retirement[] => {
    const found = ownValue(ownValue(providers, catalogProviderName(provider.id)) ?? {}, upstreamModel);
    if (found === undefined || found.date > last) return [];
    const { date, successor } = found;
    const when = date < today ? `ended on ${date}` : `ends on ${date}`;
    const then = successor === undefined ? "" : `, ${successor} follows`;
    const facts = { provider: provider.id, model: model.id, date, successor: successor ?? null };
    return [{ ...facts, text: `${provider.id} ${upstreamModel} ${when}${then}` }];
  }).toSorted((one, other) => one.date < other.date ? -1 : one.date > other.date ? 1 : 0);
}

/** The same by the dates that ship, whatever the configuration file names. */
export async function upcomingRetirements(
  endpoints: Parameters<typeof retirementsAt>[0],
  now: number,
): Promise<readonly Retirement[]> {
  return retirementsAt(endpoints, { file: await loadRetirements(), now });
}

/** Report of `doctor` on models that their providers end. */
interface RetirementReport {
  /** Ends of models that the configuration file names, a line each. */
  readonly named: readonly string[];
  /** Likewise of all others that are on. */
  readonly others: readonly string[];
}

interface ReportDeps {
  readonly config: Config;
  readonly providers: ProviderRegistry;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Throws a CatalogFileError. */
export async function reportRetirements(
  { config, providers, now }: ReportDeps,
): Promise<RetirementReport> {
  const snapshot = await snapshotFor(config, providers.providers);
  const { endpoints, resolve } = buildCatalog({ config, providers, snapshot });
  const { aliases, defaultModel, auto: { defaultModels, classifier } } = config;
  const names = [...Object.values(aliases), defaultModel ?? [], defaultModels, classifier].flat();
  const named = new Set(names.flatMap((name) => resolve(name).map(({ model }) => model.id)));
  const all = retirementsAt(endpoints, { file: await loadRetirements(), now });
  const textsOf = (
    isNamed: boolean,
  ) => [...new Set(all.filter(({ model }) => named.has(model) === isNamed).map(({ text }) => text))];
  return { named: textsOf(true), others: textsOf(false) };
}

/** `deno task doctor`: is this gateway fit to be relied on? Every check says what it saw and what would mend it. */

import type { Config } from "../config.ts";
import type { World } from "../world.ts";
import { faultsOf, race, type RaceKind, type RaceResult } from "./race.ts";
import { shown } from "./show.ts";

export interface DoctorOptions {
  readonly config: Config;
  readonly world: Pick<World, "clock" | "fetch">;
  /** Of the gateways that share the store, without trailing slashes. The first one is looked at closely. */
  readonly urls: readonly string[];
  readonly managementKey: string | undefined;
  /** Milliseconds since the epoch before which no honest clock stands: the day of the catalog. */
  readonly notBefore: number;
  /** Requests of each race. */
  readonly requests: number;
  /** Looks at files; the mode bits of a path, undefined where there is none. */
  readonly modeOf: (path: string) => number | undefined;
  /** True when the process may do everything on this machine. */
  readonly isRoot: boolean;
  readonly width: number;
}

type Verdict = "ok" | "warning" | "failed";

interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly found: string;
}

export interface Diagnosis {
  readonly out: string;
  readonly code: 0 | 1;
}

const KINDS: readonly RaceKind[] = ["whole", "streams", "hangups"];
/** A clock that is further off than this names the wrong day too early or too late. */
const SKEW_MS = 2_000;

const ok = (check: string, found: string): Finding => ({ check, verdict: "ok", found });
const warning = (check: string, found: string): Finding => ({ check, verdict: "warning", found });
const failed = (check: string, found: string): Finding => ({ check, verdict: "failed", found });

export async function doctor(options: DoctorOptions): Promise<Diagnosis> {
  const findings = [
    ok("settings", "read without a fault"),
    ...permissions(options),
    ...await gateway(options),
    ...await offers(options),
  ];
  const races = await raced(options);
  const all = [...findings, ...races.findings];
  const table = shown(all, options);
  const books = races.rows.length === 0 ? "" : `\n${shown(races.rows, options)}\n`;
  const bad = all.filter(({ verdict }) => verdict === "failed").length;
  const closing = bad === 0 ? "All is well." : `${bad} of ${all.length} checks failed.`;
  return { out: `${table}\n${books}\n${closing}\n`, code: bad === 0 ? 0 : 1 };
}

/** The data folder is the owner's alone, and the gateway need not be root (security of the store's file). */
function permissions({ config, modeOf, isRoot }: DoctorOptions): readonly Finding[] {
  const user = isRoot ? warning("user", "runs as root: give it a user of its own") : ok("user", "not root");
  if (config.deploy) return [user];
  const open = [config.dataFolder, `${config.dataFolder}/master.key`].filter((path) =>
    ((modeOf(path) ?? 0) & 0o077) !== 0
  );
  if (open.length === 0) return [user, ok("permissions", "the data folder is its owner's alone")];
  return [user, failed("permissions", `others may read ${open.join(" and ")}: chmod go= ${open.join(" ")}`)];
}

async function gateway({ world, urls, notBefore }: DoctorOptions): Promise<readonly Finding[]> {
  const now = world.clock.now();
  const findings: Finding[] = [];
  for (const url of urls) {
    const response = await world.fetch(`${url}/readyz`);
    const { status, reasons } = toReadiness(await response.json());
    const check = urls.length === 1 ? "store" : `store, ${url}`;
    findings.push(
      response.ok ? ok(check, "reads and writes") : failed(check, `${status}: ${reasons.join(" ")}`),
    );
    findings.push(clockOf(response.headers.get("date"), { now, notBefore }));
  }
  return findings;
}

interface Readiness {
  readonly status: string;
  readonly reasons: readonly string[];
}

/** What /readyz answers. */
function toReadiness(value: unknown): Readiness {
  return value as Readiness;
}

interface Times {
  readonly now: number;
  readonly notBefore: number;
}

/** Limits reset at midnight UTC, by the clock of the machine. */
function clockOf(date: string | null, { now, notBefore }: Times): Finding {
  const shownAt = new Date(now).toISOString();
  if (now < notBefore) return failed("clock", `${shownAt} is before this version was made: set the clock`);
  const skew = date === null ? 0 : Math.abs(Date.parse(date) - now);
  // The header has whole seconds.
  if (skew > SKEW_MS + 1_000) {
    return failed("clock", `the gateway's differs by ${Math.round(skew / 1_000)} s`);
  }
  return ok("clock", shownAt);
}

async function offers(options: DoctorOptions): Promise<readonly Finding[]> {
  const { managementKey } = options;
  if (managementKey === undefined) return [];
  const providers = listOf(await read(options, "/providers")).map((row) => String(row.slug ?? row.name));
  const models = listOf(await read(options, "/models"));
  const unpriced = models.filter(({ pricing }) => isRecord(pricing) && pricing.unpriced === true);
  const names = unpriced.slice(0, 5).map(({ id }) => String(id));
  return [
    providers.length === 0
      ? warning("providers", "none is switched on: set a provider's key")
      : ok("providers", `${providers.length}: ${providers.slice(0, 8).join(", ")}`),
    unpriced.length === 0
      ? ok("prices", `known for all ${models.length} models`)
      : warning("prices", `none for ${names.join(", ")}: keys under a limit cannot call what has no price`),
  ];
}

async function read({ world, urls, managementKey = "" }: DoctorOptions, path: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${managementKey}` };
  const response = await world.fetch(`${urls[0] ?? ""}/v1${path}`, { headers });
  return await response.json();
}

function listOf(reply: unknown): readonly Readonly<Record<string, unknown>>[] {
  return isRecord(reply) && Array.isArray(reply.data) ? reply.data.filter(isRecord) : [];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface Races {
  readonly findings: readonly Finding[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** A key of its own with a limit of one cent; it is deleted afterwards and stays out of credits and charts. */
async function raced({ config, world, urls, managementKey, requests }: DoctorOptions): Promise<Races> {
  if (managementKey === undefined) {
    return {
      findings: [failed("limits hold", "TOLLGATE_MANAGEMENT_KEY is not set: nothing was tried")],
      rows: [],
    };
  }
  if (!config.local) {
    const found = "not tried: the built-in models are switched off (TOLLGATE_LOCAL)";
    return { findings: [warning("limits hold", found)], rows: [] };
  }
  const results: RaceResult[] = [];
  for (const kind of KINDS) {
    results.push(await race({ fetch: world.fetch, urls, managementKey, kind, requests }));
  }
  const faults = results.flatMap((result) => faultsOf(result).map((fault) => `${result.kind}: ${fault}`));
  const finding = faults.length === 0
    ? ok("limits hold", `${requests} requests at once against a limit for a tenth of them, three times`)
    : failed("limits hold", faults.join("; "));
  return { findings: [finding], rows: results.map(rowOf) };
}

function rowOf({ kind, requests, served, refused, others, limit, spent, each }: RaceResult) {
  return {
    name: kind,
    requests,
    served,
    refused,
    others: others.join(", ") || "none",
    limit_usd: limit,
    spent_usd: spent,
    each_usd: each ?? null,
  };
}

/** `deno task doctor`: is this gateway fit to be relied on? Every check says what it saw and what would mend it. */

import type { DoctorOptions } from "./doctor_options.ts";
import { isRecord } from "../../../shared/util/json.ts";
import { CheckError } from "./check_error.ts";
import {
  CHECKED_MODEL,
  checkOverspend,
  overspendFaults,
  type OverspendResult,
  type OverspendScenario,
} from "./overspend_check.ts";
import {
  type CheckRow,
  failed,
  listOf,
  ok,
  type ReadOperation,
  readOperation,
  warning,
} from "./doctor_rows.ts";
import { modelListChecks } from "./provider_checks.ts";
import { moderationService } from "./moderation_check.ts";
import { runChecks } from "./run_checks.ts";
import { startChecks } from "./start_checks.ts";
import { readinessAt } from "./readiness.ts";
import { formatReply } from "../format_reply.ts";

export interface DoctorReport {
  readonly out: string;
  readonly code: 0 | 1;
}

const KINDS: readonly OverspendScenario[] = ["whole", "streams", "disconnects"];
/** A clock that is further off than this names the wrong day too early or too late. */
const SKEW_MS = 2_000;

export async function runDoctorChecks(options: DoctorOptions): Promise<DoctorReport> {
  const reached = await gateway(options);
  const findings = [
    ...ofThisShell(options, [...startChecks.settings(options), ...permissions(options)]),
    ...reached.findings,
    ...ofThisShell(options, [
      await booksOf(options),
      ...startChecks.catalog(options),
      ...await modelListChecks(options.runtime, options.providers),
      await moderationService(options),
    ]),
  ];
  const known = reached.answer ? await checkReached(options) : undefined;
  if (known !== undefined) findings.push(...known.findings);
  const races = await checkLimits(options, known?.key);
  const all = [...findings, ...races.findings];
  const bad = all.filter(({ verdict }) => verdict === "failed").length;
  const code = bad === 0 ? 0 : 1;
  if (options.asJson) {
    return { out: `${JSON.stringify({ ok: bad === 0, checks: all, races: races.rows }, null, 2)}\n`, code };
  }
  // What was found is the point of it: a terminal that is too narrow breaks the line.
  const table = formatReply(all, { width: Infinity });
  const books = races.rows.length === 0 ? "" : `\n${formatReply(races.rows, options)}\n`;
  const note = options.isElsewhere ? `\n${HERE_NOTE}\n` : "";
  return { out: `${table}\n${note}${books}\n${closingOf(all)}\n`, code };
}

/** The last line, which must not hide a warning above a long table. */
function closingOf(rows: readonly CheckRow[]): string {
  const count = (wanted: CheckRow["verdict"]) => rows.filter(({ verdict }) => verdict === wanted).length;
  const [bad, warnings] = [count("failed"), count("warning")];
  if (bad > 0) return `${bad} of ${rows.length} checks failed.`;
  return warnings === 0 ? "All is well." : `Nothing failed; warnings: ${warnings}.`;
}

const HERE_NOTE =
  "Lines with (here) are about the settings, files and store that this command has, not about those of the gateway.";

/** Marks what this command reads for itself, where the gateway may have something else. */
function ofThisShell({ isElsewhere }: DoctorOptions, rows: readonly CheckRow[]): readonly CheckRow[] {
  return isElsewhere ? rows.map((row) => ({ ...row, check: `${row.check} (here)` })) : rows;
}

/** The data folder is the owner's alone, and the gateway need not be root (security of the store's file). */
function permissions({ config, modeOf, isRoot }: DoctorOptions): readonly CheckRow[] {
  const user = isRoot ? warning("user", "runs as root: give it a user of its own") : ok("user", "not root");
  if (config.deploy) return [user];
  const files = ["master.key", "kv.sqlite3"].map((name) => `${config.dataFolder}/${name}`);
  const open = [config.dataFolder, ...files].filter((path) => ((modeOf(path) ?? 0) & 0o077) !== 0);
  if (open.length === 0) return [user, ok("permissions", "the data folder is its owner's alone")];
  return [user, failed("permissions", `others may read ${open.join(" and ")}: chmod go= ${open.join(" ")}`)];
}

/** Whether every journal batch is as it was written, and the counters are the sums of the receipts. */
async function booksOf({ books }: DoctorOptions): Promise<CheckRow> {
  if (books === undefined) return warning("journal", "not read: its store is out of reach from here");
  try {
    const { read, troubles } = await books();
    return troubles.length === 0
      ? ok("journal", `${read}, and the counters agree with them`)
      : failed("journal", troubles.join("; "));
  } catch (error) {
    return failed("journal", error instanceof Error ? error.message : String(error));
  }
}

interface ReachedGateway {
  readonly findings: readonly CheckRow[];
  /** Whether all of them are gateways: what they say can be asked for. */
  readonly answer: boolean;
}

async function gateway({ runtime, urls, notBefore }: DoctorOptions): Promise<ReachedGateway> {
  const now = runtime.clock.now();
  const findings: CheckRow[] = [];
  let answer = true;
  for (const url of urls) {
    const check = urls.length === 1 ? "store" : `store, ${url}`;
    const found = await readinessAt(runtime, url);
    if (found === undefined) {
      answer = false;
      findings.push(failed(check, `no gateway answers at ${url}: start it, or name another with --url`));
      continue;
    }
    const { status, reasons, journal, files, sharedFiles, documents, date } = found;
    findings.push(
      status === "ready" ? ok(check, "reads and writes") : failed(check, `${status}: ${reasons.join(" ")}`),
      ...(journal === undefined ? [] : [warning(check, journal)]),
      ...Object.entries({ files, "shared files": sharedFiles, documents }).flatMap(([what, text]) =>
        text ? [warning(what, text)] : []
      ),
      clockOf(date, { now, notBefore }),
    );
  }
  return { findings, answer };
}

interface ServerTimes {
  readonly now: number;
  readonly notBefore: number;
}

/** Limits reset at midnight UTC, by the clock of the machine. */
function clockOf(date: string | null, { now, notBefore }: ServerTimes): CheckRow {
  const shownAt = new Date(now).toISOString();
  if (now < notBefore) return failed("clock", `${shownAt} is before this version was made: set the clock`);
  const skew = date === null ? 0 : Math.abs(Date.parse(date) - now);
  // The header has whole seconds.
  if (skew > SKEW_MS + 1_000) {
    return failed("clock", `the gateway's differs by ${Math.round(skew / 1_000)} s`);
  }
  return ok("clock", shownAt);
}

interface AdmittedCheck {
  readonly findings: readonly CheckRow[];
  /** The management key, where the gateway takes it for one. */
  readonly key: string | undefined;
}

/** Checks the gateway by its own answers; where it stops answering in the middle, the rows say so. */
async function checkReached(options: DoctorOptions): Promise<AdmittedCheck> {
  const findings: CheckRow[] = [];
  try {
    const known = await checkPermissions(options);
    findings.push(...known.findings);
    const { key } = known;
    if (key === undefined) return { findings, key };
    const read: ReadOperation = (path) => readOperation(options, { key, path });
    findings.push(...await checkPrices(options, key));
    findings.push(...await runChecks(options, read));
    return { findings, key };
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    return { findings: [...findings, failed("gateway", error.message)], key: undefined };
  }
}

/** Whether what the environment names is a management key of this gateway. */
async function checkPermissions(options: DoctorOptions): Promise<AdmittedCheck> {
  const { managementKey: key } = options;
  const refused = (found: string): AdmittedCheck => ({ findings: [failed("key", found)], key: undefined });
  if (key === undefined) return { findings: [], key };
  const own = await readOperation(options, { key, path: "/key" });
  if (!isRecord(own) || !isRecord(own.data)) {
    return refused("TOLLGATE_MANAGEMENT_KEY is no key of this gateway");
  }
  if (own.data.is_management_key !== true) return refused("TOLLGATE_MANAGEMENT_KEY is no management key");
  return { findings: [ok("key", "a management key of this gateway")], key };
}

async function checkPrices(options: DoctorOptions, key: string): Promise<readonly CheckRow[]> {
  const providers = listOf(await readOperation(options, { key, path: "/providers" }))
    .map((row) => String(row.slug ?? row.name));
  const models = listOf(await readOperation(options, { key, path: "/models" }));
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

interface LimitCheckInput {
  readonly findings: readonly CheckRow[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** A key of its own with a limit of one cent; it is deleted afterwards and stays out of credits and charts. */
async function checkLimits(
  options: DoctorOptions,
  key: string | undefined,
): Promise<LimitCheckInput> {
  const { runtime, urls, managementKey, requests } = options;
  const without = (finding: CheckRow): LimitCheckInput => ({ findings: [finding], rows: [] });
  if (managementKey === undefined) {
    return without(failed("limits hold", "TOLLGATE_MANAGEMENT_KEY is not set: nothing was tried"));
  }
  if (key === undefined) {
    return without(failed("limits hold", "nothing was tried, for want of a gateway that takes the key"));
  }
  const results: OverspendResult[] = [];
  try {
    const model = await readOperation(options, { key, path: `/models/${CHECKED_MODEL}` });
    if (!isRecord(model) || typeof model.id !== "string") {
      const found = "not tried: the gateway's built-in models are switched off (TOLLGATE_LOCAL)";
      return without(warning("limits hold", found));
    }
    for (const kind of KINDS) {
      results.push(await checkOverspend({ fetch: runtime.fetch, urls, managementKey: key, kind, requests }));
    }
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    return without(failed("limits hold", error.message));
  }
  const faults = results.flatMap((result) =>
    overspendFaults(result).map((fault) => `${result.kind}: ${fault}`)
  );
  const finding = faults.length === 0
    ? ok(
      "limits hold",
      `${requests} requests at once against a limit for about a hundred of them, three times`,
    )
    : failed("limits hold", faults.join("; "));
  return { findings: [finding], rows: results.map(rowOf) };
}

function rowOf(
  { kind, requests, served, refused, otherErrors, limit, spent, each }: OverspendResult,
) {
  return {
    name: kind,
    requests,
    served,
    refused,
    others: otherErrors.join(", ") || "none",
    limit_usd: limit,
    spent_usd: spent,
    each_usd: each ?? null,
  };
}

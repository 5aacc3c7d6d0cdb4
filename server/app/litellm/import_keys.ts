/**
 * Keys of a running LiteLLM, from its `/key/list?return_full_object=true`: it names them by the SHA-256 of their texts,
 * as this gateway does, so that they go on working and nobody has to know them.
 */

import * as z from "zod";
import { keyHashSchema } from "../../../shared/keys.ts";
import { ConfigError } from "../../config/config_error.ts";
import type { AuditWriter } from "../../management/audit/audit_log.ts";
import { INSTALLATION_ID, installationCollection } from "../../management/core/installation.ts";
import { encodeLimit, keyCollection, type KeyRow, newKeyRow } from "../../management/keys/key_rows.ts";
import { keyPuts } from "../../management/keys/lists/key_index.ts";
import { serializeAuditedKey } from "../../management/keys/key_record.ts";
import type { Store } from "../../storage/stores/store.ts";
import type { ImportReport } from "./import_report.ts";

/** Marks a key that was imported. */
const MARK = "litellm";

const count = z.int().positive().nullish().catch(undefined);

const keySchema = z.looseObject({
  token: keyHashSchema,
  key_name: z.string().nullish(),
  key_alias: z.string().nullish(),
  spend: z.number().nullish(),
  max_budget: z.number().nonnegative().nullish(),
  budget_duration: z.string().nullish(),
  expires: z.string().nullish(),
  blocked: z.boolean().nullish(),
  models: z.array(z.string()).nullish(),
  rpm_limit: count,
  tpm_limit: count,
});
type LitellmKey = z.output<typeof keySchema>;

const listSchema = z.looseObject({ keys: z.array(z.unknown()) });

/** Lengths of a budget's period there → the calendar period here. */
const resets: ReadonlyMap<string, NonNullable<KeyRow["limit_reset"]>> = new Map([
  ["1d", "daily"],
  ["24h", "daily"],
  ["7d", "weekly"],
  ["30d", "monthly"],
  ["1mo", "monthly"],
]);

interface ImportKeysOptions {
  readonly store: Store;
  readonly audit: AuditWriter;
  readonly now: number;
  readonly report: ImportReport;
}

/** Writes the keys that are not there yet. Throws a ConfigError for a text that is no such list. */
export async function importKeys(text: string, options: ImportKeysOptions): Promise<void> {
  const { store, audit, now, report } = options;
  const installed = await installationCollection(store).get(INSTALLATION_ID);
  if (!installed) {
    throw new ConfigError("The store is new: start the gateway once, and stop it, before keys are imported");
  }
  const rows = keyCollection(store);
  for (const [at, one] of listOf(text).entries()) {
    const { data: key } = keySchema.safeParse(one);
    if (key === undefined) {
      report.impossible.push(`keys[${at}]: it has no SHA-256 as its token`);
      continue;
    }
    const row = rowOf(key, { now, workspaceId: installed.record.workspace_id, report });
    const change = { operation: "keys.create", subject: { type: "key", id: row.hash }, before: null };
    const { type } = await store.commit({
      checks: [rows.check([row.hash], null)],
      puts: [...keyPuts(store, row), audit.put({ ...change, after: serializeAuditedKey(row) })],
      small: true,
    });
    if (type === "conflict") report.impossible.push(`key ${row.name}: a key with this text is here already`);
    else {report.done.push(
        `key ${row.name}: imported${row.disabled ? ", disabled" : ", and its text goes on working"}`,
      );}
  }
}

function listOf(text: string): readonly unknown[] {
  try {
    return listSchema.parse(JSON.parse(text)).keys;
  } catch (cause) {
    throw new ConfigError("The keys are no answer of /key/list?return_full_object=true", { cause });
  }
}

interface RowOptions {
  readonly now: number;
  readonly workspaceId: string;
  readonly report: ImportReport;
}

function rowOf(key: LitellmKey, { now, workspaceId, report }: RowOptions): KeyRow {
  const name = key.key_alias ?? `LiteLLM ${key.token.slice(0, 8)}`;
  const { token, rpm_limit: rpm, tpm_limit: tpm } = key;
  const isNarrow = (key.models ?? []).length > 0;
  if (isNarrow) {
    report.changed.push(
      `key ${name}: disabled until a guardrail allows its models: ${key.models?.join(", ")}`,
    );
  }
  const expiry = Date.parse(key.expires ?? "");
  return {
    // Its text is unknown: the hash is LiteLLM's.
    ...newKeyRow({ kind: "api", token, name, workspaceId }, now),
    hash: token,
    label: key.key_name ?? "...",
    creator_user_id: MARK,
    disabled: key.blocked === true || isNarrow,
    expires_at: Number.isNaN(expiry) ? null : new Date(expiry).toISOString(),
    ...budgetOf(key, { name, report }),
    rate_limits: rpm || tpm
      ? { requests_per_minute: rpm ?? null, tokens_per_minute: tpm ?? null, concurrent_streams: null }
      : null,
  };
}

/** A budget of a period begins anew; of any other, what is left is the limit. */
function budgetOf(
  { max_budget: most, budget_duration: duration, spend }: LitellmKey,
  { name, report }: { readonly name: string; readonly report: ImportReport },
): Pick<KeyRow, "limit" | "limit_usd" | "limit_reset"> {
  if (most === null || most === undefined) return { ...encodeLimit(null), limit_reset: null };
  const reset = resets.get(duration ?? "");
  const left = Math.max(0, most - (spend ?? 0));
  if (reset === undefined) {
    report.changed.push(`key ${name}: its limit is what is left of its budget, ${left} USD, without a reset`);
  }
  const usd = Number((reset === undefined ? left : most).toFixed(9));
  return { ...encodeLimit(usd), limit_reset: reset ?? null };
}

/** Guardrails as they are stored. Which key has which stands in the key's own row; members have rows of their own. */

import * as z from "zod";
import {
  type GuardrailRecord,
  guardrailRecordSchema,
  guardrailSettings,
} from "../../../shared/guardrails.ts";
import { timestampSchema } from "../../../shared/keys.ts";
import { Collection, type StoredRecord } from "../../storage/stores/collection.ts";
import type { Store, StorePut } from "../../storage/stores/store.ts";
import { INSTALLATION_ID, installationCollection } from "../core/installation.ts";
import { defaultGuardrailId, workspaceCollection, type WorkspaceRow } from "../workspaces/workspace_rows.ts";
import { ApiError } from "../../../shared/errors.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import { type OperationInput, pathParameter } from "../core/operation.ts";
import { describeBuiltin, describePattern } from "./content_filters.ts";
import { isUuid } from "../workspaces/workspace_lookup.ts";

const guardrailRowSchema = guardrailRecordSchema.extend({
  unreadable: guardrailRecordSchema.shape.unreadable.default("allow"),
  words: guardrailRecordSchema.shape.words.default(null),
  words_action: guardrailRecordSchema.shape.words_action.default("block"),
  except: guardrailRecordSchema.shape.except.default(null),
  external: guardrailRecordSchema.shape.external.default(null),
  /** Being deleted: gone for everybody, and its assignments are being removed. */
  deleting: z.boolean().default(false),
  /** Saved since content filters are enforced, or named at a start since then. */
  filters_enforced: z.boolean().default(false),
});
export type GuardrailRow = z.infer<typeof guardrailRowSchema>;

/** Guardrails by id. */
export function guardrailCollection(store: Store): Collection<typeof guardrailRowSchema> {
  return new Collection({ store, name: "guardrails", schema: guardrailRowSchema });
}

const deletionSchema = z.object({ id: z.uuid(), at: timestampSchema });

/** Deletions that have begun and not ended. */
export function guardrailDeletions(store: Store): Collection<typeof deletionSchema> {
  return new Collection({ store, name: "guardrail_deletions", schema: deletionSchema });
}

const memberRowSchema = z.object({
  id: z.uuid(),
  guardrail_id: z.uuid(),
  user_id: z.string(),
  assigned_by: z.string().nullable(),
  created_at: timestampSchema,
});
export type GuardrailMemberRow = z.infer<typeof memberRowSchema>;

/** The one guardrail of a member, by the user's id. */
export function guardrailMembers(store: Store): Collection<typeof memberRowSchema> {
  return new Collection({ store, name: "guardrail_members", schema: memberRowSchema });
}

const nothingSchema = z.object({});

/** Members by guardrail, written in the commits that write the rows above. */
export function membersOfGuardrail(store: Store): Collection<typeof nothingSchema> {
  return new Collection({ store, name: "members_by_guardrail", schema: nothingSchema });
}

type Settings = { readonly [K in keyof typeof guardrailSettings]: GuardrailRecord[K] };

/** Asks for nothing. */
export const emptyGuardrailSettings: Settings & Pick<GuardrailRow, "limit_usd" | "include_byok_in_budgets"> =
  {
    description: null,
    limit_usd: null,
    reset_interval: null,
    include_byok_in_budgets: false,
    allowed_models: null,
    ignored_models: null,
    allowed_providers: null,
    ignored_providers: null,
    enforce_zdr: null,
    enforce_zdr_anthropic: null,
    enforce_zdr_openai: null,
    enforce_zdr_google: null,
    enforce_zdr_xai: null,
    enforce_zdr_other: null,
    enable_paid_model_training: null,
    enable_free_model_training: null,
    enable_free_model_publication: null,
    allowed_data_regions: null,
    content_filters: null,
    content_filter_builtins: null,
    unreadable: "allow",
    words: null,
    words_action: "block",
    except: null,
    external: null,
  };

/** A guardrail as the operations show it. */
export function serializeGuardrail(
  { deleting: _, filters_enforced: _known, ...row }: GuardrailRow,
): GuardrailRecord {
  return {
    ...row,
    content_filters: row.content_filters?.map(describePattern) ?? null,
    content_filter_builtins: row.content_filter_builtins?.map(describeBuiltin) ?? null,
  };
}

type Owner = Pick<WorkspaceRow, "id" | "created_at">;

/** Every workspace has a guardrail that holds for all of its keys; at first it asks for nothing. */
export function defaultGuardrailPut(store: Store, { id, created_at }: Owner): StorePut {
  const own = defaultGuardrailId(id);
  return guardrailCollection(store).put([own], {
    ...emptyGuardrailSettings,
    id: own,
    name: "Default",
    workspace_id: id,
    created_at,
    updated_at: null,
  });
}

export const isDefaultGuardrail = (
  { id, workspace_id }: Pick<GuardrailRow, "id" | "workspace_id">,
): boolean => workspace_id !== null && id === defaultGuardrailId(workspace_id);

/** Gives the first workspace its guardrail where an earlier version has made it without one. */
export async function ensureDefaultGuardrail(store: Store): Promise<void> {
  const installed = await installationCollection(store).get(INSTALLATION_ID);
  const workspaces = workspaceCollection(store);
  const found = installed && await workspaces.get(installed.record.workspace_id);
  if (found?.record.state !== "active") return;
  const { record: { id, created_at }, version } = found;
  const own = defaultGuardrailId(id);
  if (await guardrailCollection(store).get(own)) return;
  // Who is faster makes the same row; a workspace that changes meanwhile gets it at the next start.
  await store.commit({
    checks: [workspaces.check([id], version), guardrailCollection(store).check([own], null)],
    puts: [defaultGuardrailPut(store, { id, created_at })],
  });
}

/** Throws an ApiError (400) for what is no UUID. */
export function requireGuardrailId(input: Pick<OperationInput, "params">, verb: string): string {
  const id = pathParameter(input, "id");
  if (isUuid(id)) return id.toLowerCase();
  throw new ApiError("invalid_request", `Cannot ${verb}: id is ${formatValue(id)}; a UUID is needed`, {
    metadata: { path: "id" },
  });
}

/** Throws an ApiError (404). */
export async function findGuardrail(store: Store, id: string): Promise<StoredRecord<GuardrailRow>> {
  const found = await guardrailCollection(store).get(id);
  if (found && !found.record.deleting) return found;
  throw new ApiError("not_found", `There is no guardrail ${formatValue(id)}.`);
}

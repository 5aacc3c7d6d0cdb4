/** What the workspace operations do (wire-reference §8, §9.2). */

import type { workspaceApi } from "../../../shared/management/workspaces.ts";
import { Refusal } from "../../../shared/errors.ts";
import type { RateLimits } from "../../../shared/rate_limits.ts";
import { DEFAULT_WORKSPACE_SLUG } from "../../../shared/workspaces.ts";
import { type Acts, type Asked, param } from "../core/operation.ts";
import { budgetActs } from "../budgets/budget_operations.ts";
import type { AdminDeps } from "../core/management_deps.ts";
import { defaultGuardrailPut } from "../guardrails/guardrail_rows.ts";
import { defaultWorkspaceId } from "./default_workspace.ts";
import { allRows, oldestFirst, paged } from "../core/pages.ts";
import { deleteWorkspace } from "./workspace_deletion.ts";
import { findWorkspace, isUuid, lookUpWorkspace, noWorkspace, openWorkspace } from "./workspace_lookup.ts";
import { memberActs } from "./member_operations.ts";
import {
  toUuid,
  workspaceRecord,
  type WorkspaceRow,
  workspaceRows,
  workspaceSlugs,
} from "./workspace_rows.ts";
import { askedBy, CONFLICT, retried, write } from "../core/write.ts";

type Api = typeof workspaceApi;
type Of<K extends keyof Api> = Asked<Api[K]>;

export function workspaceActs(deps: AdminDeps): Acts<Api> {
  return {
    "workspaces.list": async ({ query }) => paged(await listed(deps), query),
    "workspaces.create": async (asked) => ({
      data: workspaceRecord(await retried(deps.world, () => create(deps, asked))),
    }),
    "workspaces.get": async (asked) => ({
      data: workspaceRecord((await findWorkspace(deps.store, param(asked, "id"))).record),
    }),
    "workspaces.update": async (asked) => ({ data: workspaceRecord(await update(deps, asked)) }),
    "workspaces.delete": async (asked) => {
      await remove(deps, asked);
      return { deleted: true };
    },
    "workspaces.rate_limits.get": async (asked) => ({
      data: (await findWorkspace(deps.store, param(asked, "id"))).record.rate_limits ?? noLimits,
    }),
    "workspaces.rate_limits.set": async (asked) => ({ data: await setRateLimits(deps, asked) }),
    ...memberActs(deps),
    ...budgetActs(deps),
  };
}

const noLimits: RateLimits = {
  requests_per_minute: null,
  tokens_per_minute: null,
  concurrent_streams: null,
};

async function listed({ store }: AdminDeps) {
  const rows = await allRows(workspaceRows(store));
  return rows.filter(({ state }) => state !== "deleting").sort(oldestFirst).map(workspaceRecord);
}

async function create(
  deps: AdminDeps,
  asked: Of<"workspaces.create">,
): Promise<WorkspaceRow | typeof CONFLICT> {
  const { store, world } = deps;
  const { body, claim } = asked;
  requireFreeForm(body.slug, "create workspace");
  const id = toUuid(world.id());
  const at = new Date(world.clock.now()).toISOString();
  const rows = workspaceRows(store);
  const slugs = workspaceSlugs(store);
  const put = rows.put([id], { ...body, id, created_by: null, created_at: at, updated_at: null });
  const row = toRow(put.value);
  const kept = claim?.kept({ data: workspaceRecord(row) });
  const done = await write(deps, {
    checks: [rows.check([id], null), slugs.check([row.slug], null), ...(kept?.checks ?? [])],
    puts: [
      put,
      slugs.put([row.slug], { id }),
      defaultGuardrailPut(store, row),
      ...(kept?.puts ?? []),
    ],
    change: {
      ...askedBy(asked),
      operation: "workspaces.create",
      subject: { type: "workspace", id },
      before: null,
      after: workspaceRecord(row),
    },
    epoch: { topic: "workspaces", id },
    small: true,
  });
  if (done) return row;
  if (await slugs.get(row.slug)) throw taken(row.slug, "create workspace");
  return CONFLICT;
}

/** What the collection has parsed to store it. */
function toRow(value: unknown): WorkspaceRow {
  return value as WorkspaceRow;
}

/** `default` stays with the workspace of the first start, and what looks like an id names no other workspace. */
function requireFreeForm(slug: string, verb: string): void {
  if (slug === DEFAULT_WORKSPACE_SLUG) {
    throw new Refusal(
      "invalid_request",
      `Cannot ${verb}: slug is ${slug}, which only the first workspace may have, also after its deletion`,
      { metadata: { path: "slug" } },
    );
  }
  if (!isUuid(slug)) return;
  throw new Refusal("invalid_request", `Cannot ${verb}: slug is ${slug}; a UUID is not allowed`, {
    metadata: { path: "slug" },
  });
}

function taken(slug: string, verb: string): Refusal {
  return new Refusal("invalid_request", `Cannot ${verb}: slug is ${slug}, which another workspace has`, {
    metadata: { path: "slug" },
  });
}

/** Changed rows of one workspace, told in the audit log. */
interface Changing {
  readonly asked: Pick<Asked, "caller" | "params" | "requestId">;
  readonly operation: string;
  readonly change: (row: WorkspaceRow) => Partial<WorkspaceRow>;
  /** Under which the other workspaces must not be. */
  readonly slug?: string;
}

/** `updated_at` moves only where something changes. */
function changeRow(deps: AdminDeps, { asked, operation, change, slug }: Changing): Promise<WorkspaceRow> {
  const { store, epochs, world } = deps;
  const rows = workspaceRows(store);
  const slugs = workspaceSlugs(store);
  return retried(deps.world, async () => {
    const { record: before, version } = await openWorkspace(store, param(asked, "id"));
    const next = { ...before, ...change(before) };
    if (JSON.stringify(next) === JSON.stringify(before)) return before;
    const after = { ...next, updated_at: new Date(world.clock.now()).toISOString() };
    const moves = slug !== undefined && slug !== before.slug;
    if (moves) await requireFree(deps, { slug, id: before.id });
    const done = await write(deps, {
      checks: [rows.check([before.id], version), ...(moves ? [slugs.check([slug], null)] : [])],
      puts: [
        rows.put([before.id], after),
        ...(moves ? [slugs.put([slug], { id: before.id })] : []),
        // Whether calls on one's own provider keys count is asked of the workspace.
        epochs.put("budgets"),
      ],
      deletes: moves ? [slugs.key([before.slug])] : [],
      change: {
        ...askedBy(asked),
        operation,
        subject: { type: "workspace", id: before.id },
        before: shownInAudit(before),
        after: shownInAudit(after),
      },
      epoch: { topic: "workspaces", id: before.id },
      small: true,
    });
    if (!done) return CONFLICT;
    epochs.changed("budgets", before.id);
    return after;
  });
}

const shownInAudit = (row: WorkspaceRow) => ({ ...workspaceRecord(row), rate_limits: row.rate_limits });

interface Wanted {
  readonly slug: string;
  readonly id: string;
}

async function requireFree({ store }: AdminDeps, { slug, id }: Wanted): Promise<void> {
  const verb = "update workspace";
  if (id === await defaultWorkspaceId(store)) {
    throw new Refusal(
      "invalid_request",
      `Cannot ${verb}: slug is ${slug}; that of the default workspace stays default`,
      { metadata: { path: "slug" } },
    );
  }
  requireFreeForm(slug, verb);
  if (await workspaceSlugs(store).get(slug)) throw taken(slug, verb);
}

function update(deps: AdminDeps, asked: Of<"workspaces.update">): Promise<WorkspaceRow> {
  const { body } = asked;
  return changeRow(deps, { asked, operation: "workspaces.update", change: () => body, slug: body.slug });
}

async function setRateLimits(deps: AdminDeps, asked: Of<"workspaces.rate_limits.set">): Promise<RateLimits> {
  const limits = { ...noLimits, ...asked.body };
  const off = Object.values(limits).every((limit) => limit === null);
  const change = () => ({ rate_limits: off ? null : limits });
  const row = await changeRow(deps, { asked, operation: "workspaces.rate_limits.set", change });
  return row.rate_limits ?? noLimits;
}

/** The first of several calls has deleted it, and the others find nothing (404). */
function remove(deps: AdminDeps, asked: Of<"workspaces.delete">): Promise<true> {
  const { store } = deps;
  const ref = param(asked, "id");
  const confirmed = asked.query.confirm_default_workspace_deletion === "true";
  return retried(deps.world, async () => {
    // One that is being deleted is found too: whoever asks again after a failure finishes the work.
    const found = await lookUpWorkspace(store, ref);
    if (found === undefined) throw noWorkspace(ref);
    if (!confirmed && found.record.id === await defaultWorkspaceId(store)) throw unconfirmed();
    const { type } = await deleteWorkspace(deps, { found, ...askedBy(asked) });
    if (type === "gone") throw noWorkspace(ref);
    return type === "deleted" || CONFLICT;
  });
}

function unconfirmed(): Refusal {
  const name = "confirm_default_workspace_deletion";
  return new Refusal(
    "invalid_request",
    `Cannot delete workspace: it is the default one, and ${name} is not true`,
    { metadata: { path: name } },
  );
}

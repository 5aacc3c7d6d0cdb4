/** The unmodified client manages workspaces, guardrails and provider keys, and parses every reply. */

import assert from "node:assert/strict";
import { OpenRouter } from "@openrouter/sdk";
import type { CreateGuardrailRequest } from "@openrouter/sdk/models";
import {
  BadRequestResponseError,
  ForbiddenResponseError,
  NotFoundResponseError,
  UnauthorizedResponseError,
} from "@openrouter/sdk/models/errors";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey } from "../support/manage.ts";
import { orphansIn } from "../support/leftover_records.ts";

const env = { TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(3).toBase64() };
const start = () => startGateway({ env });

function clientOf({ url, managementKey }: Gateway, apiKey = managementKey): OpenRouter {
  return new OpenRouter({ serverURL: `${url}/api/v1`, apiKey, retryConfig: { strategy: "none" } });
}

/** Every page of a list, to its end. */
async function pagesOf<Page>(pages: AsyncIterable<Page>): Promise<readonly Page[]> {
  const all: Page[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

Deno.test("@openrouter/sdk workspaces.* makes, lists, shows, changes and deletes a workspace", async () => {
  await using gateway = await start();
  const { workspaces } = clientOf(gateway);
  const { data: made } = await workspaces.create({
    createWorkspaceRequest: {
      name: "Lab",
      slug: "lab",
      description: "Where it is tried",
      ioLoggingSamplingRate: 0.5,
      disabledServerTools: ["openrouter:bash"],
    },
  });
  assert.deepEqual([made.slug, made.ioLoggingSamplingRate, made.updatedAt], ["lab", 0.5, null]);
  assert.deepEqual((await workspaces.get({ id: "lab" })).data, made);
  assert.deepEqual((await workspaces.get({ id: made.id })).data, made);
  const { data: changed } = await workspaces.update({ id: "lab", updateWorkspaceRequest: { slug: "labor" } });
  assert.deepEqual([changed.slug, typeof changed.updatedAt], ["labor", "string"]);
  const pages = await pagesOf(await workspaces.list({ limit: 1 }));
  assert.deepEqual(pages.flatMap(({ result }) => result.data.map(({ slug }) => slug)), ["default", "labor"]);
  assert.deepEqual(await workspaces.delete({ id: made.id }), { deleted: true });
  await assert.rejects(workspaces.delete({ id: made.id }), NotFoundResponseError);
  await assert.rejects(workspaces.get({ id: "labor" }), NotFoundResponseError);
  assert.deepEqual(await orphansIn(gateway.store), []);
});

Deno.test("@openrouter/sdk workspaces.* sets budgets and members", async () => {
  await using gateway = await start();
  const { workspaces } = clientOf(gateway);
  const ref = { workspaceRef: "default" };
  const set = await workspaces.setBudget({
    ...ref,
    interval: "monthly",
    upsertWorkspaceBudgetRequest: { limitUsd: 20, includeByokInBudgets: true },
  });
  assert.deepEqual([set.data.limitUsd, set.data.resetInterval, set.includeByokInBudgets], [
    20,
    "monthly",
    true,
  ]);
  await workspaces.setBudget({
    ...ref,
    interval: "lifetime",
    upsertWorkspaceBudgetRequest: { limitUsd: 21 },
  });
  const list = await workspaces.listBudgets(ref);
  assert.deepEqual(list.data.map(({ resetInterval }) => resetInterval), ["monthly", null]);
  assert.deepEqual((await workspaces.getBudget({ ...ref, interval: "monthly" })).data, set.data);
  const dearer = { ...ref, interval: "daily", upsertWorkspaceBudgetRequest: { limitUsd: 20 } } as const;
  await assert.rejects(workspaces.setBudget(dearer), BadRequestResponseError);
  assert.deepEqual(await workspaces.deleteBudget({ ...ref, interval: "monthly" }), { deleted: true });
  const users = { userIds: ["ann", "bob"] };
  const added = await workspaces.bulkAddMembers({ id: "default", bulkAddWorkspaceMembersRequest: users });
  assert.equal(added.addedCount, 2);
  const [page] = await pagesOf(await workspaces.listMembers({ id: "default" }));
  const byUser = (a: { userId: string }, b: { userId: string }) => a.userId.localeCompare(b.userId);
  assert.deepEqual(page?.result.data.toSorted(byUser), added.data.toSorted(byUser));
  const removed = await workspaces.bulkRemoveMembers({
    id: "default",
    bulkRemoveWorkspaceMembersRequest: users,
  });
  assert.equal(removed.removedCount, 2);
});

Deno.test("@openrouter/sdk workspaces.* knows the class of every refusal", async () => {
  await using gateway = await start();
  const { workspaces } = clientOf(gateway);
  await assert.rejects(workspaces.delete({ id: "default" }), BadRequestResponseError);
  await assert.rejects(
    workspaces.delete({ id: "default", confirmDefaultWorkspaceDeletion: true }),
    (error) => error instanceof BadRequestResponseError && /1 active API key/.test(error.message),
  );
  await assert.rejects(workspaces.delete({ id: "nowhere" }), NotFoundResponseError);
  const create = (slug: string) => workspaces.create({ createWorkspaceRequest: { name: "x", slug } });
  await assert.rejects(create("Not A Slug"), BadRequestResponseError);
  await assert.rejects(
    clientOf(gateway, gateway.apiKey).workspaces.delete({ id: "x" }),
    ForbiddenResponseError,
  );
  await assert.rejects(clientOf(gateway, "nobody").workspaces.delete({ id: "x" }), UnauthorizedResponseError);
});

Deno.test("@openrouter/sdk guardrails.* makes, lists, shows, changes, assigns and deletes", async () => {
  await using gateway = await start();
  const { guardrails } = clientOf(gateway);
  const { record: { hash } } = await createKey(gateway);
  const createGuardrailRequest = {
    name: "Careful",
    limitUsd: 5,
    resetInterval: "weekly",
    allowedModels: ["vendor/*"],
    enforceZdrAnthropic: true,
    allowedDataRegions: ["europe"],
  } satisfies CreateGuardrailRequest;
  const { data: made } = await guardrails.create({ createGuardrailRequest });
  const filters = {
    contentFilters: [{ pattern: "secret-\\d+", action: "redact", label: "A secret" }],
    contentFilterBuiltins: [{ slug: "email", action: "flag" }],
  } satisfies Partial<CreateGuardrailRequest>;
  const filtering = { ...createGuardrailRequest, ...filters };
  const { data: filtered } = await guardrails.create({ createGuardrailRequest: filtering });
  assert.deepEqual(filtered.contentFilters, filters.contentFilters);
  assert.deepEqual(
    filtered.contentFilterBuiltins?.map(({ slug, action }) => ({ slug, action })),
    filters.contentFilterBuiltins,
  );
  const broken = { ...filtering, contentFilters: [{ pattern: "(", action: "redact" as const }] };
  await assert.rejects(guardrails.create({ createGuardrailRequest: broken }), BadRequestResponseError);
  await guardrails.delete({ id: filtered.id });
  const { id } = made;
  assert.deepEqual([made.limitUsd, made.resetInterval, made.allowedModels], [5, "weekly", ["vendor/*"]]);
  assert.deepEqual((await guardrails.get({ id })).data, made);
  const { data } = await guardrails.update({ id, updateGuardrailRequest: { allowedModels: null } });
  assert.equal(data.allowedModels, null);
  const keys = { keyHashes: [hash] };
  assert.equal((await guardrails.bulkAssignKeys({ id, bulkAssignKeysRequest: keys })).assignedCount, 1);
  const [of] = await pagesOf(await guardrails.listGuardrailKeyAssignments({ id }));
  const [all] = await pagesOf(await guardrails.listKeyAssignments());
  assert.deepEqual(of, all);
  assert.equal(of?.result.data[0]?.keyHash, hash);
  assert.equal((await guardrails.bulkUnassignKeys({ id, bulkUnassignKeysRequest: keys })).unassignedCount, 1);
  const users = { memberUserIds: ["ann"] };
  assert.equal(
    (await guardrails.bulkAssignMembers({ id, bulkAssignMembersRequest: users })).assignedCount,
    1,
  );
  const [members] = await pagesOf(await guardrails.listGuardrailMemberAssignments({ id }));
  assert.deepEqual(members, (await pagesOf(await guardrails.listMemberAssignments()))[0]);
  const unassigned = await guardrails.bulkUnassignMembers({ id, bulkUnassignMembersRequest: users });
  assert.equal(unassigned.unassignedCount, 1);
  const pages = await pagesOf(await guardrails.list({ limit: 1 }));
  assert.deepEqual(pages.flatMap(({ result }) => result.data.map(({ name }) => name)), [
    "Default",
    "Careful",
  ]);
  assert.deepEqual(await guardrails.delete({ id }), { deleted: true });
  await assert.rejects(guardrails.get({ id }), NotFoundResponseError);
  assert.deepEqual(await orphansIn(gateway.store), []);
});

Deno.test("@openrouter/sdk byok.* makes, lists, shows, changes and deletes a provider key", async () => {
  await using gateway = await start();
  const { byok } = clientOf(gateway);
  const { record: { hash } } = await createKey(gateway);
  const { data: made } = await byok.create({
    createBYOKKeyRequest: {
      provider: "openai",
      key: "sk-provider-of-the-workspace",
      name: "Ours",
      allowedApiKeyHashes: [hash],
      isRequired: true,
      declaredZdr: true,
    },
  });
  assert.deepEqual([made.label, made.isRequired, made.declaredZdr, made.sortOrder], [
    "sk-...ace",
    true,
    true,
    0,
  ]);
  const { id } = made;
  assert.deepEqual((await byok.get({ id })).data, made);
  const { data: changed } = await byok.update({
    id,
    updateBYOKKeyRequest: { key: "sk-another-of-the-workspace-1", allowedApiKeyHashes: null },
  });
  assert.deepEqual([changed.label, changed.allowedApiKeyHashes], ["sk-...e-1", null]);
  const [page] = await pagesOf(await byok.list({ provider: "openai" }));
  assert.deepEqual(page?.result.data, [changed]);
  assert.deepEqual(await byok.delete({ id }), { deleted: true });
  await assert.rejects(byok.get({ id }), NotFoundResponseError);
});

/** Looks through a whole store for what belongs to nothing any more: a deletion must leave none. */

import { iterateRecords } from "../../server/management/core/pages.ts";
import { containerCollection } from "../../server/sandbox/containers/container_rows.ts";
import { fileCollection, fileUsage } from "../../server/storage/files/file_rows.ts";
import { byokCollection } from "../../server/management/byok/byok_rows.ts";
import { clientCollection } from "../../server/management/clients/client_rows.ts";
import { tagRuleCollection } from "../../server/management/classifiers/tag_rule_rows.ts";
import { destinationCollection } from "../../server/management/destinations/destination_rows.ts";
import { guardrailCollection, guardrailMembers } from "../../server/management/guardrails/guardrail_rows.ts";
import { keyCollection } from "../../server/management/keys/key_rows.ts";
import {
  workspaceCollection,
  workspaceDeletions,
  workspaceSlugs,
} from "../../server/management/workspaces/workspace_rows.ts";
import type { Store, StoreKey } from "../../server/storage/stores/store.ts";

async function keysBelow(store: Store, name: string): Promise<StoreKey[]> {
  const keys: StoreKey[] = [];
  let after: StoreKey | undefined;
  do {
    const page = await store.list([name], { limit: 500, after });
    keys.push(...page.map(({ key }) => key));
    after = page.length < 500 ? undefined : page.at(-1)?.key;
  } while (after !== undefined);
  return keys;
}

async function idsOf(store: Store, name: string): Promise<Set<string>> {
  return new Set((await keysBelow(store, name)).map((key) => String(key[1])));
}

/** Collections whose second key part is the id of a workspace. */
const underWorkspaces = [
  "workspace_budgets",
  "workspace_members",
  "keys_by_workspace",
  "keys_by_word",
  "keys_by_name",
  "files",
  "containers",
  "container_files",
  "container_sessions",
  "system_keys",
  "presets",
  "preset_versions",
];

/** Lists what is left over, in words; empty when all is well. */
export async function orphansIn(store: Store): Promise<readonly string[]> {
  const workspaces = await idsOf(store, "workspaces");
  const keys = await idsOf(store, "keys");
  const left: string[] = [];
  const sums = (await keysBelow(store, "usage_task")).filter(([, , of]) => !workspaces.has(String(of)));
  left.push(...sums.map(([, , of]) => `usage_task: workspace ${of} is gone`));
  for (const name of underWorkspaces) {
    const lost = (await keysBelow(store, name)).filter((key) => !workspaces.has(String(key[1])));
    left.push(...lost.map((key) => `${name}: workspace ${key[1]} is gone`));
  }
  for await (const { record } of iterateRecords(keyCollection(store))) {
    if (record.kind !== "api" || workspaces.has(record.workspace_id)) continue;
    left.push(`keys: workspace ${record.workspace_id} of ${record.hash} is gone`);
  }
  for (
    const name of ["keys_by_workspace", "keys_by_client", "keys_by_guardrail", "keys_by_word", "keys_by_name"]
  ) {
    const lost = (await keysBelow(store, name)).filter((key) => !keys.has(String(key.at(-1))));
    left.push(...lost.map((key) => `${name}: key ${key.at(-1)} is gone`));
  }
  for await (const { record } of iterateRecords(destinationCollection(store))) {
    if (!record.enabled || workspaces.has(record.workspace_id)) continue;
    left.push(`destinations: workspace ${record.workspace_id} of ${record.id} is gone, and it is on`);
  }
  for await (const { record } of iterateRecords(tagRuleCollection(store))) {
    if (!record.enabled || workspaces.has(record.workspace_id)) continue;
    left.push(`classifiers: workspace ${record.workspace_id} of ${record.id} is gone, and it is on`);
  }
  return [
    ...left,
    ...await fileOrphans(store),
    ...await clientOrphans(store),
    ...await workspaceOrphans(store),
    ...await guardrailOrphans(store),
  ];
}

/** The index of files is as the files are, and what they take up is counted. */
async function fileOrphans(store: Store): Promise<string[]> {
  const index = new Set((await keysBelow(store, "files_by_key")).map(([, key, id]) => `${key} ${id}`));
  const left: string[] = [];
  const used = new Map<string, number>();
  for await (
    const { record: { id, workspace_id: of, key_id: key, size } } of iterateRecords(fileCollection(store))
  ) {
    used.set(of, (used.get(of) ?? 0) + size);
    if (key !== null && !index.delete(`${key} ${id}`)) left.push(`files: ${id} is not in the index`);
  }
  for await (const { record: { workspace_id: of, bytes } } of iterateRecords(containerCollection(store))) {
    used.set(of, (used.get(of) ?? 0) + bytes);
  }
  left.push(...[...index].map((pair) => `files_by_key: ${pair} leads nowhere`));
  const workspaces = await idsOf(store, "workspaces");
  for await (const { id: [of], record: { bytes, deleted_at } } of iterateRecords(fileUsage(store))) {
    if (workspaces.has(String(of)) === (deleted_at !== undefined)) left.push(`file_usage: ${of} is wrong`);
    if (bytes !== (used.get(String(of)) ?? 0)) left.push(`file_usage: ${of} does not have ${bytes} bytes`);
  }
  return left;
}

async function clientOrphans(store: Store): Promise<string[]> {
  const left: string[] = [];
  const workspaces = await idsOf(store, "workspaces");
  const clients = await idsOf(store, "connect_clients");
  for await (const { record: { id, workspace_id: of } } of iterateRecords(clientCollection(store))) {
    if (!workspaces.has(of)) left.push(`connect_clients: workspace ${of} of ${id} is gone`);
  }
  for (const name of ["client_secrets", "keys_by_client"]) {
    const lost = (await keysBelow(store, name)).filter(([, id]) => !clients.has(String(id)));
    left.push(...lost.map(([, id]) => `${name}: client ${id} is gone`));
  }
  for await (const { record: { kind, hash, client_id } } of iterateRecords(keyCollection(store))) {
    if (client_id !== null && !clients.has(client_id)) {
      left.push(`keys: client ${client_id} of ${kind} ${hash} is gone`);
    }
  }
  return left;
}

async function guardrailOrphans(store: Store): Promise<string[]> {
  const left: string[] = [];
  const workspaces = await idsOf(store, "workspaces");
  const guardrails = new Set<string>();
  for await (const { record } of iterateRecords(guardrailCollection(store))) {
    guardrails.add(record.id);
    if (record.deleting) left.push(`guardrails: ${record.id} is being deleted`);
    const of = record.workspace_id;
    if (of !== null && !workspaces.has(of)) left.push(`guardrails: workspace ${of} of ${record.id} is gone`);
  }
  for await (const { record: { id, workspace_id: of } } of iterateRecords(byokCollection(store))) {
    if (of !== null && !workspaces.has(of)) left.push(`byok: workspace ${of} of ${id} is gone`);
  }
  for (const name of ["keys_by_guardrail", "members_by_guardrail", "guardrail_deletions"]) {
    const lost = (await keysBelow(store, name)).filter(([, id]) => !guardrails.has(String(id)));
    left.push(...lost.map(([, id]) => `${name}: guardrail ${id} is gone`));
  }
  const index = new Set(
    (await keysBelow(store, "keys_by_guardrail")).map((key) => `${key[1]} ${key.at(-1)}`),
  );
  for await (const { record: { guardrail, hash } } of iterateRecords(keyCollection(store))) {
    if (guardrail === null) continue;
    const pair = `${guardrail.guardrail_id} ${hash}`;
    if (!index.delete(pair)) left.push(`keys: ${pair} is not in the index`);
  }
  left.push(...[...index].map((pair) => `keys_by_guardrail: ${pair} is not so`));
  for await (const { record } of iterateRecords(guardrailMembers(store))) {
    if (!guardrails.has(record.guardrail_id)) left.push(`guardrail_members: ${record.user_id} has none`);
  }
  return left;
}

async function workspaceOrphans(store: Store): Promise<string[]> {
  const left: string[] = [];
  const slugs = new Map<string, string>();
  for await (const { id, record } of iterateRecords(workspaceSlugs(store))) {
    slugs.set(String(id[0]), record.id);
  }
  for await (const { record } of iterateRecords(workspaceCollection(store))) {
    if (slugs.get(record.slug) !== record.id) left.push(`workspaces: ${record.id} has no slug row`);
    slugs.delete(record.slug);
    if (record.state !== "active") left.push(`workspaces: ${record.id} is ${record.state}`);
  }
  left.push(...[...slugs.keys()].map((slug) => `workspace_slugs: ${slug} leads nowhere`));
  for await (const { record } of iterateRecords(workspaceDeletions(store))) {
    left.push(`workspace_deletions: ${record.id} is not finished`);
  }
  return left;
}

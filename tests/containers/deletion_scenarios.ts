/** Containers that go, or stay, on one gateway while another one on the same store runs a command in them. */

import assert from "node:assert/strict";
import type { ContainerKey } from "../../server/sandbox/containers/container_store.ts";
import { removeOldContainers } from "../../server/sandbox/containers/container_retention.ts";
import { containerCall, respond } from "../support/containers.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import type { Instance, Instances } from "../support/instances.ts";
import { createKey, managed } from "../support/manage.ts";
import { linesLogger } from "../support/reader.ts";
import { until } from "../support/until.ts";
import { untilBusy } from "./forwarding_scenarios.ts";

/** A container of a session in a workspace of its own. */
interface Found {
  readonly key: ContainerKey;
  /** The only one of the workspace. */
  readonly apiKey: string;
  /** Hash of that key. */
  readonly hash: string;
}

/** Number of workspaces, for their names. */
let workspaces = 0;

async function makeContainer({ rig: { gateway, bash } }: Instance): Promise<Found> {
  const slug = `lab-${workspaces++}`;
  const made = await managed(gateway, { call: "POST /workspaces", body: { name: "Lab", slug } });
  const workspaceId = String(asObject(made.body.data).id);
  const { record: { hash }, key: apiKey } = await createKey(gateway, { workspace_id: workspaceId });
  const { containerId } = await bash({ command: "true" }, { session: "s", apiKey });
  return { key: { workspaceId, id: containerId }, apiKey, hash };
}

const LONG = "sleep 300";

interface CommandInput {
  readonly command: string;
  readonly settings?: Json;
  readonly signal?: AbortSignal;
  readonly restart?: true;
}

/** One request in the container's session. */
const request = ({ rig: { gateway } }: Instance, { apiKey }: Found, input: CommandInput) => {
  const { command, restart, ...rest } = input;
  const args = { command, timeout_ms: 300_000, ...(restart === undefined ? {} : { restart }) };
  return respond(gateway, { apiKey, session: "s", args, ...rest });
};

interface Deletion {
  /** Deletes the container on a gateway on which nothing runs in it. */
  readonly remove: (on: Instance, found: Found) => Promise<void>;
  /** The key of the request that runs goes too: it has no answer of the model. */
  readonly takesKey?: true;
}

const deleteAs = (tokenOf: (on: Instance, found: Found) => string): Deletion => ({
  remove: async (on, found) => {
    const token = tokenOf(on, found);
    const reply = await containerCall(on.rig.gateway, { method: "DELETE", path: `/${found.key.id}`, token });
    assert.equal(reply.status, 200, await reply.text());
  },
});

const deletions: Readonly<Record<string, Deletion>> = {
  "a deletion by an API key": deleteAs((_, { apiKey }) => apiKey),
  "a deletion by a management key": deleteAs(({ rig: { gateway } }) => gateway.managementKey),
  "the deletion of its workspace": {
    takesKey: true,
    remove: async ({ rig: { gateway } }, { key: { workspaceId }, hash }) => {
      await managed(gateway, { call: `PATCH /keys/${hash}`, body: { disabled: true } });
      const { status, body } = await managed(gateway, { call: `DELETE /workspaces/${workspaceId}` });
      assert.equal(status, 200, JSON.stringify(body));
    },
  },
  "the end of its time": {
    remove: async ({ rig: { gateway: { containers, clock } } }) => {
      const now = () => clock.now() + containers.keepMs + 60_000;
      const runtime = { clock: { ...clock, now }, log: linesLogger([]) };
      assert.ok(await removeOldContainers({ containers, runtime }) > 0);
    },
  },
};

interface DeletedUnder {
  /** Runs the command. */
  readonly runs: Instance;
  /** Takes the request for it. */
  readonly through: Instance;
  /** Deletes the container. */
  readonly by: Instance;
}

async function endsCommand(
  { runs, through, by }: DeletedUnder,
  { remove, takesKey }: Deletion,
): Promise<void> {
  const found = await makeContainer(runs);
  const { store, containers } = runs.rig.gateway;
  const running = request(through, found, { command: LONG });
  await untilBusy(store, found.key.id);
  await remove(by, found);
  // It would run for longer than a test may.
  const { body } = await running;
  if (!takesKey) assert.match(JSON.stringify(body), /The command was ended|This container was deleted/);
  await until(() => !containers.hasProcess(found.key), { what: "that its process has ended" });
  const { workspaceId, id } = found.key;
  await until(async () => await store.get(["container_leases", workspaceId, id]) === undefined, {
    what: "that nobody holds it",
  });
}

export const endsByDeletion = (input: DeletedUnder) =>
  endsCommand(input, deleteAs((_, { apiKey }) => apiKey));

/** Begins a command that another gateway does not end, and that ends by itself. */
async function beginShort(runs: Instance) {
  const found = await makeContainer(runs);
  const running = request(runs, found, { command: "sleep 1; echo kept > kept.txt" });
  await untilBusy(runs.rig.gateway.store, found.key.id);
  const untilKept = async (on: Instance) => {
    const { body } = await running;
    assert.match(JSON.stringify(body), /"exitCode":0/);
    const environment = { type: "container_reference", container_id: found.key.id };
    const read = await request(on, found, { command: "cat kept.txt", settings: { environment } });
    assert.match(JSON.stringify(read.body), /kept\\n/);
  };
  return { found, untilKept };
}

const POLICY = { type: "allowlist", allowed_domains: ["example.com"] };

/** Whether the gateways can call each other is all the same. */
export const deletionScenarios: Readonly<Record<string, (instances: Instances) => Promise<void>>> = {
  ...Object.fromEntries(
    Object.entries(deletions).map(([name, deletion]) => [
      `${name} ends a container's command on another gateway`,
      ({ a, b }: Instances) => endsCommand({ runs: a, through: a, by: b }, deletion),
    ]),
  ),
  "a restart leaves the command in the container from before": async ({ a, b }) => {
    const { found, untilKept } = await beginShort(a);
    const { body } = await request(b, found, { command: "ls", restart: true });
    assert.match(JSON.stringify(body), new RegExp(`${found.key.id}-r`));
    await untilKept(b);
  },
  "the deletion of another container leaves the command": async ({ a, b }) => {
    const { untilKept } = await beginShort(a);
    const { key: { id }, apiKey: token } = await makeContainer(b);
    const reply = await containerCall(b.rig.gateway, { method: "DELETE", path: `/${id}`, token });
    assert.equal(reply.status, 200, await reply.text());
    await untilKept(a);
  },
  "another network policy is refused under a command, however long that takes": async ({ a, b }) => {
    const found = await makeContainer(a);
    const abort = new AbortController();
    const settings = { sleep_after_seconds: 1 };
    const running = request(a, found, { command: LONG, settings, signal: abort.signal })
      .catch((error: unknown) => error);
    const { store, containers } = b.rig.gateway;
    await untilBusy(store, found.key.id);
    await until(async () => {
      const row = await containers.store.find(found.key);
      return row !== undefined && containers.sleeps(row);
    }, { what: "that it sleeps" });
    const environment = { type: "container_auto", network_policy: POLICY };
    const refused = await request(b, found, { command: "true", settings: { environment } });
    assert.equal(refused.status, 400);
    assert.match(JSON.stringify(refused.body), /in use with another network_policy/);
    abort.abort();
    await running;
    const row = await containers.store.find(found.key);
    assert.deepEqual(row?.network, { type: "disabled" });
  },
};

/** For gateways that call each other. */
export const forwardedDeletions: typeof deletionScenarios = {
  "a deletion ends the command that a third gateway has forwarded": ({ a, b, c }) =>
    endsByDeletion({ runs: a, through: c, by: b }),
  "a deletion on the gateway that has forwarded a command ends it where it runs": ({ a, b }) =>
    endsByDeletion({ runs: a, through: b, by: b }),
};

/** The doctor and the operator's commands against a gateway that runs. */

import assert from "node:assert/strict";
import { admin } from "../../server/cli/admin.ts";
import { doctor, type DoctorOptions } from "../../server/cli/doctor.ts";
import { faultsOf, race, type RaceResult } from "../../server/cli/race.ts";
import { type Config, readConfig } from "../../server/config.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";

const config: Config = readConfig({
  env: (name) => name === "TOLLGATE_DATA" ? "/nowhere" : undefined,
  readFile: () => "",
  terminal: false,
}, providerSettings);

const local = { env: { TOLLGATE_LOCAL: "on" } };

function examined(gateway: Gateway, changes: Partial<DoctorOptions> = {}) {
  return doctor({
    config,
    world: { clock: gateway.clock, fetch },
    urls: [gateway.url],
    managementKey: gateway.managementKey,
    notBefore: 0,
    requests: 150,
    modeOf: () => 0o40700,
    isRoot: false,
    width: 200,
    ...changes,
  });
}

async function spentByAll({ url, managementKey }: Gateway): Promise<number> {
  const headers = { authorization: `Bearer ${managementKey}` };
  const { data } = await (await fetch(`${url}/v1/credits`, { headers })).json();
  return data.total_usage;
}

Deno.test("doctor finds a gateway well, and leaves neither key nor spend behind", async () => {
  await using gateway = await startGateway(local);
  const { out, code } = await examined(gateway);
  assert.equal(code, 0, out);
  assert.match(out, /limits hold {2,}ok/);
  assert.match(out, /whole +150 +\d+ +\d+ +none +0\.01/);
  assert.match(out, /All is well\.\n$/);
  assert.equal(await spentByAll(gateway), 0);
  const headers = { authorization: `Bearer ${gateway.managementKey}` };
  const { data } = await (await fetch(`${gateway.url}/v1/keys?include_disabled=true`, { headers })).json();
  assert.deepEqual(data.filter(({ name }: { name: string }) => name === "Doctor"), []);
});

Deno.test("doctor names what is wrong and how to mend it", async () => {
  await using gateway = await startGateway(local);
  const rows = [
    [{ modeOf: () => 0o40755 }, /permissions +failed +others may read \/nowhere.*chmod go=/],
    [{ notBefore: gateway.clock.now() + 3_600_000 }, /clock +failed .*is before this version was made/],
    [{ isRoot: true }, /user +warning +runs as root/],
    [{ managementKey: undefined }, /limits hold +failed +TOLLGATE_MANAGEMENT_KEY is not set/],
    [{ config: { ...config, local: false } }, /limits hold +warning +not tried/],
  ] as const satisfies readonly (readonly [Partial<DoctorOptions>, RegExp])[];
  for (const [changes, found] of rows) {
    assert.match((await examined(gateway, { requests: 120, ...changes })).out, found);
  }
});

Deno.test("race counts what was served and refused, to the key's last nano-dollar", async () => {
  await using gateway = await startGateway(local);
  const { url, managementKey } = gateway;
  for (const kind of ["whole", "streams", "hangups"] as const) {
    const result = await race({ fetch, urls: [url], managementKey, kind, requests: 200 });
    assert.deepEqual(faultsOf(result), [], kind);
    assert.equal(result.served + result.refused, 200);
    assert.ok(result.spent <= result.limit && result.spent > 0);
  }
});

Deno.test("faultsOf finds every way in which a limit may not hold", () => {
  const good: RaceResult = {
    kind: "whole",
    requests: 1_000,
    served: 98,
    refused: 902,
    others: [],
    limit: 0.01,
    spent: 0.0098,
    each: 0.0001,
    worst: 0.0003,
  };
  assert.deepEqual(faultsOf(good), []);
  assert.match(faultsOf({ ...good, spent: 0.010000001 }).join(), /spent 0\.010000001 USD of 0\.01/);
  assert.match(faultsOf({ ...good, served: 80 }).join(), /served 80, of 98 that fit/);
  assert.match(faultsOf({ ...good, refused: 0 }).join(), /nobody was refused/);
  assert.match(faultsOf({ ...good, others: ["3 × 500"] }).join(), /answered 3 × 500/);
  assert.match(faultsOf({ ...good, each: undefined }).join(), /no answer told its cost/);
});

Deno.test("admin makes, shows, changes and deletes a key over HTTP", async () => {
  await using gateway = await startGateway(local);
  const { url, managementKey } = gateway;
  const run = (...args: string[]) => admin({ args, url, managementKey, fetch, width: 300 });
  const made = await run(
    "keys",
    "create",
    "--name",
    "123",
    "--limit",
    "2.5",
    "--limit_reset=monthly",
    "--json",
  );
  const { data, key } = JSON.parse(made.out);
  assert.equal(made.code, 0);
  assert.match(key, /^tg-api-/);
  assert.deepEqual([data.name, data.limit, data.limit_reset], ["123", 2.5, "monthly"]);
  const changed = await run("keys", "update", data.hash, "--limit", "null", "--json");
  assert.equal(JSON.parse(changed.out).data.limit, null);
  assert.match((await run("keys", "list")).out, new RegExp(`^${data.hash}  `, "m"));
  await assert.rejects(run("keys", "delete", data.hash), /keys delete needs --yes: it deletes/);
  await assert.rejects(
    run("keys", "create", "--name", "x", "--limit", "-1"),
    /Cannot create key: limit is -1/,
  );
  const gone = await run("keys", "delete", data.hash, "--yes");
  assert.deepEqual(gone, { out: "deleted  true\n", code: 0 });
  const again = await run("keys", "get", data.hash);
  assert.equal(again.code, 1);
  assert.match(again.out, /^404 /);
});

/** The doctor and the operator's commands against a gateway that runs. */

import assert from "node:assert/strict";
import { runDoctorChecks } from "../../server/cli/checks/doctor_checks.ts";
import type { DoctorOptions } from "../../server/cli/checks/doctor_options.ts";
import {
  checkOverspend,
  overspendFaults,
  type OverspendResult,
} from "../../server/cli/checks/overspend_check.ts";
import { type Config, readConfig } from "../../server/config/config.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import { runDoctor } from "../../server/app/doctor.ts";
import { createLogger } from "../../server/logger.ts";
import { guardrailCollection } from "../../server/management/guardrails/guardrail_rows.ts";
import { createRuntime } from "../../server/runtime.ts";
import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, patientCrowd, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { until } from "../support/until.ts";

const config: Config = readConfig({
  env: (name) => name === "TOLLGATE_DATA" ? "/nowhere" : undefined,
  readFile: () => "",
  terminal: false,
}, providerSettings);

const local = { env: { TOLLGATE_LOCAL: "on" }, limits: patientCrowd };

function examined(gateway: Gateway, changes: Partial<DoctorOptions> = {}) {
  return runDoctorChecks({
    config,
    runtime: { clock: gateway.clock, fetch },
    urls: [gateway.url],
    isElsewhere: false,
    managementKey: gateway.managementKey,
    notBefore: 0,
    requests: 150,
    modeOf: () => 0o40700,
    isRoot: false,
    width: 200,
    asJson: false,
    prices: { ages: "prices 1 of 2026-11-01 (3 days, 9 models)", moves: [] },
    scores: { coverage: "coding scores of 9 of 19" },
    retirements: { named: [], others: [] },
    providers: [],
    ...changes,
  });
}

async function spentByAll({ url, managementKey }: Gateway): Promise<number> {
  const headers = { authorization: `Bearer ${managementKey}` };
  const { data } = await (await fetch(`${url}/v1/credits`, { headers })).json();
  return data.total_usage;
}

/** The last line is the one for the worst verdict of the table. */
function assertClosing(out: string): void {
  const verdicts = [...out.matchAll(/^\S.*? {2,}(ok|warning|failed) {2,}/gm)].map(([, verdict]) => verdict);
  const count = (wanted: string) => verdicts.filter((verdict) => verdict === wanted).length;
  const [bad, warnings] = [count("failed"), count("warning")];
  const well = warnings === 0 ? "All is well." : `Nothing failed; warnings: ${warnings}.`;
  const last = bad === 0 ? well : `${bad} of ${verdicts.length} checks failed.`;
  assert.equal(out.trimEnd().split("\n").at(-1), last, out);
}

Deno.test("doctor finds a gateway well, and leaves neither key nor spend behind", async () => {
  await using gateway = await startGateway(local);
  const { out, code } = await examined(gateway);
  assert.equal(code, 0, out);
  assert.match(out, /limits hold {2,}ok/);
  assert.match(out, /whole +150 +\d+ +\d+ +none +0\.01/);
  assertClosing(out);
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
    [
      { prices: { ages: "", warning: "Prices are older than 45 days: x", moves: [] } },
      /catalog +warning +Prices are older/,
    ],
    [
      { prices: { ages: "young", moves: ["a b: prompt 1 → 6"] } },
      /price moves +warning +by more than 5 times: a b: prompt 1 → 6/,
    ],
    [{ prices: { ages: "young", moves: Array(22).fill("m") } }, /price moves +warning .*; m, and 2 more/],
    [
      { prices: { ages: "young", moves: [] } },
      /catalog +ok +young[^]*price moves +ok +none by more than 5 times/,
    ],
    [
      { retirements: { named: ["a ended", "b ends"], others: ["c ends"] } },
      /retirements +warning .*: a ended; b ends/,
    ],
    [{ retirements: { named: [], others: ["c ends"] } }, /retirements +ok +none .*; others: c ends/],
    [{ retirements: { named: [], others: [] } }, /retirements +ok +no model that is on ends within 60 days/],
    [{ scores: { coverage: "9 of 19" } }, /scores +ok +9 of 19/],
    [{ scores: { coverage: "9 of 19", warning: "all old" } }, /scores +warning +9 of 19; all old/],
    [{ isRoot: true }, /user +warning +runs as root/],
    [{ managementKey: undefined }, /limits hold +failed +TOLLGATE_MANAGEMENT_KEY is not set/],
  ] as const satisfies readonly (readonly [Partial<DoctorOptions>, RegExp])[];
  for (const [changes, found] of rows) {
    const { out, code } = await examined(gateway, { requests: 120, ...changes });
    assert.match(out, found);
    assert.equal(code, found.source.includes("failed") ? 1 : 0, out);
    assertClosing(out);
  }
});

/** Ways in which a gateway can stop answering, as its caller sees them. */
const silences: Readonly<Record<string, () => Promise<Response>>> = {
  "no connection": () => Promise.reject(new TypeError("Connection refused")),
  "an answer that breaks off": () =>
    Promise.resolve(
      new Response(new ReadableStream({ start: (body) => body.error(new TypeError("Connection reset")) })),
    ),
};

Deno.test("doctor ends with a report wherever the gateway stops answering", async (t) => {
  await using gateway = await startGateway(local);
  // Each of the first calls; among those that are made at once; each behind them; and in the next race.
  const stops = [...Array(20).keys(), 60, ...Array.from({ length: 12 }, (_, at) => 128 + at), 200, 370];
  for (const [name, silent] of Object.entries(silences)) {
    await t.step(name, async () => {
      for (const stop of stops) {
        let calls = 0;
        const stopping: typeof fetch = (...call) => calls++ < stop ? fetch(...call) : silent();
        const { out, code } = await examined(gateway, {
          requests: 120,
          asJson: true,
          runtime: { clock: gateway.clock, fetch: stopping },
        });
        const { ok, checks } = JSON.parse(out);
        assert.deepEqual([code, ok], [1, false], `${stop}: ${out}`);
        const found = checks.filter(({ verdict }: { verdict: string }) => verdict === "failed");
        assert.match(JSON.stringify(found), /had no answer|no gateway answers/, String(stop));
      }
    });
  }
});

Deno.test("doctor asks the gateway, not its own settings, whether the built-in models are on", async () => {
  for (
    const [on, found] of [["on", /limits hold +ok/], ["off", /limits hold +warning +not tried/]] as const
  ) {
    await using gateway = await startGateway({ ...local, env: { TOLLGATE_LOCAL: on } });
    const own = { ...config, local: on === "off" };
    assert.match((await examined(gateway, { requests: 120, config: own })).out, found);
  }
});

Deno.test("doctor marks what it reads for itself where the gateway is named by its address", async () => {
  await using gateway = await startGateway(local);
  const checksOf = async (isElsewhere: boolean) => {
    const { out } = await examined(gateway, { requests: 120, asJson: true, isElsewhere });
    const { checks } = JSON.parse(out);
    return checks.map(({ check }: { readonly check: string }) => check);
  };
  const own = ["settings", "user", "permissions", "journal", "catalog", "price moves"];
  const [near, far] = [await checksOf(false), await checksOf(true)];
  assert.deepEqual(own.filter((check) => !near.includes(check)), []);
  assert.deepEqual(own.filter((check) => !far.includes(`${check} (here)`)), []);
  assert.deepEqual(near, far.map((check: string) => check.replace(" (here)", "")));
  for (const check of ["store", "clock", "key", "providers", "prices", "limits hold"]) {
    assert.ok(far.includes(check), check);
  }
  const { out } = await examined(gateway, { requests: 120, isElsewhere: true });
  assert.match(out, /Lines with \(here\) are about the settings, files and store that this command has/);
});

Deno.test("doctor names guardrails that have content filters", async () => {
  await using gateway = await startGateway(local);
  const first = (await examined(gateway, { requests: 120 })).out;
  assert.match(first, /content filters +ok +no guardrail has any/);
  const body = { name: "Careful", content_filters: [{ pattern: "a", action: "block" }] };
  const { data } = (await managed(gateway, { call: "POST /guardrails", body })).body;
  const { id } = asObject(data);
  const { out, code } = await examined(gateway, { requests: 120 });
  assert.match(out, new RegExp(`content filters +ok +enforced by Careful \\(${id}\\)`));
  assert.equal(code, 0);
});

Deno.test("doctor names guardrails whose service lacks its variable", async () => {
  const store = memoryStore();
  await using gateway = await startGateway({ ...local, store });
  const external = { type: "http", url: "https://guard.example/", header_env: null } as const;
  const made = await managed(gateway, { call: "POST /guardrails", body: { name: "Judged", external } });
  const { id } = asObject(made.body.data);
  assert.match((await examined(gateway, { requests: 120 })).out, /content filters +ok +enforced by Judged/);
  await guardrailCollection(store).update([String(id)], (row) => ({
    ...row,
    external: row.external && { ...row.external, header_env: "GUARD_TOKEN" },
  }));
  const { out, code } = await examined(gateway, { requests: 120, width: 1_000 });
  assert.match(out, /content filters +warning .*not asked and count as failed: Judged/);
  assert.equal(code, 0);
});

Deno.test("doctor tells all that it has found as JSON with --json", async () => {
  await using gateway = await startGateway(local);
  const { out, code } = await examined(gateway, { urls: ["http://127.0.0.1:1"], asJson: true });
  const { ok, checks, races } = JSON.parse(out);
  assert.deepEqual([ok, code, races], [false, 1, []]);
  assert(checks.some(({ verdict }: { readonly verdict: string }) => verdict === "failed"));
});

Deno.test("doctor names what a gateway does without although it is ready", async () => {
  await using gateway = await startGateway(local);
  const get: typeof fetch = (input, init) => {
    if (!String(input).endsWith("/readyz")) return fetch(input, init);
    const details = {
      documents: "The keeper has ended.",
      files: "Nowhere to put files.",
      shared_files: "1 other gateway keeps them elsewhere.",
    };
    return Promise.resolve(Response.json({ status: "ready", reasons: [], details }));
  };
  const { out, code } = await examined(gateway, { runtime: { clock: gateway.clock, fetch: get } });
  assert.equal(code, 0, out);
  assert.match(out, /documents +warning +The keeper has ended\./);
  assert.match(out, /files +warning +Nowhere to put files\./);
  assert.match(out, /shared files +warning +1 other gateway keeps them elsewhere\./);
});

Deno.test("doctor says so where no gateway answers, or something else does", async () => {
  await using gateway = await startGateway(local);
  await using stranger = Deno.serve({ port: 0, onListen: () => {} }, () => new Response("<html></html>"));
  const gone = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  gone.close();
  const elsewhere = [`http://127.0.0.1:${stranger.addr.port}`, `http://127.0.0.1:${gone.addr.port}`];
  for (const url of elsewhere) {
    for (const urls of [[url], [gateway.url, url]]) {
      const { out, code } = await examined(gateway, { urls });
      assert.equal(code, 1, out);
      assert.match(out, new RegExp(`store.* failed +no gateway answers at ${url}`), out);
      assert.match(out, /limits hold +failed +nothing was tried/);
    }
  }
});

Deno.test("doctor says so where the key is none, of another kind, or may not make keys", async () => {
  await using gateway = await startGateway(local);
  const body = { name: "Watcher", read_only: true };
  const { key: readOnly } = (await managed(gateway, { call: "POST /management-keys", body })).body;
  const { key: apiKey } = await createKey(gateway);
  const rows: readonly (readonly [string, RegExp])[] = [
    ["x".repeat(40), /key +failed +TOLLGATE_MANAGEMENT_KEY is no key of this gateway/],
    [apiKey, /key +failed +TOLLGATE_MANAGEMENT_KEY is no management key/],
    [String(readOnly), /limits hold +failed +POST \/keys was answered 403 .*read-only/],
  ];
  for (const [managementKey, found] of rows) {
    const { out, code } = await examined(gateway, { managementKey, width: 60 });
    assert.equal(code, 1, out);
    assert.match(out, found);
  }
});

Deno.test("examine shows the keys that a first start makes, and refuses what is no address", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const settings: Readonly<Record<string, string>> = {
      TOLLGATE_DATA: folder,
      TOLLGATE_CONFIG: "settings",
      PORT: "0",
    };
    const own = readConfig({
      env: (name) => settings[name],
      readFile: () => JSON.stringify({ limits: patientCrowd }),
      terminal: false,
    }, providerSettings);
    const log = createLogger({ format: "json", level: "error", now: Date.now, write: () => {} });
    const printed: string[] = [];
    const clock = tickingClock();
    const options = {
      config: own,
      runtime: { ...createRuntime(log), clock },
      width: 200,
      isRoot: false,
      isTerminal: true,
      print: (text: string) => void printed.push(text),
    };
    const { out } = await runDoctor({ ...options, args: ["--requests", "110"] });
    assert.match(printed.join(""), /^Management key: tg-mgmt-[\w-]{43}\nAPI key: tg-api-[\w-]{43}\nSave /);
    assert.match(out, /limits hold +ok/);
    await runDoctor({ ...options, args: ["--requests", "110"] });
    assert.equal(printed.length, 1, "the second time nothing was made");
    for (const url of ["junk", "ftp://x", ""]) {
      await assert.rejects(
        runDoctor({ ...options, args: [`--url=${url}`] }),
        /--url is .*: allowed are addresses/,
      );
    }
    await until(() => clock.open === 0, { what: "that no deadline is open" });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("race counts what was served and refused, to the key's last nano-dollar", async () => {
  await using gateway = await startGateway(local);
  const { url, managementKey } = gateway;
  for (const kind of ["whole", "streams", "disconnects"] as const) {
    const result = await checkOverspend({ fetch, urls: [url], managementKey, kind, requests: 200 });
    assert.deepEqual(overspendFaults(result), [], kind);
    assert.equal(result.served + result.refused, 200);
    assert.ok(result.spent <= result.limit && result.spent > 0);
  }
});

Deno.test("overspendFaults finds every way in which a limit may not hold", () => {
  const good: OverspendResult = {
    kind: "whole",
    requests: 1_000,
    served: 98,
    refused: 902,
    otherErrors: [],
    limit: 0.01,
    spent: 0.0098,
    each: 0.0001,
    costBound: 0.0003,
  };
  assert.deepEqual(overspendFaults(good), []);
  assert.match(overspendFaults({ ...good, spent: 0.010000001 }).join(), /spent 0\.010000001 USD of 0\.01/);
  assert.match(overspendFaults({ ...good, served: 80 }).join(), /served 80, of 98 that fit/);
  assert.match(overspendFaults({ ...good, refused: 0 }).join(), /nobody was refused/);
  assert.match(overspendFaults({ ...good, otherErrors: ["3 × 500"] }).join(), /answered 3 × 500/);
  assert.match(overspendFaults({ ...good, each: undefined }).join(), /no answer told its cost/);
});

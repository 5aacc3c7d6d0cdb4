/** Settings of destinations: what is shown of them, what is refused, and calls that try the way. */

import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { destinationTypes, MOST_OF_TYPE } from "../../shared/observability/records.ts";
import type { Json } from "../support/event_stream.ts";
import { hasS3, sharedS3 } from "../support/s3_server.ts";
import { signS3Request } from "../../server/storage/blobs/s3_signature.ts";
import { add, SECRET, secrets, show, spansOf, TOKEN } from "./destination_calls.ts";
import { destinationRig } from "./destination_rig.ts";

Deno.test("secrets are shown nowhere, and stay where they are sent back as they are shown", async () => {
  await using rig = await destinationRig();
  const { admin } = rig;
  const ledger = await rig.openLedger();
  const bucket = await add(rig, "s3", { enabled: false });
  assert.deepEqual(bucket.config, {
    endpoint: rig.at.url,
    bucketName: "receipts",
    prefix: "tollgate-traces",
    pathTemplate: "{prefix}/{date}",
    region: "us-east-1",
    accessKeyId: "***",
    secretAccessKey: "***",
    headers: {},
  });
  const made = await add(rig, "webhook");
  assert.deepEqual(made.config, {
    url: `${rig.at.url}/hook?***`,
    method: "POST",
    headers: { Authorization: "***" },
    signing_secret: "***",
  });
  const params = { id: made.id };
  const body = { name: "Renamed", config: { ...made.config, method: "PUT" } };
  const changed = (await admin.call("destinations.update", { params, body })).data;
  assert.deepEqual([changed.name, changed.config.method], ["Renamed", "PUT"]);
  await rig.receipt(ledger, { id: "gen-kept" });
  await rig.round();
  const [message] = rig.at.messages;
  assert.equal(message?.path, "/hook?token=in-the-query");
  assert.equal(message?.headers.authorization, TOKEN);
  new Webhook(SECRET).verify(message?.body ?? "", message?.headers ?? {});
  const cleared = await admin.call("destinations.update", {
    params,
    body: { config: { signing_secret: null, headers: null } },
  });
  assert.deepEqual(cleared.data.config, { url: `${rig.at.url}/hook?***`, method: "PUT", headers: {} });
  const audit = JSON.stringify(await admin.store.list(["audit"]));
  const stored = JSON.stringify(await admin.store.list(["destinations"]));
  const listed = JSON.stringify(await admin.call("destinations.list"));
  for (const secret of secrets) {
    for (const [where, text] of Object.entries({ audit, stored, listed })) {
      assert.ok(!text.includes(secret), `${where}: ${secret}`);
    }
  }
  assert.ok(audit.includes("Renamed"));
  await ledger.close();
});

const bucket = { bucketName: "receipts", accessKeyId: "id", secretAccessKey: "key" };

const filtered = (...[field, operator, value]: readonly [string, string, (string | number)?]): Json => ({
  filter_rules: { groups: [{ rules: [{ field, operator, value }] }] },
});

const refusals: readonly (readonly [Json, RegExp])[] = [
  [{ config: {} }, /config\.url is missing/],
  [{ config: { url: "https://8.8.8.8/x", secret: SECRET } }, /config\.secret is no field/],
  [{ config: { url: "http://169.254.169.254/latest" } }, /config\.url/],
  [{ config: { url: "https://user:pass@example.com/" } }, /config\.url/],
  [{ config: { url: "https://example.com/", signing_secret: "whsec_c2hvcnQ=" } }, /config\.signing_secret/],
  [{ config: { url: "https://example.com/", headers: { Host: "x" } } }, /config\.headers/],
  [{ config: { url: "https://example.com/", headers: { "X-A": "a\r\nb" } } }, /config\.headers/],
  [{ config: { url: "https://example.com/", headers: { "X-A": "***" } } }, /config\.headers/],
  [{ config: { url: "https://example.com/", signing_secret: "***" } }, /config\.signing_secret/],
  [{ config: { url: "https://example.com/?***" } }, /config\.url/],
  [{ type: "s3", config: { ...bucket, secretAccessKey: "***" } }, /secretAccessKey .* without blanks$/],
  [{ type: "s3", config: { ...bucket, accessKeyId: "two words" } }, /accessKeyId .* without blanks$/],
  [filtered("model", "regex", "("), /rules\[0\]/],
  [filtered("model", "equals"), /has no value/],
  ...["gt", "lt", "gte", "lte"].flatMap((operator) => [
    [filtered("model", operator, 5), /compares model with a number/] as const,
    [filtered("total_cost", operator, "abc"), /needs a number/] as const,
  ]),
  ...["equals", "not_equals", "contains", "not_contains", "starts_with", "ends_with"].flatMap((operator) =>
    ["total_cost", "total_tokens", "prompt_tokens", "completion_tokens"].map((field) =>
      [filtered(field, operator, "abc"), new RegExp(`needs a number for ${operator} of ${field}`)] as const
    )
  ),
  [{ filter_rules: { groups: [] } }, /filter_rules\.groups is empty/],
  [{ api_key_hashes: ["f".repeat(64)] }, /no API key of the workspace/],
];

/** Changes of the headers Authorization and X-Team, and what the receiver gets of these and X-New. */
const headerChanges: readonly (readonly [Json | null, readonly (string | undefined)[]])[] = [
  [{}, [TOKEN, "team", undefined]],
  [{ "X-New": "1" }, [TOKEN, "team", "1"]],
  [{ Authorization: "***", "X-New": "1" }, [TOKEN, "team", "1"]],
  [{ Authorization: "other" }, ["other", "team", undefined]],
  [{ authorization: "other" }, ["other", "team", undefined]],
  [{ authorization: "***" }, [TOKEN, "team", undefined]],
  [{ "X-Team": null }, [TOKEN, undefined, undefined]],
  [{ "x-team": null, "X-New": "1" }, [TOKEN, undefined, "1"]],
  [{ "X-None": null }, [TOKEN, "team", undefined]],
  [null, [undefined, undefined, undefined]],
];

Deno.test("headers are merged by name, and null removes one", async () => {
  await using rig = await destinationRig();
  for (const type of ["webhook", "otel-collector"] as const) {
    const field = type === "webhook" ? "url" : "endpoint";
    const config = { [field]: rig.at.url, headers: { Authorization: TOKEN, "X-Team": "team" } };
    for (const [headers, got] of headerChanges) {
      const { id } = await add(rig, type, { config });
      const params = { id };
      await rig.admin.call("destinations.update", { params, body: { config: { headers } } });
      await rig.admin.call("destinations.test", { params });
      const { authorization, "x-team": team, "x-new": added } = rig.at.messages.at(-1)?.headers ?? {};
      assert.deepEqual([authorization, team, added], got, JSON.stringify(headers));
      await rig.admin.call("destinations.delete", { params });
    }
  }
});

Deno.test("a destination that could not be used is refused, and so is a sixth of a type", async () => {
  await using rig = await destinationRig();
  for (const [more, message] of refusals) {
    await assert.rejects(add(rig, "webhook", more), (error: Error) => {
      assert.match(error.message, message);
      assert.ok(
        !error.message.includes(SECRET) && !error.message.includes("c2hvcnQ=") &&
          !error.message.includes("pass@"),
        "no secret",
      );
      return true;
    });
  }
  for (let count = 0; count < MOST_OF_TYPE; count++) await add(rig, "webhook");
  await assert.rejects(add(rig, "webhook"), /has 5 of type webhook already/);
  await add(rig, "otel-collector");
  assert.equal((await rig.admin.call("destinations.list")).total_count, MOST_OF_TYPE + 1);
});

Deno.test("a test call says whether an empty message arrives, and is told apart by a header", async () => {
  await using rig = await destinationRig();
  const test = async (id: string) => (await rig.admin.call("destinations.test", { params: { id } })).data;
  const statuses = [200, 204, 400, 401, 500];
  for (const type of destinationTypes) {
    const { id } = await add(rig, type);
    for (const status of statuses) {
      rig.at.held.answer = () => new Response(null, { status });
      const isThere = status < 300 || (type === "webhook" && status === 400);
      const answer = await test(id);
      assert.deepEqual([answer.reachable, answer.status], [isThere, status], `${type}, ${status}`);
    }
    const rows = await rig.admin.call("audit.list", { query: { operation: "destinations.test" } });
    assert.equal(rows.data.filter(({ subject }) => subject.id === id).length, statuses.length);
    const last = rig.at.messages.at(-1);
    assert.deepEqual([JSON.parse(last?.body ?? ""), last?.headers["x-test-connection"]], [
      { resourceSpans: [] },
      "true",
    ]);
    assert.equal((await show(rig, id)).delivery.sent, 0);
  }
  const ids = rig.at.messages.flatMap(({ headers }) => headers["webhook-id"] ?? []);
  assert.deepEqual(
    [ids.length, new Set(ids).size],
    [statuses.length, statuses.length],
    "each test has an id",
  );
  const away = await add(rig, "webhook", { config: { url: rig.at.url.replace("http:", "https:") } });
  const { reachable, status, error } = await test(away.id);
  assert.deepEqual([reachable, status], [false, null]);
  assert.ok(error !== null);
});

Deno.test({
  name:
    "an S3 bucket has the receipts as an object by day, signed as S3 has it, once however often it is sent",
  ignore: !hasS3(),
  async fn() {
    const { createBucket, endpoint, keys } = await sharedS3();
    const { bucket, region } = await createBucket();
    await using rig = await destinationRig({ hosts: [new URL(endpoint).host] });
    const ledger = await rig.openLedger();
    const { accessKeyId, secretAccessKey } = keys;
    const config = { endpoint, bucketName: bucket, region, accessKeyId, secretAccessKey };
    const pathTemplate = "/{prefix}/{year}-{month}/{day}/";
    const { id } = await add(rig, "s3", { config: { ...config, prefix: "a/b", pathTemplate } });
    const { reachable } = (await rig.admin.call("destinations.test", { params: { id } })).data;
    assert.ok(reachable);
    const ended_at = "2026-03-04T05:06:07.000Z";
    await rig.receipt(ledger, { id: "gen-kept", ended_at });
    await rig.round();
    const url = `${endpoint}/${bucket}/?list-type=2&prefix=a`;
    const get = async (url: string) => {
      const request = { method: "GET", url, body: undefined, region, now: Date.now() };
      return await (await fetch(url, { headers: await signS3Request(keys, request) })).text();
    };
    const listed = [...(await get(url)).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key ?? "");
    const [object, ...others] = listed.filter((key) => !key.endsWith("connection-test.json"));
    assert.match(object ?? "", /^a\/b\/2026-03\/04\/receipts_[0-9a-f]{32}-1772600767000\.json$/);
    assert.deepEqual([others, listed.length], [[], 2]);
    const body = await get(`${endpoint}/${bucket}/${object}`);
    assert.equal(spansOf({ method: "", path: "", headers: {}, body }).length, 1);
    const wrong = { ...config, secretAccessKey: "wrong" };
    await rig.admin.call("destinations.update", { params: { id }, body: { config: wrong } });
    await rig.receipt(ledger, { id: "gen-refused" });
    await rig.round();
    assert.equal((await show(rig, id)).delivery.last_error, "The receiver answers with status 403");
    await ledger.close();
  },
});

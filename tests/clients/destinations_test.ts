/** Destinations by an unmodified client. */

import assert from "node:assert/strict";
import { OpenRouter } from "@openrouter/sdk";
import { MOST_OF_TYPE } from "../../shared/observability/records.ts";
import { startGateway } from "../support/gateway.ts";

/** Hosts of nobody, which are looked up when something is sent only. */
const configs = {
  "webhook": { url: "https://receipts.example.com/hook", method: "POST", headers: { "X-Key": "secret" } },
  "otel-collector": { endpoint: "https://collector.example.com" },
  "s3": { bucketName: "receipts", accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "secret" },
} as const;

Deno.test("@openrouter/sdk makes, lists, shows, changes and deletes destinations, of a type five at most", async () => {
  const masterKey = new Uint8Array(32).fill(7).toBase64();
  await using gateway = await startGateway({ env: { TOLLGATE_MASTER_KEY: masterKey } });
  const { observability } = new OpenRouter({
    serverURL: `${gateway.url}/api/v1`,
    apiKey: gateway.managementKey,
    retryConfig: { strategy: "none" },
  });
  const create = (type: keyof typeof configs, name: string) =>
    observability.create({ createObservabilityDestinationRequest: { type, name, config: configs[type] } });
  const made = [];
  for (const type of ["webhook", "otel-collector", "s3"] as const) {
    made.push((await create(type, `A ${type}`)).data);
  }
  const listed = [];
  for await (const { result } of await observability.list({ limit: 2 })) listed.push(...result.data);
  assert.deepEqual(listed, made);
  const [hook, , bucket] = made;
  assert(hook?.type === "webhook" && bucket?.type === "s3");
  assert.deepEqual([hook.config.headers, bucket.config.secretAccessKey, bucket.config.bucketName], [
    { "X-Key": "***" },
    "***",
    "receipts",
  ]);
  const { data: changed } = await observability.update({
    id: hook.id,
    updateObservabilityDestinationRequest: {
      regions: ["eu", "global"],
      samplingRate: 0.25,
      filterRules: { groups: [{ rules: [{ field: "model", operator: "exists" }] }] },
    },
  });
  assert(changed.type === "webhook");
  assert.deepEqual([changed.regions, changed.samplingRate, changed.filterRules?.groups[0]?.logic], [
    ["europe", "global"],
    0.25,
    "and",
  ]);
  assert.deepEqual((await observability.get({ id: hook.id })).data, changed);
  assert.deepEqual(await observability.delete({ id: hook.id }), { deleted: true });
  const several = await Promise.allSettled(
    Array.from({ length: MOST_OF_TYPE + 2 }, (_, at) => create("webhook", `Number ${at}`)),
  );
  const refused = several.flatMap((one) => one.status === "rejected" ? [Number(one.reason.statusCode)] : []);
  assert.deepEqual(refused, [409, 409]);
});

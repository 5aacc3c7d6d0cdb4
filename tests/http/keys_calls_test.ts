import assert from "node:assert/strict";
import { keyRecordSchema } from "../../shared/keys.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, scripted, textFrames } from "../support/scripted.ts";
import { until } from "../support/until.ts";

const priced = { ...mockModel, pricing: { prompt: "0.001", completion: "0.001" } };

function ask({ url }: Gateway, { key, stream }: { readonly key: string; readonly stream: boolean }) {
  return fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "mock/model", input: "Hi", max_output_tokens: 20, stream }),
  });
}

Deno.test("a rotated key goes on with the limit and the spend of the old one", async () => {
  await using upstream = scripted(says("responses", "Hello there"));
  await using gateway = await startGateway({
    providers: [providerAt(upstream.baseUrl, { models: [priced] })],
  });
  const { record, key } = await createKey(gateway, { limit: 100 });
  await (await ask(gateway, { key, stream: false })).body?.cancel();
  const shown = async (hash: string) =>
    keyRecordSchema.parse((await managed(gateway, { call: `GET /keys/${hash}` })).body.data);
  const before = await shown(record.hash);
  assert(before.usage > 0);
  assert.equal(before.limit_remaining, Number((100 - before.usage).toFixed(9)));
  const { body } = await managed(gateway, {
    call: `POST /keys/${record.hash}/rotate`,
    body: { overlap_seconds: 60 },
  });
  const next = keyRecordSchema.parse(body.data);
  assert.deepEqual([next.usage, next.limit_remaining], [before.usage, before.limit_remaining]);
  for (const token of [key, String(body.key)]) {
    const response = await ask(gateway, { key: token, stream: false });
    assert.equal(response.status, 200);
    await response.body?.cancel();
  }
  const after = await Promise.all([record.hash, next.hash].map(shown));
  assert.equal(after[0]?.usage, after[1]?.usage, "both count under one name");
  assert.equal(after[1]?.usage, Number((before.usage * 3).toFixed(9)));
});

Deno.test("a key without money left answers 402, and serves again once its limit is raised", async () => {
  await using upstream = scripted(says("responses", "Hello there"));
  await using gateway = await startGateway({
    providers: [providerAt(upstream.baseUrl, { models: [priced] })],
  });
  const { record, key } = await createKey(gateway, { limit: 0 });
  const status = async () => {
    const response = await ask(gateway, { key, stream: false });
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await status(), 402);
  await managed(gateway, { call: `PATCH /keys/${record.hash}`, body: { limit: 50 } });
  assert.equal(await status(), 200);
  await managed(gateway, { call: `PATCH /keys/${record.hash}`, body: { limit: 0.000000001 } });
  assert.equal(await status(), 402);
});

/** A provider that begins and says no more until the test lets it. */
function held() {
  const gate = Promise.withResolvers<void>();
  const server = scripted(() => {
    const [first = "", second = "", third = "", ...rest] = textFrames("responses", "Hello there");
    const encoder = new TextEncoder();
    return new Response(
      new ReadableStream({
        async start(controller) {
          controller.enqueue(encoder.encode(first + second + third));
          await gate.promise;
          try {
            controller.enqueue(encoder.encode(rest.join("")));
            controller.close();
          } catch (error) {
            assert(error instanceof TypeError, "the gateway has left");
          }
        },
      }),
      { headers: { "content-type": "text/event-stream" } },
    );
  });
  return { server, release: gate.resolve };
}

for (const [call, aborts] of [["PATCH", true], ["PATCH", false], ["DELETE", true]] as const) {
  Deno.test(`${call} /keys ${aborts ? "with abort ends" : "lets run"} the open streams of a key`, async () => {
    const { server: upstream, release } = held();
    await using gateway = await startGateway({ providers: [providerAt(upstream.baseUrl)] });
    const { record, key } = await createKey(gateway);
    const other = await createKey(gateway);
    const [mine, theirs] = await Promise.all(
      [key, other.key].map((one) => ask(gateway, { key: one, stream: true })),
    );
    assert(mine && theirs);
    const mineText = mine.text();
    const theirText = theirs.text();
    await until(() => upstream.requested.length === 2, { what: "that both calls are under way" });
    await managed(gateway, {
      call: `${call} /keys/${record.hash}?abort=${aborts}`,
      body: call === "PATCH" ? { disabled: true } : undefined,
    });
    if (aborts) {
      assert.match(await mineText, /response\.failed.*The key was disabled while the request was running/);
    }
    release();
    assert.match(await theirText, /response\.completed/);
    assert.equal((await mineText).includes("response.completed"), !aborts);
    assert.equal(
      await ask(gateway, { key, stream: false }).then(async (response) => {
        await response.body?.cancel();
        return response.status;
      }),
      401,
    );
    await upstream.close();
  });
}

/** Output filters and response-healing: what a client reads at last is what the filters have let through. */

import assert from "node:assert/strict";
import { type ApiName, apiNames } from "../money/rig.ts";
import { type Guarded, guarded } from "../guardrails/guarded.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";

const secret = "id-4711-x";
const pattern = "id-\\d{4}-[a-z]";
const schema = {
  type: "object",
  properties: { note: { type: "string" }, count: { type: "integer" } },
  required: ["note", "count"],
};

/** Broken answers with the secret in them, each in another spelling. */
const answers: Readonly<Record<string, string>> = {
  "as it is": `{'note': 'It is ${secret}.', 'count': 1,}`,
  "in a fence": `\`\`\`json\n{"note": "${secret}", "count": 1,}\n\`\`\``,
  "with escapes of JSON": `{"note": "id\\u002d4711\\u002dx", "count": 1,}`,
  "with escapes, in single quotes": `{'note': 'id\\u002d4711\\u002dx', 'count': 1}`,
  "in a text of JSON": JSON.stringify(JSON.stringify({ note: secret, count: 1 })),
  "in a text of JSON, escaped": JSON.stringify('{"note": "id\\u002d4711\\u002dx", "count": 1}'),
  "escaped throughout": '{\\"note\\": \\"id\\\\u002d4711-x\\", \\"count\\": 1}',
  "without quotes": `{note: ${secret}, count: 1}`,
  "in a name": `{"note": "a", "count": 1, "${secret}": 2,}`,
  "in a comment": `{"note": "a", /* ${secret} */ "count": 1}`,
  "put together": '{"note": "id-47" + "11-x", "count": 1}',
  "with a comment in between": '{"note": "id-47/* */11-x", "count": 1,}',
  "with a backslash too many": '{"note": "id-4\\711-x", "count": 1,}',
};

const formats: { readonly [A in ApiName]: Json } = {
  chat: { response_format: { type: "json_schema", json_schema: { name: "a", schema } } },
  responses: { text: { format: { type: "json_schema", name: "a", schema } } },
  messages: { output_config: { format: { type: "json_schema", schema } } },
};

interface Received {
  readonly status: number;
  readonly text: string;
  readonly raw: string;
}

async function receive(rig: Guarded, { api, stream }: { api: ApiName; stream: boolean }): Promise<Received> {
  const more = { ...formats[api], tools: undefined, plugins: [{ id: "response-healing" }] };
  const headers = { "x-service-metadata": "enabled" };
  const { status, texts, raw } = await rig.ask({ api, stream, more, headers });
  return { status, text: texts.text, raw };
}

/** The secret in a text, or in what the text says once it is parsed. */
function holdsSecret(text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)).includes(secret);
  } catch {
    // It is no JSON: a client reads it as it is.
    return text.includes(secret);
  }
}

const chunkings = [1, 1_000].map((size) => (text: string) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
);

async function everywhere(rig: Guarded, check: (received: Received, where: string) => void): Promise<void> {
  for (const [spelling, answer] of Object.entries(answers)) {
    for (const chunked of chunkings) {
      rig.say({ place: "text", pieces: chunked(answer) });
      for (const api of apiNames) {
        for (const stream of [false, true]) {
          check(await receive(rig, { api, stream }), `${spelling}, ${api}, ${stream ? "streamed" : "whole"}`);
        }
      }
    }
  }
}

const filtersOf = (action: string): Json => ({ content_filters: [{ pattern, action, label: "ID" }] });

Deno.test("a redacted text is not in healed JSON either, however it was spelled", async () => {
  await using rig = await guarded(filtersOf("redact"));
  await everywhere(rig, ({ status, text, raw }, where) => {
    assert.equal(status, 200, `${where}: ${raw}`);
    assert.ok(!holdsSecret(text), `${where}: ${text}`);
    if (where.startsWith("as it is")) assert.deepEqual(JSON.parse(text), { note: "It is [ID].", count: 1 });
  });
});

Deno.test("a blocked text is not in healed JSON either, and the rest of it is not healed", async () => {
  await using rig = await guarded(filtersOf("block"));
  await everywhere(rig, ({ text, raw }, where) => {
    assert.ok(!holdsSecret(text), `${where}: ${text}`);
    assert.ok(!raw.includes('"improved":true') || !/\[ID\]|4711/.test(text), `${where}: ${raw}`);
  });
});

Deno.test("a flagged text is healed, and stands beside its guardrail in the metadata", async () => {
  await using rig = await guarded(filtersOf("flag"));
  rig.say({ place: "text", pieces: [...answers["as it is"] ?? ""] });
  for (const api of apiNames) {
    for (const stream of [false, true]) {
      const { text, raw } = await receive(rig, { api, stream });
      assert.deepEqual(JSON.parse(text), { note: `It is ${secret}.`, count: 1 });
      const types = raw.match(/"type":"(guardrail|response_healing)"/g);
      assert.deepEqual(types, ['"type":"guardrail"', '"type":"response_healing"'], raw);
    }
  }
});

Deno.test("a masked text comes back in healed JSON as the caller sent it", async () => {
  await using rig = await guarded(filtersOf("mask"));
  let seen = "";
  for (const api of apiNames) {
    for (const stream of [false, true]) {
      rig.say({ place: "text", pieces: [..."{'note': 'It is [ID_1].', 'count': 1,}"] });
      const more = { ...formats[api], tools: undefined, plugins: [{ id: "response-healing" }] };
      const { texts, raw } = await rig.ask({ api, stream, more, text: `Note ${secret}` });
      assert.deepEqual(JSON.parse(texts.text), { note: `It is ${secret}.`, count: 1 }, raw);
      seen = JSON.stringify(rig.upstream.requested.at(-1)?.body);
      assert.ok(!seen.includes(secret) && seen.includes("[ID_1]"), seen);
    }
  }
  assert.equal(asList(asObject(JSON.parse(seen)).messages).length, 1);
});

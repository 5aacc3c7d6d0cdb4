/** Answers that were asked for as JSON, on every API: escapes in them hide nothing, whole and wherever they are cut. */

import assert from "node:assert/strict";
import type { FilterAction } from "../../server/pipeline/guardrails/filter_strength.ts";
import { isRecord } from "../../shared/util/json.ts";
import { type ApiName, apiNames } from "../money/rig.ts";
import type { Json } from "../support/event_stream.ts";
import { guarded } from "./guarded.ts";

const schema = {
  type: "object",
  properties: { v: { type: "string" } },
  required: ["v"],
  additionalProperties: false,
};

/** Each way in which an API is asked for JSON. */
const formats: { readonly [A in ApiName]: readonly Json[] } = {
  responses: [
    { text: { format: { type: "json_object" } } },
    { text: { format: { type: "json_schema", name: "v", schema } } },
  ],
  chat: [
    { response_format: { type: "json_object" } },
    { response_format: { type: "json_schema", json_schema: { name: "v", schema } } },
  ],
  messages: [{ output_config: { format: { type: "json_schema", schema } } }],
};
const asked = apiNames.flatMap((api) => formats[api].map((more) => ({ api, more })));

const filters = (action: FilterAction): Json => ({
  content_filters: [{ pattern: "id-\\d{4}-[a-z]", action, label: 'I"D' }],
  content_filter_builtins: [{ slug: "email", action }, { slug: "phone", action }],
});

/** Pairs of the text that the provider says and the value that the client reads. */
const rows: readonly (readonly [said: string, read: unknown])[] = [
  ['{"v":"ann\\u0040example.org"}', { v: "[EMAIL]" }],
  ['{"v":"\\u0069\\u0064\\u002D4711\\u002dx, it is"}', { v: '[I"D], it is' }],
  ['{"phone":4155552671,"v":"\\nann@example.org"}', { phone: "[PHONE]", v: "\n[EMAIL]" }],
  ['{"v":"{\\"w\\":\\"id\\\\u002d4711-x\\"}"}', { v: '{"w":"[I\\"D]"}' }],
];
const hidden = /example|4711|u002d|4155552671/i;

Deno.test("what escapes hide in a structured answer is replaced, and the answer stays JSON", async () => {
  await using rig = await guarded(filters("redact"));
  for (const [said, read] of rows) {
    for (const { api, more } of asked) {
      for (let cut = 0; cut < said.length; cut++) {
        rig.say({ place: "text", pieces: [said.slice(0, cut), said.slice(cut)] });
        const { texts, raw } = await rig.ask({ api, stream: cut > 0, more });
        assert.deepEqual(JSON.parse(texts.text), read, `${api} ${cut} ${raw}`);
      }
    }
  }
});

Deno.test("what escapes hide in a structured answer blocks it before any of it has left", async () => {
  await using rig = await guarded(filters("block"));
  for (const [said] of rows) {
    for (const { api, more } of asked) {
      for (const pieces of [[said], [...said]]) {
        rig.say({ place: "text", pieces });
        for (const stream of [false, true]) {
          const { texts, raw } = await rig.ask({ api, stream, more });
          assert.match(raw, /content_policy_violation/);
          assert.doesNotMatch(texts.text, hidden);
        }
      }
    }
  }
});

Deno.test("what is masked in JSON of a user comes back in a structured answer, also in JSON in JSON", async () => {
  await using rig = await guarded({
    content_filters: [{ pattern: "<<[^>]{1,60}>>", action: "mask", label: "V" }],
  });
  const own = '<<say "hi"\\ and\n\u{1F600}>>';
  const said = JSON.stringify({ "[V_1]": "it is [V_1].", w: JSON.stringify({ v: ["[V_1]"] }) });
  for (const { api, more } of asked) {
    for (let cut = 0; cut < said.length; cut++) {
      rig.say({ place: "text", pieces: [said.slice(0, cut), said.slice(cut)] });
      const { texts, raw } = await rig.ask({ api, stream: cut > 0, text: `JSON: ${own}`, more });
      const read: unknown = JSON.parse(texts.text);
      assert.ok(isRecord(read), raw);
      assert.deepEqual([read[own], JSON.parse(String(read.w))], [`it is ${own}.`, { v: [own] }], raw);
    }
  }
});

Deno.test("a text that happens to be JSON hides nothing either, in requests and answers", async () => {
  await using rig = await guarded(filters("redact"));
  const texts = rows.map(([said]) => said).filter((said) => !said.includes("phone"));
  for (const text of [...texts, ...texts.map((one) => `Here:\n\`\`\`json\n${one}\n\`\`\`\n`)]) {
    for (const api of apiNames) {
      rig.say({ place: "text", pieces: [...text] });
      for (const stream of [false, true]) {
        const answer = await rig.ask({ api, stream, text });
        assert.equal(answer.status, 200, answer.raw);
        assert.doesNotMatch(answer.texts.text, hidden);
        assert.match(answer.texts.text, /\[EMAIL\]|\[I"D\]/);
        assert.doesNotMatch(JSON.stringify(rig.upstream.requested.at(-1)?.body), hidden);
      }
    }
  }
  await rig.set(filters("block"));
  for (const text of texts) {
    for (const api of apiNames) assert.equal((await rig.ask({ api, stream: false, text })).status, 403, text);
  }
});

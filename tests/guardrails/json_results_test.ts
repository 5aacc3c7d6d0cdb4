/** Results of tools that have JSON in them without being JSON: their values are read like those of JSON. */

import assert from "node:assert/strict";
import type { Json } from "../support/event_stream.ts";
import { receiptOf } from "../money/rig.ts";
import { guarded } from "./guarded.ts";

/** How a tool may write an object. */
const forms: Readonly<Record<string, (value: Json) => string>> = {
  "as it is": (value) => JSON.stringify(value),
  "broken off in a text": (value) => `${JSON.stringify(value).slice(0, -1)},"rest":"and so`,
  "broken off in a name": (value) => `${JSON.stringify(value).slice(0, -1)},"re`,
  "broken off behind a value": (value) => JSON.stringify(value).slice(0, -1),
  "broken off in the value": (value) => JSON.stringify(value).slice(0, -2),
  "broken off, and told": (value) => `${JSON.stringify(value).slice(0, -1)},\n… [truncated]`,
  "fenced": (value) => `Here it is:\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\nThat is all.`,
  "fenced, over lines": (value) => `\`\`\`\n${JSON.stringify(value, null, 2)}\n\`\`\``,
  "fenced, behind an inch": (value) => `A 5" disk\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\``,
  "fenced and broken off": (value) => `\`\`\`json\n${JSON.stringify(value).slice(0, -2)}`,
  "line by line": (value) => `{"n":1}\n${JSON.stringify(value)}\n{"n":2}\n`,
  "line by line, broken off": (value) => `{"n":1}\n${JSON.stringify(value).slice(0, -2)}`,
  "records": (value) => `\x1e{"n":1}\n\x1e${JSON.stringify(value)}\n`,
  "events": (value) => `event: a\ndata: ${JSON.stringify(value)}\n\ndata: [DONE]\n\n`,
  "within words": (value) => `The result is ${JSON.stringify(value)} (1 row).`,
  "guarded from scripts": (value) => `)]}',\n${JSON.stringify(value)}`,
  "a call": (value) => `callback(${JSON.stringify(value)});`,
  "in JSON, fenced": (value) => JSON.stringify({ content: `\`\`\`json\n${JSON.stringify(value)}\n\`\`\`` }),
  "in JSON, broken off": (value) => JSON.stringify({ content: JSON.stringify(value).slice(0, -2) }),
};

interface Case {
  readonly value: Json;
  readonly fields: Json;
  /** Text that must not be sent, and the label that is sent in its place. */
  readonly secret: string;
  readonly label: string;
}

const pattern = (source: string) => ({
  content_filters: [{ pattern: source, action: "redact", label: "ID" }],
});

const cases: Readonly<Record<string, Case>> = {
  "known by its name": {
    value: { ticket: "4711-xy" },
    fields: pattern("ticket: \\d{4}-[a-z]{2}"),
    secret: "4711-xy",
    label: "[ID]",
  },
  "a value from its beginning": {
    value: { a: "zebra-4711" },
    fields: pattern("^zebra-\\d{4}"),
    secret: "zebra-4711",
    label: "[ID]",
  },
  "a password": {
    value: { db_password: "Xk9fQ2mLp7vR4tZ8" },
    fields: { content_filter_builtins: [{ slug: "secrets", action: "redact" }] },
    secret: "Xk9fQ2mLp7vR4tZ8",
    label: "[SECRET]",
  },
  "an item of a list": {
    value: { ticket: ["1234-ab", "4711-xy"] },
    fields: pattern("ticket: 4\\d{3}-[a-z]{2}"),
    secret: "4711-xy",
    label: "[ID]",
  },
  "a number": {
    value: { ticket: 47110815 },
    fields: pattern("ticket: 4711\\d+"),
    secret: "47110815",
    label: "[ID]",
  },
};

/** Broken off so, a number or a list has another end. */
const isCutInside = (form: string) => form.includes("broken off") && form !== "broken off behind a value";

Deno.test("values of JSON in a result are read with their names, however it is written", async () => {
  for (const [name, { value, fields, secret, label }] of Object.entries(cases)) {
    await using rig = await guarded(fields);
    for (const [form, write] of Object.entries(forms)) {
      if (typeof Object.values(value)[0] !== "string" && isCutInside(form)) continue;
      const output = write(value);
      const input = [
        { role: "user", content: "Hi" },
        { type: "function_call", call_id: "call_1", name: "send", arguments: "{}" },
        { type: "function_call_output", call_id: "call_1", output },
      ];
      const { status, raw } = await rig.ask({ api: "responses", stream: false, more: { input } });
      assert.equal(status, 200, raw);
      const sent = JSON.stringify(rig.upstream.requested.at(-1)?.body);
      assert.ok(!sent.includes(secret), `${name}, ${form}: ${sent}`);
      assert.ok(sent.includes(label), `${name}, ${form}: ${sent}`);
    }
  }
});

Deno.test("what stands around JSON stays, and its text keeps its form", async () => {
  await using rig = await guarded(pattern("ticket: \\d{4}-[a-z]{2}"));
  for (const [form, write] of Object.entries(forms)) {
    const value = { a: 'é "x" \n', ticket: "4711-xy" };
    const output = write(value);
    const input = [
      { role: "user", content: "Hi" },
      { type: "function_call", call_id: "call_1", name: "send", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output },
    ];
    await rig.ask({ api: "responses", stream: false, more: { input } });
    const sent = JSON.stringify(rig.upstream.requested.at(-1)?.body);
    assert.ok(sent.includes(JSON.stringify(output.replace("4711-xy", "[ID]"))), `${form}: ${sent}`);
  }
});

Deno.test("what is found in a text and in its JSON is counted once", async () => {
  const fields = { content_filters: [{ pattern: "id-\\d{4}", action: "flag", label: "ID" }] };
  await using rig = await guarded(fields);
  for (const [form, write] of Object.entries(forms)) {
    const input = [
      { role: "user", content: "Hi" },
      { type: "function_call", call_id: "call_1", name: "send", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: write({ a: "x id-4711 y", b: "z" }) },
    ];
    const { response, raw } = await rig.ask({ api: "responses", stream: false, more: { input } });
    assert.equal(response.status, 200, raw);
    const { guardrails } = await receiptOf(rig.gateway, response);
    const flagged = { id: rig.guardrail, action: "flagged", label: "ID", side: "input" };
    assert.deepEqual(guardrails, [{ ...flagged, count: 1 }], form);
  }
});

/** Silence is not consent: what each API says, or does not say, of `strict` on each wire. */

import assert from "node:assert/strict";
import { endpointTraits } from "../support/requests.ts";
import { apis } from "../golden/apis.ts";
import { wires } from "../golden/wires.ts";
import { isObject, type Json } from "../mocks/published.ts";

type Said = true | false | undefined;
type Api = "responses" | "chat" | "messages";

const said: readonly Said[] = [true, false, undefined];
const hello = { model: "a/b", max_tokens: 100 };
const turns = [{ role: "user", content: "Hi" }];
const input = { responses: { input: "Hi" }, chat: { messages: turns }, messages: { messages: turns } };

const open = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
const closed = { ...open, required: ["a"] };

const spoken = (strict: Said) => strict === undefined ? {} : { strict };

const tools: Readonly<Record<Api, (strict: Said) => Json>> = {
  responses: (strict) => ({ type: "function", name: "f", parameters: closed, ...spoken(strict) }),
  chat: (strict) => ({ type: "function", function: { name: "f", parameters: closed, ...spoken(strict) } }),
  messages: (strict) => ({ name: "f", input_schema: closed, ...spoken(strict) }),
};

interface FormatSample {
  readonly schema: Json;
  readonly strict: Said;
}

const formats: Readonly<Record<Api, (format: FormatSample) => Json>> = {
  responses: ({ schema, strict }) => ({
    text: { format: { type: "json_schema", name: "n", schema, ...spoken(strict) } },
  }),
  chat: ({ schema, strict }) => ({
    response_format: { type: "json_schema", json_schema: { name: "n", schema, ...spoken(strict) } },
  }),
  messages: ({ schema, strict }) => ({
    output_config: { format: { type: "json_schema", schema, ...spoken(strict) } },
  }),
};

/** Models of each wire that can be held to a schema. */
const models: Readonly<Record<string, string>> = {
  responses: "gpt-6-sol",
  chat: "acme-1",
  messages: "claude-opus-5-5",
  gemini: "gemini-3.5-flash",
  bedrock: "anthropic.claude-opus-5",
};

function sent(api: Api, wire: string, fields: Json): Json {
  const request = apis[api].parse({ ...hello, ...input[api], ...fields });
  const rendered = wires[wire]?.renderRequest(request, endpointTraits({ upstreamModel: models[wire] }));
  assert(rendered);
  return JSON.parse(JSON.stringify(rendered.body));
}

/** Every `strict` in a body: what it says, in order. */
function strictIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(strictIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => key === "strict" ? [one] : strictIn(one));
}

/** Values of `strict` for a tool on each wire, where its client says true, false, and nothing. */
const toolTable: Readonly<Record<Api, Readonly<Record<string, readonly Said[]>>>> = {
  responses: {
    responses: [true, false, undefined],
    chat: [true, false, undefined],
    messages: [true, undefined, undefined],
    gemini: [undefined, undefined, undefined],
    bedrock: [undefined, undefined, undefined],
  },
  chat: {
    responses: [true, false, false],
    chat: [true, false, undefined],
    messages: [true, undefined, undefined],
    gemini: [undefined, undefined, undefined],
    bedrock: [undefined, undefined, undefined],
  },
  messages: {
    responses: [true, false, false],
    chat: [true, false, undefined],
    messages: [true, undefined, undefined],
    gemini: [undefined, undefined, undefined],
    bedrock: [undefined, undefined, undefined],
  },
};

/** The same of formats; wires that are not here have no word for it. */
const formatTable: Readonly<
  Record<Api, { readonly open: readonly Said[]; readonly closed: readonly Said[] }>
> = {
  responses: { open: [true, false, undefined], closed: [true, false, undefined] },
  chat: { open: [true, false, undefined], closed: [true, false, undefined] },
  messages: { open: [true, false, undefined], closed: [true, false, true] },
};

const apiNames: readonly Api[] = ["responses", "chat", "messages"];

for (const api of apiNames) {
  for (const [wire, expected] of Object.entries(toolTable[api])) {
    Deno.test(`a tool of the ${api} API is strict on the ${wire} wire as far as the client said so`, () => {
      const found = said.map((one) => strictIn(sent(api, wire, { tools: [tools[api](one)] })));
      assert.deepEqual(found, expected.map((one) => one === undefined ? [] : [one]));
    });
  }
  for (const wire of ["responses", "chat"]) {
    for (const [name, schema] of Object.entries({ open, closed })) {
      Deno.test(`an output format of the ${api} API with ${name === "open" ? "an open" : "a closed"} schema on the ${wire} wire`, () => {
        const found = said.map((strict) => strictIn(sent(api, wire, formats[api]({ schema, strict }))));
        const expected = name === "open" ? formatTable[api].open : formatTable[api].closed;
        assert.deepEqual(found, expected.map((one) => one === undefined ? [] : [one]));
      });
    }
  }
}

Deno.test("null says nothing of strict on every API", () => {
  for (const api of apiNames) {
    const tool = JSON.parse(
      JSON.stringify(tools[api](true), (key, value) => key === "strict" ? null : value),
    );
    const expected = toolTable[api].responses?.[2];
    assert.deepEqual(
      strictIn(sent(api, "responses", { tools: [tool] })),
      expected === undefined ? [] : [expected],
    );
  }
});

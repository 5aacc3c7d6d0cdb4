import assert from "node:assert/strict";
import { ApiError } from "../../../shared/errors.ts";
import { presetCacheShape } from "../../../shared/presets/caching.ts";
import { presetFields } from "../../../shared/presets/fields.ts";
import { type Fields, type PresetApi, presetApis } from "../../../shared/presets/places.ts";
import { chatInbound } from "../../protocols/chat/inbound/mod.ts";
import { messagesInbound } from "../../protocols/messages/inbound/mod.ts";
import { responsesInbound } from "../../protocols/responses/inbound/mod.ts";
import { fillFromPreset, parseFilled } from "./use_preset.ts";

const parsers: { readonly [A in PresetApi]: (body: unknown) => unknown } = {
  chat: (body) => chatInbound.parseRequest(body, {}),
  responses: (body) => responsesInbound.parseRequest(body, {}),
  messages: (body) => messagesInbound.parseRequest(body, {}),
};
const user = { role: "user", content: "Hello" };
const question: { readonly [A in PresetApi]: Fields } = {
  chat: { messages: [user] },
  responses: { input: "Hello" },
  messages: { messages: [user], max_tokens: 5 },
};
const ownTool: { readonly [A in PresetApi]: Fields } = {
  chat: { tools: [{ type: "function", function: { name: "own" } }] },
  responses: { tools: [{ type: "function", name: "own" }] },
  messages: { tools: [{ name: "own", input_schema: {} }] },
};

/** Values that nobody can save today, and a version of long ago may have. */
const junk: readonly unknown[] = [
  5,
  -1,
  "x",
  "",
  true,
  [],
  [1],
  [null],
  [[]],
  {},
  { type: 5 },
  { type: "function" },
  { type: "json_schema", json_schema: 5 },
  { effort: 5, max_tokens: "x" },
  [{}],
  [{ type: "function" }],
  [{ type: "custom", custom: 5 }],
  [{ type: "openrouter:advisor", parameters: 5 }],
];

async function use(api: PresetApi, { config, own }: { readonly config: Fields; readonly own: Fields }) {
  const at = "2026-01-01T00:00:00.000Z";
  const version = {
    id: crypto.randomUUID(),
    preset_id: crypto.randomUUID(),
    version: 1,
    config: { ...config },
    system_prompt: null,
    created_at: at,
    updated_at: at,
    creator_id: "m",
  };
  const found = { id: version.preset_id, slug: "old", status: "active", version } as const;
  const body = { ...question[api], ...own, preset: "old" };
  const filled = await fillFromPreset({ findPreset: () => found }, {
    wire: api,
    body,
    caller: { workspaceId: "w" },
  });
  parseFilled(filled, () => parsers[api](filled.body));
}

Deno.test("a saved setting that no request may have ends in an error that names the version, or is left out", async () => {
  let refused = 0;
  for (const api of presetApis) {
    for (const name of [...presetFields.keys(), ...Object.keys(presetCacheShape)]) {
      for (const value of junk) {
        for (const own of [{}, ownTool[api]]) {
          const what = `${api}: ${name}: ${JSON.stringify(value)}`;
          try {
            await use(api, { config: { [name]: value }, own });
          } catch (error) {
            assert(error instanceof ApiError, `${what}: ${error}`);
            assert(error.status === 400 || error.status === 422, `${what}: ${error.status}`);
            assert.match(error.message, /version 1 of the preset old\.$/, what);
            refused++;
          }
        }
      }
    }
  }
  assert(refused > 500, String(refused));
});

/** Errors and receipts say which texts a guardrail has blocked: by what a text is, on every API. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { upload } from "../support/files.ts";
import { createKey, managed } from "../support/manage.ts";
import { until } from "../support/until.ts";
import { type Api, apis, calls, says, send, type Turns } from "../server_tools/rig.ts";
import { type WebRig, withWeb } from "../server_tools/web_rig.ts";
import { requestOn } from "../plugins/rig.ts";

const WORD = "planted-word";
const plain = (text: string) => new Response(text, { headers: { "content-type": "text/plain" } });

interface Kind {
  readonly name: string;
  readonly side: string;
}

interface Planted {
  readonly expected: Kind;
  readonly turns?: Turns;
  readonly body: (api: Api, site: string) => Json;
  /** Name of a file that the key has uploaded. */
  readonly file?: string;
}

const filePart = (api: Api): Json => {
  const data = btoa(`ship,${WORD}`);
  if (api === "chat") {
    return { type: "file", file: { filename: "a.csv", file_data: `data:text/csv;base64,${data}` } };
  }
  if (api === "responses") {
    return { type: "input_file", filename: "a.csv", file_data: `data:text/csv;base64,${data}` };
  }
  const source = { type: "text", media_type: "text/plain", data: `ship,${WORD}` };
  return { type: "document", title: "a.csv", source };
};

const textPart = (api: Api, text: string): Json => ({
  type: api === "responses" ? "input_text" : "text",
  text,
});

function withDocument(api: Api): Json {
  const content = [textPart(api, "Read it."), filePart(api)];
  return api === "responses"
    ? requestOn(api, { text: [{ role: "user", content }] })
    : requestOn(api, { text: content });
}

const tool = (api: Api, { kind, text }: { readonly kind: string; readonly text: string }): Json =>
  requestOn(api, { text, tools: [{ type: `service:${kind}` }] });

const request = { name: "request", side: "input" };
const response = { name: "response", side: "output" };
const brought = (bringer: string) => ({ name: `result of the ${bringer}`, side: "tools" });

const planted: Readonly<Record<string, Planted>> = {
  "what the user writes": { expected: request, body: (api) => requestOn(api, { text: `Say ${WORD}` }) },
  "a document of the request": { expected: request, body: withDocument },
  "what the model says": {
    expected: response,
    turns: () => [says(`It is ${WORD}.`)],
    body: (api) => requestOn(api, { text: "Hi" }),
  },
  "results of the tool web_search": {
    expected: brought("server tool web_search"),
    turns: (turn) => turn === 0 ? [calls("web_search", { args: { query: "ships" } })] : [says("Done.")],
    body: (api) => tool(api, { kind: "web_search", text: "Search for ships" }),
  },
  "a page of the tool web_fetch": {
    expected: brought("server tool web_fetch"),
    body: (api, site) => tool(api, { kind: "web_fetch", text: `Fetch ${site}/page` }),
  },
  "a text of the tool files": {
    expected: brought("server tool files"),
    // Nothing of the model's own has the word: a name of a file does, which the list brings.
    turns: (turn) => turn === 0 ? [calls("files", { args: { operation: "list" } })] : [says("Done.")],
    body: (api) => tool(api, { kind: "files", text: "List the files" }),
    file: `${WORD}.txt`,
  },
  "results of the plugin web": {
    expected: brought("plugin web"),
    body: (api) => requestOn(api, { text: "Ships?", plugins: [{ id: "web" }] }),
  },
  "a page of the plugin web-fetch": {
    expected: brought("plugin web-fetch"),
    body: (api, site) => requestOn(api, { text: `See ${site}/page`, plugins: [{ id: "web-fetch" }] }),
  },
};

/** A key whose guardrail has the setting. */
async function keyWith({ gateway }: WebRig, setting: Json): Promise<string> {
  const { body } = await managed(gateway, {
    call: "POST /workspaces",
    body: { name: "lab", slug: "lab" },
  });
  const { id, default_guardrail_id } = asObject(body.data);
  const changed = await managed(gateway, {
    call: `PATCH /guardrails/${default_guardrail_id}`,
    body: setting,
  });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  return (await createKey(gateway, { workspace_id: id })).key;
}

/** Sides on the receipt of a request. */
async function sidesOf({ gateway }: WebRig, generation: string): Promise<readonly unknown[]> {
  let found: Json | undefined;
  await until(async () => {
    const { body } = await managed(gateway, { call: "GET /receipts?limit=100" });
    found = asList(body.data).map(asObject).find(({ id }) => id === generation);
    return found !== undefined;
  }, { what: "the receipt" });
  return asList(found?.guardrails).map((one) => asObject(one).side);
}

const options = {
  hits: [{ url: "https://a.example/one", title: "One", text: `The ${WORD} of ships` }],
  pages: () => plain(`A page with ${WORD} in it.`),
  model: { input_modalities: ["text"] },
};

for (const [what, { expected, turns, body, file }] of Object.entries(planted)) {
  Deno.test(`a guardrail that blocks ${what} says so on every API`, async () => {
    await withWeb(options, async (rig) => {
      const key = await keyWith(rig, {
        content_filters: [{ pattern: WORD, action: "block", label: "WORD" }],
      });
      const fetches: Turns = (turn) =>
        turn === 0 ? [calls("web_fetch", { args: { url: `${rig.site}/page` } })] : [says("Done.")];
      if (file !== undefined) await upload(rig.gateway, { name: file, token: key });
      for (const api of apis) {
        for (const stream of [false, true]) {
          rig.plan(turns ?? fetches);
          const sent = await send(rig.gateway, {
            api,
            key,
            body: { model: "mock/chat", ...body(api, rig.site), stream },
          });
          const where = `${api}, ${stream ? "streamed" : "whole"}: ${sent.text}`;
          assert(sent.text.includes(`A guardrail blocked the ${expected.name}: it matches`), where);
          const generation = sent.headers.get("x-generation-id") ?? "";
          assert.deepEqual(await sidesOf(rig, generation), [expected.side], where);
        }
      }
    });
  });
}

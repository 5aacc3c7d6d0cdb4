/** `constructor`, `__proto__` and the like are texts as any other, wherever a client or a provider may write one. */

import assert from "node:assert/strict";
import { ApiError, apiErrorKinds } from "../../shared/errors.ts";
import { apis } from "../golden/apis.ts";
import { storiesOf } from "../golden/files.ts";
import { renderStory } from "../golden/render_story.ts";
import { clientOf, type Story } from "../golden/story.ts";
import { wires } from "../golden/wires.ts";
import { says, scripted } from "../support/scripted.ts";
import { startGateway } from "../support/gateway.ts";
import { createKey, manage } from "../support/manage.ts";
import { pricedAt } from "../money/rig.ts";
import { endpointTraits } from "../support/requests.ts";
import { covering } from "./covering.ts";
import { seed } from "../support/seed.ts";

/** Names that every object inherits. */
const inherited = Object.getOwnPropertyNames(Object.prototype);
/** One whose value is a function, and the one whose value is an object. */
const few = ["constructor", "__proto__"];

/** A copy of JSON for each of its strings, in which the name stands in that string's place. */
function* withName(value: unknown, name: string): Generator<unknown> {
  if (typeof value === "string") yield name;
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const changed of withName(inner, name)) {
      yield Array.isArray(value)
        ? value.map((one, at) => String(at) === key ? changed : one)
        : Object.fromEntries(Object.entries(value).map(([k, one]) => [k, k === key ? changed : one]));
    }
  }
}

/** Forms of inherited functions and objects where a text is expected. */
const odd = /native code|\[object Object\]/;

function assertRefusal(error: unknown, what: string): void {
  if (!(error instanceof ApiError)) throw new Error(what, { cause: error });
  assert(error.kind in apiErrorKinds && error.status < 500, what);
}

Deno.test("every name that objects inherit is an unknown model on all routes", async () => {
  await using upstream = scripted(says("chat", "one"));
  await using gateway = await startGateway({
    providers: [pricedAt(upstream.baseUrl, { wire: "chat", open: true })],
  });
  const { key } = await createKey(gateway);
  const bodies = {
    "/responses": { input: "Hi" },
    "/chat/completions": { messages: [{ role: "user", content: "Hi" }] },
    "/messages": { messages: [{ role: "user", content: "Hi" }], max_tokens: 10 },
    "/audio/speech": { input: "Hi", voice: "alloy" },
    "/route/explain": { input: "Hi" },
  };
  for (const name of inherited) {
    for (const model of [name, `${name}:free`, `${name}/${name}`, `openai/${name}`, `${name}/gpt-5`]) {
      for (const [path, body] of Object.entries(bodies)) {
        const answer = await manage(gateway, { call: `POST ${path}`, body: { ...body, model }, token: key });
        const text = await answer.text();
        // What an explanation says is the refusal itself.
        const status = path === "/route/explain" ? 200 : 404;
        assert.equal(answer.status, status, `${path} ${model}: ${text}`);
        assert(!odd.test(text), text);
      }
      const shown = await manage(gateway, { call: `GET /models/${model}/endpoints` });
      assert.equal(shown.status, 404, await shown.text());
    }
  }
  assert.deepEqual(gateway.logged.filter((line) => line.includes('"level":"error"')), []);
});

Deno.test("every name that objects inherit is an unknown format of sound", async () => {
  await using upstream = scripted(says("chat", "one"));
  await using gateway = await startGateway({ providers: [pricedAt(upstream.baseUrl, { wire: "chat" })] });
  const { key } = await createKey(gateway, { limit: 5 });
  for (const format of inherited) {
    const sound = { type: "input_audio", input_audio: { data: "AAAA", format } };
    const messages = [{ role: "user", content: [sound] }];
    const answer = await manage(gateway, {
      call: "POST /chat/completions",
      body: { model: "mock/model", messages },
      token: key,
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
  }
});

Deno.test("every name that objects inherit is an unknown id and an unlisted value of operations", async () => {
  await using gateway = await startGateway();
  for (const name of inherited) {
    for (
      const call of [
        `GET /keys/${name}`,
        `GET /workspaces/${name}`,
        `DELETE /workspaces/${name}`,
        `PUT /workspaces/default/budgets/${name}`,
        `GET /guardrails/${name}`,
        `GET /generation?id=${name}`,
        `GET /models?sort=${name}`,
        `GET /receipts?cursor=${name}`,
      ]
    ) {
      const answer = await manage(gateway, {
        call,
        body: call.startsWith("PUT") ? { limit_usd: 1 } : undefined,
      });
      const text = await answer.text();
      assert(answer.status < 500, `${call}: ${text}`);
    }
    const query = { metrics: ["requests"], dimensions: [name] };
    const requested = await manage(gateway, { call: "POST /analytics/query", body: query });
    assert.equal(requested.status, 400, await requested.text());
  }
});

Deno.test("requests may say an inherited name in each of their texts, on every wire", () => {
  for (const body of covering) {
    for (const name of few) {
      for (const changed of withName(body, name)) {
        const what = JSON.stringify(changed).slice(0, 1_000);
        for (const [id, wire] of Object.entries(wires)) {
          try {
            const request = apis.responses.parse(changed);
            const call = wire.renderRequest(request, endpointTraits({ upstreamModel: "gemini-3-flash" }));
            const text = JSON.stringify(call);
            assert(!odd.test(text), `${id}: ${text}`);
          } catch (error) {
            assertRefusal(error, `${id}: ${what}`);
          }
        }
      }
    }
  }
});

Deno.test("requests may say an inherited name in each of their texts, through the whole gateway", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on", LOG_LEVEL: "warn" } });
  for (const body of covering.filter((_, at) => at % 8 === seed % 8)) {
    for (const changed of withName({ ...body, model: undefined, stream: false }, "constructor")) {
      const sent = { model: "local/echo", ...JSON.parse(JSON.stringify(changed)) };
      const answer = await manage(gateway, { call: "POST /responses", body: sent, token: gateway.apiKey });
      const text = await answer.text();
      assert(answer.status < 500, `${answer.status} ${text}: ${JSON.stringify(sent).slice(0, 1_000)}`);
    }
  }
  assert.deepEqual(gateway.logged.filter((line) => line.includes('"level":"error"')), []);
});

/** The story with a name in place of one of the texts of the provider's answer, for each of them. */
function* storiesWith(story: Story, name: string): Generator<Story> {
  const { body } = story.upstream;
  for (const { index, 0: found } of body.matchAll(/(?<=:\s*)"(?:[^"\\]|\\.)*"/g)) {
    const changed = body.slice(0, index) + JSON.stringify(name) + body.slice(index + found.length);
    yield { ...story, upstream: { ...story.upstream, body: changed } };
  }
}

for (const [id, wire] of Object.entries(wires)) {
  Deno.test(`providers may say an inherited name in each of their texts (${id})`, async () => {
    for (const [title, story] of storiesOf(id)) {
      assert(clientOf(story).body !== undefined);
      for (const name of few) {
        for (const changed of storiesWith(story, name)) {
          const what = `${title}: ${changed.upstream.body.slice(0, 2_000)}`;
          const { answers } = await renderStory(changed, wire, { sizes: [4_096] }).catch((cause) => {
            throw new Error(what, { cause });
          });
          for (const [, text] of answers) assert(!odd.test(text), `${what}\n${text}`);
        }
      }
    }
  });
}

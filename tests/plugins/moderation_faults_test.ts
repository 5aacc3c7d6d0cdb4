/** Moderation services that give no verdict, and requests that try to go around a locked default. */

import assert from "node:assert/strict";
import { asObject, type Json } from "../support/event_stream.ts";
import { fakeClock } from "../support/clock.ts";
import { createKey } from "../support/manage.ts";
import { apiNames, spentBy } from "../money/rig.ts";
import {
  askModerated,
  chatAnswer,
  moderated,
  moderation,
  type ModerationRig,
  scoredResult,
  setDefaults,
} from "./moderation_rig.ts";

const ways = apiNames.flatMap((api) => [false, true].map((stream) => ({ api, stream })));
const good = scoredResult("kind");

/** Answers that are no verdict, of services with scores. */
const scoredFaults: Readonly<Record<string, () => Response>> = {
  "status 500": () => Response.json({ results: [good] }, { status: 500 }),
  "status 401": () => Response.json({ error: { message: "no" } }, { status: 401 }),
  "status 429": () => Response.json({}, { status: 429 }),
  "status 201": () => Response.json({ results: [good] }, { status: 201 }),
  redirect: () => new Response(null, { status: 302, headers: { location: "/v1/other" } }),
  "no JSON": () => new Response("safe"),
  empty: () => new Response(""),
  huge: () => new Response(`{"results": [], "x": "${"x".repeat(2 * 1024 * 1024)}"}`),
  "no results": () => Response.json({ results: [] }),
  "too many results": () => Response.json({ results: [good, good] }),
  "no scores": () => Response.json({ results: [{ flagged: false, categories: {} }] }),
  "wrong scores": () => Response.json({ results: [{ ...good, category_scores: { hate: 7 } }] }),
  null: () => Response.json(null),
};

/** Texts of a judging model that are no verdict. */
const chatFaults = [
  "",
  "Safe",
  "I think it is safe",
  "safe\nS1",
  '{"violation": 3}',
  "unsafe S1",
];

async function assertFails(rig: ModerationRig, fail: "closed" | "open"): Promise<void> {
  const { key } = await createKey(rig.gateway);
  for (const way of ways) {
    const before = rig.upstream.requested.length;
    const { status, raw, response, error } = await askModerated(rig, { ...way, key, text: "kind" });
    const called = rig.upstream.requested.length - before;
    if (fail === "closed") {
      assert.deepEqual([status, called], [503, 0], raw);
      assert.match(String(error.message), /moderation got no verdict/);
    } else {
      assert.deepEqual([status, called], [200, 1], raw);
      assert.match(
        response.headers.get("x-tollgate-notes") ?? "",
        /moderation did not act: it got no verdict/,
      );
      assert.match(raw, /"pipeline":\[\]/);
    }
  }
  if (fail === "closed") assert.equal(await spentBy(rig.gateway, key), 0);
}

for (const fail of ["closed", "open"] as const) {
  for (const wire of ["openai", "mistral"] as const) {
    Deno.test(`a service (${wire}) that gives no verdict fails ${fail}`, async (t) => {
      await using rig = await moderated({ moderation: { wire, fail } });
      for (const [name, reply] of Object.entries(scoredFaults)) {
        await t.step(name, async () => {
          rig.answer(reply);
          await assertFails(rig, fail);
        });
      }
    });
  }
  for (const wire of ["llama-guard", "policy"] as const) {
    Deno.test(`a judging model (${wire}) that gives no verdict fails ${fail}`, async (t) => {
      const more = wire === "policy" ? { policy: "Be kind." } : {};
      await using rig = await moderated({ moderation: { wire, fail, model: "guard", ...more } });
      for (const text of chatFaults) {
        await t.step(JSON.stringify(text), async () => {
          rig.answer(() => chatAnswer(text));
          await assertFails(rig, fail);
        });
      }
      rig.answer(() => chatAnswer(wire === "policy" ? '{"violation": 1, "category": "rude"}' : "unsafe\nS2"));
      const flagged = await askModerated(rig, { api: "chat", text: "kind" });
      assert.equal(flagged.status, 403);
      assert.deepEqual(asObject(flagged.error.metadata).reasons, [wire === "policy" ? "rude" : "S2"]);
      rig.answer(() => chatAnswer(wire === "policy" ? '{"violation": 0}' : "safe"));
      assert.equal((await askModerated(rig, { api: "chat", text: "kind" })).status, 200);
    });
  }
  Deno.test(`a service that is not there fails ${fail}`, async () => {
    // A port that nobody listens on: it was free a moment ago, and is closed.
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    listener.close();
    await using rig = await moderated({ moderation: { fail, base_url: `http://127.0.0.1:${port}` } });
    await assertFails(rig, fail);
  });
  Deno.test(`a slow service gets five seconds and fails ${fail}`, async () => {
    const clock = fakeClock();
    await using rig = await moderated({ moderation: { fail }, clock });
    const { promise: over, resolve: end } = Promise.withResolvers<Response>();
    rig.answer(async () => (await over).clone());
    for (const { api, stream } of ways) {
      const before = rig.judged.length;
      const asking = askModerated(rig, { api, stream, text: "kind" });
      await clock.advanceOnce(() => rig.judged.length > before, 5_000);
      const { status, raw } = await asking;
      assert.equal(status, fail === "closed" ? 503 : 200, raw);
    }
    end(Response.json({ results: [good] }));
  });
}

const hurt = { flagged: true, categories: { violence: true }, category_scores: { violence: 0.99 } };
const scoredAs = (...results: readonly unknown[]) => Response.json({ results });

/** Answers of each wire that say that a text is flagged, and have a part that cannot be read. */
const flaggedAnyway: readonly (readonly [string, Json, () => Response])[] = [
  ...["openai", "mistral"].flatMap((wire): readonly (readonly [string, Json, () => Response])[] => [
    [`${wire}: a category is missing`, { wire, thresholds: { violence: 0.5 } }, () => scoredAs(hurt)],
    [`${wire}: no scores`, { wire }, () => scoredAs({ ...hurt, category_scores: undefined })],
    [`${wire}: another result is none`, { wire }, () => scoredAs(hurt, null)],
  ]),
  ["openai: a category that never counts is missing", {
    wire: "openai",
    thresholds: { violence: 0.5, hate: null },
  }, () => scoredAs(hurt)],
  ["llama-guard: no codes", { wire: "llama-guard" }, () => chatAnswer("unsafe\nviolence")],
  [
    "policy: no name",
    { wire: "policy", policy: "Be kind." },
    () => chatAnswer('{"violation":1,"category":7}'),
  ],
];

for (const fail of ["closed", "open"] as const) {
  for (const [name, settings, reply] of flaggedAnyway) {
    Deno.test(`what is flagged is refused where it fails ${fail}, ${name}`, async () => {
      await using rig = await moderated({ moderation: { model: "guard", fail, ...settings } });
      rig.answer(reply);
      for (const way of ways) {
        const { status, raw } = await askModerated(rig, { ...way, text: "kind" });
        assert.deepEqual([status, rig.upstream.requested.length], [403, 0], raw);
      }
    });
  }
}

Deno.test("a failure costs nothing where the service costs something", async () => {
  await using rig = await moderated({ moderation: { fail: "closed", price: "0.01" } });
  const { key } = await createKey(rig.gateway);
  rig.answer(() => new Response("no", { status: 500 }));
  for (const way of ways) assert.equal((await askModerated(rig, { ...way, key, text: "kind" })).status, 503);
  assert.equal(await spentBy(rig.gateway, key), 0);
});

interface Dodge {
  readonly more?: Json;
  readonly model?: string;
}

/** Everything that a request may send to be rid of a locked moderation. */
const dodges: Readonly<Record<string, Dodge>> = {
  "no plugins": {},
  "plugins null": { more: { plugins: null } },
  "an empty list": { more: { plugins: [] } },
  "enabled false": { more: { plugins: [{ id: "moderation", enabled: false }] } },
  "enabled null": { more: { plugins: [{ id: "moderation", enabled: null }] } },
  "locked false": { more: { plugins: [{ id: "moderation", locked: false, enabled: false }] } },
  "another plugin": { more: { plugins: [{ id: "response-healing", enabled: false }] } },
  "its own entry": { more: moderation },
  "a variant": { model: "mock/model:nitro" },
  "two variants": { model: "mock/model:floor:nitro" },
  "the variant online": { model: "mock/model:online" },
  models: { more: { models: ["mock/model", "local/echo"] } },
  "a fallback model": { model: "mock/none", more: { models: ["mock/model"] } },
  "another model": { model: "local/echo" },
  "an unknown model": { model: "mock/none" },
  "a default_plugins of its own": { more: { default_plugins: null } },
};

Deno.test("a locked moderation judges every request, whatever that sends", async (t) => {
  await using rig = await moderated();
  const { key } = await createKey(rig.gateway);
  await setDefaults(rig, [{ id: "moderation", locked: true }]);
  for (const [name, dodge] of Object.entries(dodges)) {
    await t.step(name, async () => {
      for (const way of ways) {
        const { status, raw } = await askModerated(rig, {
          ...way,
          key,
          text: "a bad text",
          more: {},
          ...dodge,
        });
        assert.equal(status, 403, raw);
      }
    });
  }
  assert.equal(rig.upstream.requested.length, 0);
  const twice = { plugins: [{ id: "moderation" }, { id: "moderation", enabled: false }] };
  for (const way of ways) {
    assert.equal((await askModerated(rig, { ...way, key, text: "a bad text", more: twice })).status, 400);
  }
  await setDefaults(rig, null);
  assert.equal((await askModerated(rig, { api: "chat", key, text: "a bad text", more: {} })).status, 200);
});

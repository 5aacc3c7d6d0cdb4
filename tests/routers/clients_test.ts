/** Routers over HTTP: each API, whole and streamed, turn after turn, for callers with rules of their own. */

import assert from "node:assert/strict";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, scripted } from "../support/scripted.ts";
import { type Api, apis, send, wholeOf } from "../server_tools/rig.ts";
import { ask, bodyOn, explain, type Routed, type Turn, withModels } from "./rig.ts";

const ways = apis.flatMap((api) => [false, true].map((stream) => ({ api, stream })));
const auto = (settings: Json = {}) => ({ plugins: [{ id: "auto-router", ...settings }] });
const open = { cost_quality_tradeoff: 0 };
const user = (content: string): Turn => ({ role: "user", content });

interface Said {
  readonly turns: readonly Turn[];
  readonly more?: Json;
}

/** Asks `openrouter/auto` on one API in one way. */
const asker = (gateway: Gateway, way: { readonly api: Api; readonly stream: boolean }) =>
(
  { turns, more = {} }: Said,
): Promise<Routed> =>
  ask(gateway, { ...way, body: { model: "openrouter/auto", ...bodyOn(way.api, turns), ...more } });

Deno.test("a routed answer names its model, its record the router, and its metadata the stage", async (t) => {
  await withModels({}, async (gateway) => {
    for (const way of ways) {
      await t.step(`${way.api} ${way.stream ? "streamed" : "whole"}`, async () => {
        const { model, stage, metadata, sent } = await asker(gateway, way)({
          turns: [user(`Hello ${way.api}`)],
          more: auto({ cost_tier: "high" }),
        });
        assert.deepEqual([model, metadata.strategy, metadata.requested], [
          "acme/m2",
          "auto",
          "openrouter/auto",
        ]);
        assert.deepEqual([stage.evidence, stage.tier, stage.router], [
          "default_models",
          "high",
          "openrouter/auto",
        ]);
        const headers = { authorization: `Bearer ${gateway.apiKey}` };
        const id = sent.headers.get("x-generation-id");
        const record = await (await fetch(`${gateway.url}/v1/generation?id=${id}`, { headers })).json();
        const { model: called, router, task_type } = asObject(record.data);
        assert.deepEqual([called, router], ["acme/m2", "openrouter/auto"]);
        assert.equal(task_type ?? stage.task_type, stage.task_type);
      });
    }
  });
});

Deno.test("pin_model keeps the model that the newest answer names, while it may be chosen", async (t) => {
  await withModels({}, async (gateway) => {
    for (const way of ways) {
      await t.step(`${way.api} ${way.stream ? "streamed" : "whole"}`, async () => {
        const tell = asker(gateway, way);
        const turn = async (said: Said) => {
          const { model, stage } = await tell(said);
          return [model, stage.kept_by];
        };
        const pinned = auto({ pin_model: true, cost_tier: "max" });
        const first = [user(`Pinned ${way.api} ${way.stream}`)];
        assert.deepEqual(await turn({ turns: first, more: pinned }), ["acme/m4", undefined]);
        const answered = (model: string): readonly Turn[] => [
          ...first,
          { role: "assistant", content: "Done.", model: "acme/m3" },
          user("And?"),
          { role: "assistant", content: "Done.", model },
          user("And then?"),
        ];
        assert.deepEqual(await turn({ turns: answered("acme/m1"), more: pinned }), ["acme/m1", "pin_model"]);
        assert.deepEqual(await turn({ turns: answered("acme/m0"), more: pinned }), ["acme/m0", "pin_model"]);
        assert.deepEqual(await turn({ turns: answered("acme/gone"), more: pinned }), ["acme/m4", undefined]);
        const without = auto({ pin_model: true, cost_tier: "max", excluded_models: ["*/m1"] });
        assert.deepEqual(await turn({ turns: answered("acme/m1"), more: without }), ["acme/m4", "session"]);
        const beta = {
          model: "openrouter/auto-beta",
          plugins: [{ id: "auto-beta-router", pin_model: true, cost_tier: "max" }],
        };
        assert.deepEqual(await turn({ turns: answered("acme/m1"), more: beta }), ["acme/m4", undefined]);
      });
    }
  });
});

Deno.test("a conversation stays with its model, by its session or by how it begins", async (t) => {
  await withModels({}, async (gateway) => {
    for (const [at, way] of ways.entries()) {
      for (const session of [undefined, `session ${at}`]) {
        const name = session === undefined ? "by its beginning" : "by its session";
        await t.step(`${way.api} ${way.stream ? "streamed" : "whole"} ${name}`, async () => {
          const tell = asker(gateway, way);
          const sessioned = session === undefined ? {} : { session_id: session };
          const first = [user(`Sticky ${name} ${at}`)];
          const longer = (turns: number): readonly Turn[] => [
            ...first,
            ...Array.from({ length: turns }, (): Turn[] => [
              { role: "assistant", content: "Done." },
              user("More?"),
            ]).flat(),
          ];
          const turn = async (turns: readonly Turn[], settings: Json) => {
            const { model, stage } = await tell({ turns, more: { ...sessioned, ...auto(settings) } });
            return [model, stage.kept_by];
          };
          const cheap = { ...open, allowed_models: ["acme/m1"] };
          assert.deepEqual(await turn(first, cheap), ["acme/m1", undefined]);
          assert.deepEqual(await turn(longer(1), open), ["acme/m1", "session"], "m3 would be better");
          assert.deepEqual(await turn(longer(2), open), ["acme/m1", "session"]);
          const without = { ...open, excluded_models: ["acme/m1"] };
          assert.deepEqual(await turn(longer(3), without), ["acme/m3", undefined]);
          assert.deepEqual(await turn(longer(4), open), ["acme/m3", "session"]);
          const other = [user(`Another ${name} ${at}`)];
          const { model } = await tell({ turns: other, more: { ...auto(open) } });
          assert.equal(model, "acme/m3");
        });
      }
    }
  });
});

Deno.test("a slug stands anywhere in models, and its plugin alone stands for it", async (t) => {
  await withModels({ file: { default_model: "acme/m4" } }, async (gateway) => {
    for (const way of ways) {
      await t.step(`${way.api} ${way.stream ? "streamed" : "whole"}`, async () => {
        const said = bodyOn(way.api, [user(`Among ${way.api} ${way.stream}`)]);
        const among = await ask(gateway, {
          ...way,
          body: { ...said, models: ["nobody/none", "service/auto", "acme/m4"] },
        });
        assert.deepEqual([among.model, among.stage.router], ["acme/m0", "service/auto"]);
        const alone = await ask(gateway, { ...way, body: { ...said, ...auto({ cost_tier: "medium" }) } });
        assert.deepEqual([alone.model, alone.metadata.requested], ["acme/m1", "openrouter/auto"]);
        const off = await ask(gateway, { ...way, body: { ...said, ...auto({ enabled: false }) } });
        assert.equal(off.model, "acme/m4", "the default model");
      });
    }
  });
});

async function settle(gateway: Gateway, default_plugins: unknown): Promise<void> {
  const { status, body } = await managed(gateway, {
    call: "PATCH /workspaces/default",
    body: { default_plugins },
  });
  assert.equal(status, 200, JSON.stringify(body));
}

Deno.test("a workspace's saved settings hold, the request's win, unless they are locked", async () => {
  await withModels({ file: { default_model: "acme/m4" } }, async (gateway) => {
    const saved = { id: "auto-router", cost_tier: "medium", allowed_models: ["acme/*"] };
    for (const way of ways) {
      const text = `Saved ${way.api} ${way.stream}`;
      const tell = asker(gateway, way);
      const modelOf = async (more: Json) => (await tell({ turns: [user(text)], more })).model;
      const own = auto({ cost_tier: "high" });
      await settle(gateway, [saved]);
      assert.equal(await modelOf({}), "acme/m1");
      assert.equal(await modelOf(own), "acme/m2");
      const unnamed = await ask(gateway, { ...way, body: bodyOn(way.api, [user(text)]) });
      assert.equal(unnamed.model, "acme/m4", "saved settings name no model");
      await settle(gateway, [{ ...saved, locked: true }]);
      assert.equal(await modelOf(own), "acme/m1");
      const { params } = (await tell({ turns: [user(text)], more: own })).metadata;
      assert.deepEqual(asObject(params).dropped, [
        "plugin auto-router: the workspace has locked its default",
      ]);
      await settle(gateway, null);
    }
  });
});

Deno.test("a router may be a workspace's default model, also by an alias, and nothing is warned of", async () => {
  await withModels({ file: { aliases: { best: "openrouter/auto" } } }, async (gateway) => {
    for (const name of ["openrouter/auto", "service/auto-beta:nitro", "best"]) {
      const { status, body } = await managed(gateway, {
        call: "PATCH /workspaces/default",
        body: { default_text_model: name },
      });
      assert.deepEqual([status, body.warnings], [200, undefined], JSON.stringify(body));
      for (const way of ways) {
        const { model, metadata } = await ask(gateway, { ...way, body: bodyOn(way.api, [user("Hi")]) });
        assert.deepEqual([model, metadata.strategy], ["acme/m0", "auto"]);
      }
    }
    const { body } = await managed(gateway, {
      call: "PATCH /workspaces/default",
      body: { default_text_model: "openrouter/none" },
    });
    assert.match(JSON.stringify(body.warnings), /is no model that is here now/);
  });
});

Deno.test("a key is routed to models of its guardrail only, and explain says the same as the call", async () => {
  await withModels({}, async (gateway) => {
    const { key, record } = await createKey(gateway);
    const made = await managed(gateway, {
      call: "POST /guardrails",
      body: { name: "Two", allowed_models: ["acme/m1", "acme/m3"] },
    });
    const { id } = asObject(made.body.data);
    const assigned = await managed(gateway, {
      call: `POST /guardrails/${id}/assignments/keys`,
      body: { key_hashes: [record.hash] },
    });
    assert.equal(assigned.status, 200, JSON.stringify(assigned.body));
    for (const way of ways) {
      const body = { model: "openrouter/auto", ...bodyOn(way.api, [user("Hi")]) };
      const { model, metadata } = await ask(gateway, { ...way, body: { ...body, ...auto(open) }, key });
      assert.equal(model, "acme/m1", "of two models the dearer one is above percentile 90");
      assert.deepEqual(
        asList(asObject(metadata.endpoints).available).map((one) => asObject(one).model),
        ["acme/m1"],
      );
      const none = { ...body, ...auto({ allowed_models: ["acme/m0"] }) };
      const refused = await send(gateway, { api: way.api, body: { ...none, stream: way.stream }, key });
      assert.equal(refused.status, 404, refused.text);
      assert.match(refused.text, /No models match your request and model restrictions/);
    }
    const told = await explain({ ...gateway, apiKey: key }, { model: "openrouter/auto", input: "Hi" });
    assert.deepEqual(asList(told.order).map((one) => asObject(one).model), ["acme/m1"]);
  });
});

Deno.test("explain's router, first model and reservation are those of the call", async () => {
  await withModels({}, async (gateway) => {
    const { key } = await createKey(gateway, { limit: 1 });
    const body = {
      model: "openrouter/auto",
      input: "Hi",
      max_output_tokens: 50,
      ...auto({ cost_tier: "xhigh" }),
    };
    const told = await explain({ ...gateway, apiKey: key }, body);
    const { model, stage } = await ask(gateway, { api: "responses", body, key });
    const [first] = asList(told.order).map(asObject);
    assert.deepEqual([first?.model, asList(told.routers)], [model, [stage]]);
    assert.equal(told.strategy, "auto");
    const named = await explain({ ...gateway, apiKey: key }, { ...body, model, plugins: [] });
    const reserved = (one: Json) => asObject(one.reservation).reserved_usd;
    assert.equal(reserved(told), reserved(named));
    assert(Number(reserved(told)) > 0);
    const [plugin] = asList(told.plugins).map(asObject);
    assert.deepEqual([plugin?.id, plugin?.would], ["auto-router", "choose acme/m3"]);
  });
});

Deno.test("tokens of a routed request are counted as the call would go", async () => {
  await withModels({}, async ({ url, apiKey }) => {
    const count = async (model: string) => {
      const response = await fetch(`${url}/v1/messages/count_tokens`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "How many?" }] }),
      });
      const { input_tokens: tokens } = asObject(await response.json());
      assert.equal(response.status, 200);
      return Number(tokens);
    };
    assert.equal(await count("openrouter/auto"), await count("acme/m0"));
  });
});

Deno.test("with the built-in models only, every slug answers and says on what evidence", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on", TOLLGATE_FAULT_LAB: "on" } });
  for (const slug of ["auto", "auto-beta"].flatMap((one) => [`openrouter/${one}`, `service/${one}`])) {
    for (const way of ways) {
      const body = { model: slug, ...bodyOn(way.api, [user("Hi")]) };
      const { model, stage } = await ask(gateway, { ...way, body });
      assert.deepEqual([model, stage.evidence, stage.router], ["local/echo", "price", slug]);
    }
  }
});

Deno.test("a workspace is routed to models that only its own provider keys reach", async () => {
  await using upstream = scripted(says("responses", "Done."));
  const env = {
    TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(9).toBase64(),
    TOLLGATE_LOCAL: "on",
    OPENAI_BASE_URL: upstream.baseUrl,
  };
  await using gateway = await startGateway({ env });
  const body = { model: "openrouter/auto", input: "Hi", session_id: "before and after" };
  assert.equal((await ask(gateway, { api: "responses", body })).model, "local/echo");
  const made = await managed(gateway, { call: "POST /byok", body: { provider: "openai", key: "sk-own" } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const routed = await ask(gateway, { api: "responses", body });
  const { available } = asObject(routed.metadata.endpoints);
  assert.equal(routed.metadata.is_byok, true);
  assert(asList(available).every((one) => String(asObject(one).model).startsWith("openai/")));
});

Deno.test("the built-in models are not chosen beside others, and an unknown slug lists the routers", async () => {
  await withModels({ env: { TOLLGATE_LOCAL: "on" } }, async (gateway) => {
    const { model } = await ask(gateway, {
      api: "chat",
      body: { model: "openrouter/auto", ...bodyOn("chat", [user("Hi")]) },
    });
    assert.equal(model, "acme/m0");
    for (const slug of ["openrouter/bodybuilder", "service/magic"]) {
      const refused = await send(gateway, { body: { model: slug, input: "Hi" } });
      const { message, metadata } = asObject(wholeOf(refused, 404).error);
      assert.match(String(message), /openrouter\/auto, openrouter\/auto-beta/);
      assert.equal(asObject(metadata).path, "model");
    }
  });
});

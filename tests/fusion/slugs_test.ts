/** The slugs of fusion: an outer model that is offered the tool, on each API, whole and streamed. */

import assert from "node:assert/strict";
import { streamEvent } from "../../shared/responses/events.ts";
import { receiptOf } from "../money/rig.ts";
import { type Api, apis, eventsOf, itemsOf, says, send, wholeOf } from "../server_tools/rig.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { managed } from "../support/manage.ts";
import { fusionTool, withFusion } from "./rig.ts";

const PANEL = ["alpha/mock", "beta/mock"];
const plugin = { id: "fusion", model: "outer/mock", analysis_models: PANEL };

const bodyOf = (api: Api, more: Json = {}): Json => ({
  model: "openrouter/fusion",
  plugins: [plugin],
  ...(api === "responses" ? { input: "Greet me." } : { messages: [{ role: "user", content: "Greet me." }] }),
  ...(api === "messages" ? { max_tokens: 1_000 } : {}),
  ...more,
});

for (const api of apis) {
  Deno.test(`the slug runs a panel and answers with a concrete model (${api})`, async () => {
    await withFusion({}, async ({ gateway, plan, sentToAnalyst, sentTo }) => {
      for (const stream of [false, true]) {
        plan({});
        const headers = { "x-service-metadata": "enabled" };
        const sent = await send(gateway, { api, headers, body: bodyOf(api, { stream }) });
        assert.equal(sent.status, 200, sent.text);
        assert(sent.text.includes(stream ? '" answ"' : "The answer."), sent.text);
        assert(!sent.text.includes('"dropped"'), sent.text);
        assert(sent.text.includes('"model":"outer/mock"'));
        assert(sent.text.includes('"strategy":"fusion"'));
        assert.equal(sentToAnalyst().length, 1);
        assert.equal(sentToAnalyst()[0]?.model, "outer-mock");
        for (const member of PANEL) assert.equal(sentTo(member).length, 1);
        const receipt = await receiptOf(gateway, sent);
        assert.deepEqual([receipt.router, receipt.model], ["openrouter/fusion", "outer/mock"]);
        if (api === "responses" && stream) { for (const event of eventsOf(sent)) streamEvent.parse(event); }
      }
    });
  });
}

Deno.test("a model that does not call the tool answers alone, and a plugin that is off takes it away", async () => {
  await withFusion({}, async ({ gateway, plan, sentTo }) => {
    const alone = { outer: () => [says("Hello.")] };
    for (const enabled of [true, false]) {
      plan(alone);
      const body = bodyOf("responses", { plugins: [{ ...plugin, enabled }] });
      const result = wholeOf(await send(gateway, { body }));
      assert.deepEqual(itemsOf(result).map(({ type }) => type), ["message"]);
      assert.equal(result.model, "outer/mock");
      const [first] = sentTo("outer/mock");
      assert.equal(JSON.stringify(first).includes("fusion"), enabled);
      assert.equal(sentTo("alpha/mock").length, 0);
    }
    plan(alone);
    const tools = [fusionTool(PANEL)];
    const off = {
      model: "outer/mock",
      plugins: [{ id: "fusion", enabled: false }],
      tools,
      tool_choice: "required",
    };
    const sent = await send(gateway, { body: bodyOf("responses", off) });
    assert.equal(wholeOf(sent).status, "completed");
    assert(!JSON.stringify(sentTo("outer/mock")[0]).includes('"tools"'));
    assert.match(
      sent.headers.get("x-tollgate-notes") ?? "",
      /openrouter:fusion is left out: the plugin fusion is off/,
    );
  });
});

Deno.test("service/… brings items in its own spelling, and tool_choice required forces a run", async () => {
  await withFusion({}, async ({ gateway, plan, sentTo }) => {
    plan({});
    const body = bodyOf("responses", { model: "service/fusion", tool_choice: "required" });
    const [item] = itemsOf(wholeOf(await send(gateway, { body })));
    assert.equal(item?.type, "service:fusion");
    assert.deepEqual(sentTo("outer/mock").map(({ tool_choice }) => tool_choice), ["required", "auto"]);
  });
});

const presets = {
  "general-high": { analysis_models: ["alpha/mock"] },
  "general-budget": { analysis_models: ["beta/mock"], model: "outer/mock" },
  "general-fast": { analysis_models: ["gamma/mock", "beta/mock"] },
};

Deno.test("presets name panel and analyst, explicit fields stand above, and flash is the fast one", async () => {
  const models = ["alpha/mock", "beta/mock", "gamma/mock"];
  await withFusion({ models, file: { fusion: { presets } } }, async ({ gateway }) => {
    const rows: readonly (readonly [more: Json, outer: string])[] = [
      [{ plugins: [] }, "alpha/mock"],
      [{ plugins: [{ id: "fusion", preset: "general-budget" }] }, "outer/mock"],
      [{ plugins: [{ id: "fusion", preset: "general-budget", model: "gamma/mock" }] }, "gamma/mock"],
      [{ plugins: [], model: "openrouter/fusion-flash" }, "gamma/mock"],
      [{ plugins: [{ id: "fusion" }], model: undefined }, "alpha/mock"],
    ];
    for (const [more, outer] of rows) {
      const result = wholeOf(await send(gateway, { body: bodyOf("responses", more) }));
      assert.equal(result.model, outer, JSON.stringify(more));
    }
  });
});

Deno.test("members that cannot be reached are replaced, each by another, and the metadata names them", async () => {
  const models = ["alpha/mock", "beta/mock", "gamma/mock"];
  await withFusion({ models }, async ({ gateway, plan, sentTo }) => {
    const tools = [fusionTool(["alpha/mock", "nobody/one", "~nobody/two-latest"])];
    plan({});
    const headers = { "x-service-metadata": "enabled" };
    const body = { model: "outer/mock", input: "Hi", tools };
    const result = wholeOf(await send(gateway, { headers, body }));
    const asked = asList(itemsOf(result)[0]?.responses).map((one) => asObject(one).model);
    assert.equal(new Set(asked).size, 3);
    assert(!asked.includes("nobody/one"));
    const stage = asList(asObject(result.service_metadata).pipeline).map(asObject)
      .find(({ name }) => name === "fusion");
    const replaced = asList(asObject(stage?.data).replaced).map(asObject);
    assert.deepEqual(replaced.map(({ model }) => model), ["nobody/one", "~nobody/two-latest"]);
    assert(replaced.every(({ by, evidence }) => asked.includes(by) && evidence === "price"));
    for (const { by } of replaced) assert.equal(sentTo(String(by)).length >= 1, true);
    const only = { only: ["nobody"] };
    const none = await send(gateway, { body: { ...body, provider: only } });
    assert.equal(none.status, 404, none.text);
  });
});

Deno.test("tools that no model of a run gets are named in its stage", async () => {
  await withFusion({}, async ({ gateway, plan, sentTo }) => {
    plan({});
    const inner = ["openrouter:datetime", "service:advisor", "openrouter:fusion", "mcp", "__proto__", "nope"];
    const tools = [{
      type: "service:fusion",
      parameters: { analysis_models: ["alpha/mock"], tools: inner.map((type) => ({ type })) },
    }];
    const headers = { "x-service-metadata": "enabled" };
    const result = wholeOf(
      await send(gateway, { headers, body: { model: "outer/mock", input: "Hi", tools } }),
    );
    const stage = asList(asObject(result.service_metadata).pipeline).map(asObject)
      .find(({ name }) => name === "fusion");
    assert.deepEqual(asObject(stage?.data).left_out_tools, inner.slice(1));
    const [call] = sentTo("alpha/mock");
    assert.match(JSON.stringify(call), /datetime/);
    assert.doesNotMatch(JSON.stringify(call), /advisor|__proto__|nope/);
  });
});

Deno.test("disabled server tools are 403 where a run is to have them, and left out of its own", async () => {
  await withFusion({}, async ({ gateway, plan, sentTo }) => {
    const { status } = await managed(gateway, {
      call: "PATCH /workspaces/default",
      body: { disabled_server_tools: ["openrouter:web_search"] },
    });
    assert.equal(status, 200);
    const inner = (type: string) => ({ tools: [{ type }] });
    for (const type of ["web_search", "service:web_search", "openrouter:web_search"]) {
      const bodies = [
        { model: "outer/mock", tools: [fusionTool(PANEL, inner(type))] },
        { plugins: [{ ...plugin, ...inner(type) }] },
        { model: "outer/mock", tools: [fusionTool(PANEL)], plugins: [{ ...plugin, ...inner(type) }] },
      ];
      for (const api of apis) {
        for (const body of api === "responses" ? bodies : bodies.slice(1, 2)) {
          plan({});
          const sent = await send(gateway, { api, body: bodyOf(api, body) });
          assert.equal(sent.status, 403, sent.text);
          assert(sent.text.includes(`disabled the server tool ${type}`), sent.text);
          assert.equal(sentTo("outer/mock").length, 0);
        }
      }
    }
    plan({});
    const sent = await send(gateway, { body: bodyOf("responses") });
    assert.equal(wholeOf(sent).status, "completed");
    const offered = JSON.stringify(sentTo("alpha/mock")[0]?.tools);
    assert(offered.includes("web_fetch") && !offered.includes("web_search"), offered);
  });
});

Deno.test("a request of a run of another gateway's is not offered the tool, and calls of a run say their depth", async () => {
  await withFusion({}, async ({ gateway, plan, sentTo, mock }) => {
    plan({ outer: () => [says("Hello.")] });
    const headers = { "x-openrouter-fusion-depth": "1" };
    for (const model of ["openrouter/fusion", "outer/mock"]) {
      const tools = model === "outer/mock" ? [fusionTool(PANEL)] : undefined;
      const sent = await send(gateway, { headers, body: bodyOf("responses", { model, tools }) });
      assert.equal(wholeOf(sent).model, "outer/mock");
      assert.match(
        sent.headers.get("x-tollgate-notes") ?? "",
        /fusion is left out: the request is a part of a run/,
      );
    }
    assert(sentTo("outer/mock").every((body) => body.tools === undefined));
    plan({});
    const before = mock.requests.length;
    wholeOf(await send(gateway, { body: bodyOf("responses") }));
    const depths = mock.requests.slice(before).map((one) => one.headers["x-openrouter-fusion-depth"]);
    assert.deepEqual(depths, [undefined, "1", "1", "1", undefined]);
  });
});

Deno.test("a slug among models brings the tool for itself alone", async () => {
  await withFusion(
    { models: ["alpha/mock", "beta/mock", "down/mock-500"] },
    async ({ gateway, plan, sentTo }) => {
      plan({});
      const models = ["down/mock-500", "openrouter/fusion"];
      const result = wholeOf(
        await send(gateway, { body: bodyOf("responses", { model: undefined, models }) }),
      );
      assert.equal(result.model, "outer/mock");
      assert.equal(itemsOf(result)[0]?.type, "openrouter:fusion");
      assert.equal(sentTo("down/mock-500")[0]?.tools, undefined);
    },
  );
});

Deno.test("with the built-in models alone the slug answers, and says on which evidence", async () => {
  await withFusion(
    { models: [], facts: { "outer/mock": { hidden: true } }, env: { TOLLGATE_LOCAL: "on" } },
    async ({ gateway }) => {
      const headers = { "x-service-metadata": "enabled" };
      const body = { model: "openrouter/fusion", input: "Use the fusion tool with: {}" };
      const result = wholeOf(await send(gateway, { headers, body }));
      assert.equal(result.status, "completed");
      const text = JSON.stringify(result.service_metadata);
      assert.match(text, /"strategy":"fusion"/);
      assert.match(text, /"evidence":"price"/);
    },
  );
});

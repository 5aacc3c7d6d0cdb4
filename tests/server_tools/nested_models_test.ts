/** Models of nested runs: routers, memories that are too long, and damaged requests on every API. */

import assert from "node:assert/strict";
import { mutatedFrom } from "../fuzz/mutate.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";
import { bodyFor, nestedTool, planBoth } from "./nested_rig.ts";
import { apis, calls, outputOf, paths, says, send, withTools } from "./rig.ts";

const model = "mock/chat";
const ask = (kind: "advisor" | "subagent") => (turn: number) =>
  turn === 0 ? [calls(kind, { args: { prompt: "?", task_description: "?" } })] : [says("Done.")];

Deno.test("a router may be the model of a run", async () => {
  await withTools({}, async (rig) => {
    for (const kind of ["advisor", "subagent"] as const) {
      planBoth(rig, { outer: ask(kind) });
      const tools = [nestedTool(kind, { model: "openrouter/auto" })];
      const [item] = outputOf(await send(rig.gateway, { body: bodyFor("responses", { model, tools }) }));
      assert.equal(item?.status, "completed", JSON.stringify(item));
      assert.match(String(item?.model), /^mock\//);
    }
  });
});

Deno.test("of a memory that is too long for the advisor's model the middle is left out", async () => {
  await withTools({ model: (wire) => wire === "messages" ? { context_length: 6_000 } : {} }, async (rig) => {
    planBoth(rig, { outer: ask("advisor") });
    const before = Array.from({ length: 40 }, (_, at) => ({
      type: "openrouter:advisor",
      id: `st_old_1_${at}`,
      status: "completed",
      call_id: `call_old_${at}`,
      arguments: JSON.stringify({ prompt: `Question ${at}?` }),
      prompt: `Question ${at}?`,
      advice: `Advice ${at}: ${"wait and see. ".repeat(100)}`,
    }));
    const tools = [nestedTool("advisor", { model: "mock/messages", max_completion_tokens: 100 })];
    const body = {
      ...bodyFor("responses", { model, tools }),
      input: [{ role: "user", content: "Go" }, ...before],
    };
    const [item] = outputOf(await send(rig.gateway, { body }));
    assert.equal(item?.status, "completed", JSON.stringify(item));
    const messages = JSON.stringify(asList(rig.taken("messages")[0]?.messages));
    assert(messages.includes("Advice 39:") && !messages.includes("Advice 20:"));
  });
});

const count = runs(400);

Deno.test("damaged requests with such tools on every API are no fault of the gateway's", async () => {
  await withTools({}, async (rig) => {
    planBoth(rig, {
      outer: (turn) => turn % 2 === 0 ? [calls("advisor", { args: { prompt: "?" } })] : [says("Done.")],
    });
    const tools: readonly Json[] = [
      nestedTool("advisor", { model: "mock/messages", name: "A", forward_transcript: true }),
      nestedTool("advisor", { model: "mock/gemini" }),
      nestedTool("subagent", { tools: [{ type: "service:datetime" }], max_tool_calls: 3 }),
    ];
    const anthropic = {
      type: "advisor_20260301",
      name: "advisor",
      model: "mock/gemini",
      max_uses: 2,
      max_tokens: 99,
    };
    const use = {
      type: "server_tool_use",
      id: "srvtoolu_gateway_call_1",
      name: "advisor",
      input: { prompt: "?" },
    };
    const content = { type: "advisor_result", text: "Wait.", stop_reason: "end_turn" };
    const history = [
      { role: "user", content: "Go" },
      { role: "assistant", content: [use, { type: "advisor_tool_result", tool_use_id: use.id, content }] },
      { role: "user", content: "On" },
    ];
    for (const api of apis) {
      const corpus = [bodyFor(api, { model, tools }), bodyFor(api, { model, tools, stream: true })];
      if (api === "messages") {
        corpus.push(
          bodyFor(api, { model, tools: [anthropic] }),
          bodyFor(api, { model, tools: [anthropic], messages: history }),
        );
      }
      const texts = corpus.map((body) => JSON.stringify(body));
      for (const { text, done } of mutatedFrom({ seed, count, corpus: texts })) {
        const response = await fetch(rig.gateway.url + paths[api], {
          method: "POST",
          headers: { authorization: `Bearer ${rig.gateway.apiKey}`, "content-type": "application/json" },
          body: text,
        });
        await response.text();
        assert(response.status < 500, `${api} ${response.status} ${done.join(", ")} ${text}`);
      }
    }
    assert.deepEqual(rig.gateway.logged.filter((line) => asObject(JSON.parse(line)).level === "error"), []);
  });
});

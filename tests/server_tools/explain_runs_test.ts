/** `POST /v1/route/explain` shows what runs of advisors and subagents reserve, and what is known of MCP servers. */

import assert from "node:assert/strict";
import { receiptOf } from "../money/rig.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { explainedFor, heldWhile, nano } from "../support/held.ts";
import { createKey } from "../support/manage.ts";
import { nestedTool, planBoth } from "./nested_rig.ts";
import { calls, says, send, type ToolRig, upstreamWires, wholeOf, withTools } from "./rig.ts";

const OUTPUT = 120;
const longest = "x".repeat(OUTPUT);

interface Case {
  readonly name: string;
  readonly tool: Json;
  readonly call: string;
  readonly args: Json;
  readonly model?: string;
  /** Items of the conversation before. */
  readonly before?: readonly Json[];
}

const advice = {
  type: "openrouter:advisor",
  id: "st_1",
  status: "completed",
  call_id: "call_0",
  prompt: "Left or right?",
  advice: "Left.",
};

const cases: readonly Case[] = [
  {
    name: "advisor",
    tool: nestedTool("advisor", { model: "mock/gemini-stall" }),
    call: "advisor",
    args: { prompt: longest },
  },
  {
    name: "advisor with a memory",
    tool: nestedTool("advisor", { model: "mock/gemini-stall", max_completion_tokens: 77 }),
    call: "advisor",
    args: { prompt: longest },
    before: [{ role: "user", content: "Before." }, advice],
  },
  {
    name: "advisor with the transcript",
    tool: nestedTool("advisor", { model: "mock/gemini-stall", forward_transcript: true }),
    call: "advisor",
    args: { prompt: longest },
  },
  {
    name: "named advisor",
    tool: nestedTool("advisor", { name: "my friend", model: "mock/bedrock-stall" }),
    call: "advisor_my_friend",
    args: { prompt: longest },
    model: "mock/bedrock-stall",
  },
  {
    name: "subagent",
    tool: nestedTool("subagent", { model: "mock/gemini-stall", tools: [{ type: "openrouter:datetime" }] }),
    call: "subagent",
    args: { task_description: longest },
  },
];

async function checkCase({ gateway, mock, ...rig }: ToolRig, one: Case): Promise<void> {
  const { name, tool, call, args, model = "mock/gemini-stall", before = [] } = one;
  const { key } = await createKey(gateway, { limit: 10_000 });
  const body = {
    model: "mock/chat",
    input: [...before, { role: "user", content: "Do it." }],
    tools: [tool],
    max_output_tokens: OUTPUT,
  };
  const { reservation } = await explainedFor({ gateway, key }, body);
  const [run, ...more] = asList(asObject(reservation).runs).map(asObject);
  assert.deepEqual([run?.tool, run?.model, run?.most_runs, more], [call, model, 16, []], name);
  planBoth(rig, { outer: (turn) => turn === 0 ? [calls(call, { args })] : [says("Done.")] });
  const isAsked = () =>
    upstreamWires.some((wire) => mock(wire).open() === 1) && rig.taken("chat").length === 1;
  const held = await heldWhile({ gateway, key, model: "mock/messages", body, isAsked });
  assert.equal(nano(run?.reserved_usd), held, name);
  assert(held > 0);
}

Deno.test("explain shows what the call of each run reserves", async () => {
  await withTools({}, async (rig) => {
    for (const one of cases) await checkCase(rig, one);
  });
});

Deno.test("explain shows each tool that starts runs, by the model that it would ask", async () => {
  await withTools({}, async ({ gateway }) => {
    const tools = [
      nestedTool("advisor"),
      nestedTool("advisor", { name: "other", model: "mock/gemini" }),
      nestedTool("subagent", { model: "acme/unknown" }),
      { type: "openrouter:datetime" },
    ];
    const { reservation } = await explainedFor({ gateway, key: gateway.apiKey }, {
      model: "mock/chat",
      input: "Hi",
      tools,
    });
    const runs = asList(asObject(reservation).runs).map(asObject);
    assert.deepEqual(runs.map(({ tool, model }) => [tool, model]), [
      ["advisor", "mock/chat"],
      ["advisor_other", "mock/gemini"],
      ["subagent", "acme/unknown"],
    ]);
    assert(Number(runs[0]?.reserved_usd) > 0);
    assert.equal(runs[2]?.reserved_usd, null, "a model that nobody has");
    const plain = await explainedFor({ gateway, key: gateway.apiKey }, { model: "mock/chat", input: "Hi" });
    assert.equal(asObject(plain.reservation).runs, undefined);
    assert.equal(plain.mcp_servers, undefined);
  });
});

const listing = {
  type: "mcp_list_tools",
  id: "mcpl_1",
  server_label: "docs",
  tools: [
    { name: "search", description: "Searches.", input_schema: { type: "object", properties: {} } },
    { name: "read", description: "Reads.", input_schema: { type: "object", properties: {} } },
  ],
};
const server = {
  type: "mcp",
  server_label: "docs",
  server_url: "https://mcp.example.com/mcp",
  require_approval: "never",
};

Deno.test("explain tells who calls MCP servers, and reserves for the tools of a listing that is brought back", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    const { key } = await createKey(gateway, { limit: 10_000 });
    const bodyOf = (model: string, input: readonly Json[]): Json => ({
      model,
      input,
      tools: [server],
      max_output_tokens: 50,
    });
    const asking = { role: "user", content: "Look it up." };
    const native = await explainedFor({ gateway, key }, bodyOf("mock/responses", [asking]));
    assert.deepEqual(native.mcp_servers, [{ server_label: "docs", called_by: "provider" }]);
    const unknown = await explainedFor({ gateway, key }, bodyOf("mock/chat", [asking]));
    assert.deepEqual(unknown.mcp_servers, [{ server_label: "docs", called_by: "gateway", tools: null }]);
    const body = bodyOf("mock/chat", [asking, listing]);
    const listed = await explainedFor({ gateway, key }, body);
    assert.deepEqual(listed.mcp_servers, [{
      server_label: "docs",
      called_by: "gateway",
      tools: ["search", "read"],
    }]);
    plan(() => [says("Done.")]);
    const sent = await send(gateway, { key, body });
    wholeOf(sent);
    const { reserved } = await receiptOf(gateway, sent);
    assert.equal(nano(asObject(listed.reservation).reserved_usd), reserved);
    assert.notEqual(nano(asObject(unknown.reservation).reserved_usd), reserved);
  });
});

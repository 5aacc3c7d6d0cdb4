/**
 * `deno run -A --config tests/deno.json tests/bench/tool_calls.ts [ROUNDS]`: in so many rounds (100), in turn, a call of
 * an MCP server made directly and one in a request; a request that asks an advisor, and plain ones. Everything runs in
 * one process, with models that answer at once and after 50 ms. What a tool adds is the time of its request without
 * that of the plain requests that its turns are; the listing of the MCP server is kept. Figures of one run can be compared.
 */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { mcpTool, named, serverOf, startMcp } from "../mcp/rig.ts";
import { mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { chatChunk, scripted, sse } from "../support/scripted.ts";
import { paired, spread } from "./stats.ts";
import { render, show } from "./table.ts";

const ROUNDS = Number(Deno.args[0] ?? 100);
const HEAT = 20;

const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };

/** Calls the tool that a request has, once, and else says a text; after so many milliseconds. */
const modelOf = (ms: () => number) =>
  scripted(async ({ body }) => {
    if (ms() > 0) await new Promise((resolve) => setTimeout(resolve, ms()));
    const text = JSON.stringify(body);
    const [name, args] = text.includes('"name":"echo"')
      ? ["echo", { text: "Hi" }]
      : ["advisor", { prompt: "Left?" }];
    const isCalling = text.includes(`"name":"${name}"`) && !text.includes('"role":"tool"');
    const call = {
      index: 0,
      id: "call_1",
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    };
    return sse([
      chatChunk({
        delta: isCalling ? { role: "assistant", tool_calls: [call] } : { role: "assistant", content: "Go." },
      }),
      chatChunk({ delta: {}, finish_reason: isCalling ? "tool_calls" : "stop" }),
      chatChunk(undefined, usage),
      "data: [DONE]\n\n",
    ]);
  });

let delay = 0;
await using stack = new AsyncDisposableStack();
const upstream = modelOf(() => delay);
stack.defer(() => upstream.close());
const server = stack.use(startMcp(serverOf([named("echo")])));
const gateway = stack.use(
  await startGateway({
    providers: [providerAt(upstream.baseUrl, { wire: "chat", models: [{ ...mockModel, id: "mock/model" }] })],
    file: { fetch: { allowed_hosts: [new URL(server.url).host] } },
  }),
);
const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "auto" } });
await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
stack.defer(() => client.close());

async function request(tools: readonly object[]): Promise<void> {
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "mock/model", input: "Go left or right?", stream: true, tools }),
  });
  const text = await response.text();
  if (!text.includes('"status":"completed"')) throw new Error(text);
}

const ways = {
  direct: () => client.callTool({ name: "echo", arguments: { text: "Hi" } }),
  plain: () => request([]),
  mcp: () => request([mcpTool(server)]),
  advisor: () => request([{ type: "service:advisor" }]),
} as const;
type Way = keyof typeof ways;
const order: readonly Way[] = ["direct", "plain", "mcp", "advisor"];

async function timesOf(rounds: number): Promise<Readonly<Record<Way, number[]>>> {
  const times: Record<Way, number[]> = { direct: [], plain: [], mcp: [], advisor: [] };
  for (let round = 0; round < rounds; round++) {
    for (const way of order) {
      const began = performance.now();
      await ways[way]();
      times[way].push(performance.now() - began);
    }
  }
  return times;
}

await timesOf(HEAT);
for (const ms of [0, 50]) {
  delay = ms;
  const { direct, plain, mcp, advisor } = await timesOf(ROUNDS);
  const added = (of: readonly number[]) => paired(of, plain, { combine: (own, one) => own - 2 * one });
  const [call, run, one] = [added(mcp).median, added(advisor).median, spread(plain).median];
  const bound = 3 * spread(direct).median + 5;
  console.log(`\nmodels answer after ${ms} ms; milliseconds, median (smallest and largest) of ${ROUNDS}`);
  console.log(render([
    ["what", "ms", "aim"],
    ["MCP call, direct", show(spread(direct)), ""],
    ["MCP call, added to two requests", show(added(mcp)), `at most ${bound.toFixed(1)}: ${call <= bound}`],
    ["plain request", show(spread(plain)), ""],
    [
      "advisor, added to two requests",
      show(added(advisor)),
      `at most ${(1.3 * one).toFixed(1)}: ${run <= 1.3 * one}`,
    ],
  ]));
}

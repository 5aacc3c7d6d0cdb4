/**
 * Damaged requests with server tools, and damaged arguments of the model's: each is answered, none is our fault.
 * `SEED` chooses others, and `TOLLGATE_TEST_RUNS` how many.
 */

import assert from "node:assert/strict";
import { type Random, seeded } from "../fuzz/random.ts";
import { mutatedFrom, type MutatedRequest } from "../fuzz/mutate.ts";
import { askInside } from "../support/call.ts";
import { asObject, checkStream, type Json, parseStream } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { SEARCH_KEY, startSearchMock } from "../mocks/search_upstream.ts";
import { calls, says, send, type Turns, wholeOf, withTools } from "./rig.ts";
import { hits } from "./web_rig.ts";
import { seed } from "../support/seed.ts";
import { runs } from "../support/property.ts";

const count = runs(2_000);

const model = "local/echo";
const later = {
  type: "function",
  name: "get_weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } } },
  defer_loading: true,
};
const now = { type: "function", name: "now" };
const patch = JSON.stringify({ operation: { type: "create_file", path: "a.txt", diff: "+a" } });

/** Each tool with each of its options, flat and under `parameters`, called, forced, limited, and brought back. */
const corpus: readonly Json[] = [
  {
    model,
    input: 'Use the datetime tool with: {"timezone": "Europe/Rome"}',
    tools: [{ type: "service:datetime", parameters: { timezone: "Asia/Tokyo" } }],
    max_tool_calls: 3,
    stream: true,
  },
  {
    model,
    input: 'Use the search_models tool with: {"query": "echo", "max_results": 3}',
    tools: [{ type: "openrouter:experimental__search_models", max_results: 5 }],
    tool_choice: "required",
    parallel_tool_calls: false,
  },
  {
    model,
    input: 'Use the tool_search tool with: {"query": "weather"}',
    tools: [{ type: "service:tool_search", max_results: 5 }, later, now],
    stop_server_tools_when: [
      { type: "step_count_is", step_count: 2 },
      { type: "has_tool_call", tool_name: "get_weather" },
      { type: "max_tokens_used", max_tokens: 10_000 },
      { type: "max_cost", max_cost_in_dollars: 1 },
      { type: "finish_reason_is", reason: "length" },
    ],
    stream: true,
  },
  {
    model,
    input: `Use the apply_patch tool with: ${patch}`,
    tools: [{ type: "service:apply_patch", engine: "container" }],
    tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "service:apply_patch" }] },
  },
  {
    model,
    input: 'Use the bash tool with: {"command": "echo 1", "timeout_ms": 1000, "max_output_length": 100}',
    tools: [
      {
        type: "openrouter:bash",
        engine: "openrouter",
        environment: {
          type: "container_auto",
          file_ids: [],
          network_policy: { type: "allowlist", allowed_domains: ["example.com"] },
        },
        sleep_after_seconds: 60,
      },
      {
        type: "service:shell",
        parameters: { environment: { type: "container_reference", container_id: "sess_a_b" } },
      },
      { type: "code_interpreter", container: { type: "auto", file_ids: [], memory_limit: "1g" } },
    ],
    include: ["code_interpreter_call.outputs"],
    session_id: "a session",
  },
  {
    model,
    input: [
      { role: "user", content: "List." },
      {
        type: "shell_call",
        id: "s",
        call_id: "call_3",
        status: "completed",
        action: { commands: ["ls"], timeout_ms: null, max_output_length: null },
      },
      {
        type: "shell_call_output",
        id: "o",
        call_id: "call_3",
        status: "completed",
        output: [{ stdout: "a", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
        container_id: "sess_a_b",
        files: [],
      },
    ],
    tools: [{ type: "shell" }],
  },
  {
    model,
    input: 'Use the image_generation tool with: {"prompt": "A house"}',
    tools: [{ type: "service:image_generation", parameters: { model: "local/echo", quality: "low" } }],
    tool_choice: { type: "service:image_generation" },
    max_output_tokens: 500,
  },
  {
    model,
    input: 'Use the advisor tool with: {"prompt": "Left or right?", "model": "local/reasoner"}',
    tools: [
      {
        type: "openrouter:advisor",
        parameters: {
          instructions: "Be brief.",
          stream: true,
          max_completion_tokens: 100,
          temperature: 0.5,
          reasoning: { effort: "low", max_tokens: 50 },
        },
      },
      { type: "service:advisor", name: "Legal aid", model: "local/echo", forward_transcript: true },
    ],
    tool_choice: { type: "service:advisor" },
    stream: true,
  },
  {
    model,
    input:
      'Use the subagent tool with: {"task_name": "Time", "task_description": "Use the datetime tool with: {}"}',
    tools: [
      {
        type: "service:subagent",
        parameters: {
          model: "local/echo",
          instructions: "Work.",
          tools: [{ type: "service:datetime", parameters: { timezone: "UTC" } }, { type: "service:advisor" }],
          max_tool_calls: 2,
          max_completion_tokens: 100,
          inherit_functions: false,
          inherited_function_names: [],
        },
      },
    ],
    max_tool_calls: 3,
  },
  {
    model,
    input: [
      { role: "user", content: 'Use the advisor tool with: {"prompt": "And now?"}' },
      {
        type: "openrouter:advisor",
        id: "st_1_1_0",
        status: "completed",
        call_id: "call_1",
        arguments: '{"prompt":"Left?"}',
        model: "local/echo",
        prompt: "Left?",
        advice: "Wait.",
        instance_name: "A",
      },
      {
        type: "service:subagent",
        id: "st_1_2_0",
        status: "failed",
        call_id: "call_2",
        arguments: '{"task_description":"Look."}',
        task_description: "Look.",
        error: "No.",
      },
      { role: "user", content: "Thanks" },
    ],
    tools: [{ type: "openrouter:advisor", name: "A" }, { type: "service:subagent", name: "A" }],
  },
  {
    model,
    input: [
      { role: "user", content: "What time is it?" },
      {
        type: "service:datetime",
        id: "st_1_1_0",
        status: "completed",
        call_id: "call_1",
        arguments: '{"timezone":"UTC"}',
        datetime: "2026-01-02T03:04:05Z",
        timezone: "UTC",
      },
      { type: "tool_search_call", id: "t", call_id: "c", arguments: { query: "x" }, status: "completed" },
      {
        type: "apply_patch_call",
        id: "p",
        call_id: "call_2",
        status: "completed",
        operation: { type: "delete_file", path: "a" },
      },
      { type: "apply_patch_call_output", call_id: "call_2", status: "completed", output: "Done" },
      { type: "image_generation_call", id: "i", status: "completed", result: "aGk=" },
      { role: "user", content: "Thanks" },
    ],
    tools: [
      { type: "service:datetime" },
      { type: "tool_search" },
      { type: "apply_patch" },
      { type: "image_generation", size: "auto" },
    ],
  },
];

async function judge(gateway: Gateway, { text }: MutatedRequest): Promise<number> {
  const response = await askInside(gateway, text);
  const body = await response.text();
  if (response.status !== 200) {
    const { error } = asObject(JSON.parse(body));
    const { code, message } = asObject(error);
    assert([400, 403, 404, 413, 422].includes(response.status), body);
    assert.equal(code, response.status);
    assert(typeof message === "string" && message.length < 5_000 && message.isWellFormed());
    return response.status;
  }
  const isWhole = response.headers.get("content-type") === "application/json";
  const { status, error } = isWhole ? asObject(JSON.parse(body)) : checkStream(parseStream(body));
  assert(status === "completed" || status === "incomplete", JSON.stringify(error));
  return 200;
}

async function sendDamaged(gateway: Gateway, bodies: readonly Json[]): Promise<void> {
  const texts = bodies.map((body) => JSON.stringify(body));
  for (const text of texts) assert.equal(await judge(gateway, { text, done: [] }), 200, text);
  const seen = new Map<number, number>();
  for (const mutated of mutatedFrom({ seed, count, corpus: texts })) {
    try {
      const status = await judge(gateway, mutated);
      seen.set(status, (seen.get(status) ?? 0) + 1);
    } catch (cause) {
      throw new Error(`SEED=${seed}: ${mutated.done.join(", ")}\n${mutated.text}`, { cause });
    }
  }
  for (const status of [200, 400]) assert((seen.get(status) ?? 0) > count / 100, JSON.stringify([...seen]));
  assert(!("polluted" in {}));
  assert.deepEqual(gateway.logged.filter((line) => line.includes('"level":"error"')), []);
}

const env = { TOLLGATE_LOCAL: "on", LOG_LEVEL: "warn" };

Deno.test("damaged requests with server tools are answered without a fault of the gateway's", async () => {
  await using gateway = await startGateway({ env });
  await sendDamaged(gateway, corpus);
});

const webCorpus: readonly Json[] = [
  {
    model,
    input: 'Use the web_search tool with: {"query": "news"}',
    tools: [{
      type: "service:web_search",
      parameters: {
        engine: "exa",
        mode: "deep",
        max_results: 12,
        max_total_results: 20,
        max_uses: 2,
        max_characters: 500,
        search_context_size: "low",
        allowed_domains: ["a.example", "*.b.example/docs"],
        user_location: { type: "approximate", country: "DE", city: "Köln", timezone: "Europe/Berlin" },
      },
    }],
    stream: true,
  },
  {
    model,
    input: 'Use the web_fetch tool with: {"url": "https://127.0.0.1/"}',
    tools: [{
      type: "openrouter:web_fetch",
      engine: "openrouter",
      max_uses: 3,
      max_content_tokens: 100,
      allowed_domains: ["127.0.0.1"],
      blocked_domains: ["b.example"],
    }],
    tool_choice: { type: "openrouter:web_fetch" },
  },
  {
    model,
    input: [
      { role: "user", content: "News?" },
      {
        type: "service:web_search",
        id: "st_1_1_0",
        status: "completed",
        call_id: "call_1",
        arguments: '{"query":"news"}',
        action: { type: "search", query: "news", sources: [{ type: "url", url: "https://a.example/" }] },
        output: '{"results":[]}',
      },
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } },
      {
        type: "openrouter:web_fetch",
        id: "st_1_1_1",
        status: "completed",
        url: "https://a.example/",
        title: "A",
        content: "text",
        httpStatus: 200,
      },
      { role: "user", content: "Thanks" },
    ],
    tools: [
      { type: "web_search", filters: { allowed_domains: ["a.example"] }, search_context_size: "medium" },
      { type: "service:web_fetch" },
    ],
  },
];

Deno.test("damaged requests with search and fetch are answered without a fault of the gateway's", async () => {
  await using engine = startSearchMock("exa", { hits });
  const search = { exa: { base_url: engine.url } };
  await using gateway = await startGateway({ env: { ...env, EXA_API_KEY: SEARCH_KEY }, file: { search } });
  await sendDamaged(gateway, webCorpus);
  assert(engine.requests.length > count / 20, `${engine.requests.length} searches were made`);
});

const names = ["datetime", "search_models", "tool_search", "apply_patch", "image_generation", "web_fetch"];
const keys = [
  "timezone",
  "query",
  "url",
  "prompt",
  "operation",
  "max_results",
  "__proto__",
  "constructor",
  "path",
];
const values = [null, true, 0, -1, 1e300, "", "Europe/Rome", "\ud800", "../../x", "x".repeat(70_000), [], {}];

function damagedArguments(random: Random): string {
  const fields = Array.from({ length: random.below(4) }, () => {
    const value = random.pick([...values, { type: random.pick(values), path: random.pick(values) }]);
    return `${JSON.stringify(random.pick(keys))}:${JSON.stringify(value)}`;
  });
  const text = `{${fields.join(",")}}`;
  return random.below(6) === 0 ? text.slice(0, random.below(text.length + 1)) : text;
}

Deno.test("damaged arguments of the model's are results, and it goes on", async () => {
  const random = seeded(seed + 1);
  await withTools({ env: { LOG_LEVEL: "warn" } }, async ({ gateway, plan }) => {
    const talking: Turns = (_turn, body) => {
      if (JSON.stringify(body).includes("call_0")) return [says("Done.")];
      return Array.from(
        { length: 5 },
        (_, at) => calls(random.pick(names), { args: damagedArguments(random), id: `call_${at}` }),
      );
    };
    const tools = names.map((name) => ({
      type: `service:${name}`,
      ...(name === "image_generation" ? { model: "mock/chat" } : {}),
    }));
    for (let request = 0; request < count / 20; request++) {
      plan(talking);
      const result = wholeOf(
        await send(gateway, { body: { model: "mock/responses", input: "Go.", tools: [...tools, later] } }),
      );
      assert.equal(result.status, "completed", JSON.stringify(result.error));
    }
    assert.deepEqual(gateway.logged.filter((line) => line.includes('"level":"error"')), []);
  });
});

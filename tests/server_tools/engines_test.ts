/** Engines of bash, shell and apply_patch: who runs a call, and what each API shows of it, whole and streamed. */

import assert from "node:assert/strict";
import { keeperEnvironment } from "../../server/config/process/keeper_environment.ts";
import { startKeeper } from "../../server/sandbox/keeper/start_keeper.ts";
import type { Json } from "../mocks/published.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { linesLogger } from "../support/reader.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import {
  type Api,
  apis,
  calls,
  eventsOf,
  itemsOf,
  responseOf,
  resultOf,
  says,
  send,
  type ToolRig,
  withTools,
} from "./rig.ts";
import { price, upstreamWires, wholeOf } from "./rig.ts";

const QUESTION = "Do it.";
let files = 0;
const createFile = () => ({ type: "create_file", path: `made_${files++}.txt`, diff: "+planted text" });
const patch = createFile();
const command = { command: "echo planted$((40 + 2))" };

interface Row {
  readonly tool: "bash" | "shell" | "apply_patch";
  readonly engine?: "auto" | "native" | "openrouter" | "container";
  readonly runs: "client" | "container";
}

const rows: readonly Row[] = [
  { tool: "bash", runs: "client" },
  { tool: "bash", engine: "auto", runs: "client" },
  { tool: "bash", engine: "native", runs: "client" },
  { tool: "bash", engine: "openrouter", runs: "container" },
  { tool: "bash", engine: "container", runs: "container" },
  { tool: "shell", runs: "container" },
  { tool: "shell", engine: "auto", runs: "container" },
  { tool: "shell", engine: "openrouter", runs: "container" },
  { tool: "apply_patch", runs: "client" },
  { tool: "apply_patch", engine: "auto", runs: "client" },
  { tool: "apply_patch", engine: "native", runs: "client" },
  { tool: "apply_patch", engine: "openrouter", runs: "client" },
  { tool: "apply_patch", engine: "container", runs: "container" },
];

const argsOf: Readonly<Record<Row["tool"], () => Json>> = {
  bash: () => command,
  shell: () => ({ commands: [command.command] }),
  apply_patch: createFile,
};

const messages = [{ role: "user", content: QUESTION }];
const toolOf = ({ tool, engine }: Row): Json => ({
  type: `service:${tool}`,
  ...(engine === undefined ? {} : { engine }),
});

interface Case {
  readonly row: Row;
  readonly api: Api;
  readonly stream: boolean;
}

function bodyOf({ row, api, stream }: Case): Json {
  const conversation = api === "responses" ? { input: messages } : { messages, max_tokens: 1_000 };
  return { model: "mock/chat", tools: [toolOf(row)], stream, session_id: "s", ...conversation };
}

/** The call that the client has to answer, by its API; undefined where there is none. */
function clientCall({ api, stream, row }: Case, sent: Awaited<ReturnType<typeof send>>): Json | undefined {
  if (api === "responses") {
    const result = responseOf(sent);
    const item = itemsOf(result).at(-1);
    return item?.type === `service:${row.tool}` && item.output === undefined
      ? { id: item.call_id, name: row.tool, args: JSON.parse(String(item.arguments)) }
      : undefined;
  }
  if (!stream) return wholeCall(api, wholeOf(sent));
  return api === "chat" ? streamedChatCall(eventsOf(sent)) : streamedMessagesCall(eventsOf(sent));
}

function wholeCall(api: Api, body: Json): Json | undefined {
  if (api === "chat") {
    const [call] = asList(asObject(asObject(asList(body.choices)[0]).message).tool_calls ?? []).map(asObject);
    const { name, arguments: text } = asObject(call?.function ?? {});
    return call && { id: call.id, name, args: JSON.parse(String(text)) };
  }
  const use = asList(body.content).map(asObject).find(({ type }) => type === "tool_use");
  return use && { id: use.id, name: use.name, args: use.input };
}

function streamedChatCall(events: readonly Json[]): Json | undefined {
  const deltas = events.flatMap(({ choices }) =>
    asList(choices ?? []).map((one) => asObject(asObject(one).delta))
  );
  const parts = deltas.flatMap(({ tool_calls }) => asList(tool_calls ?? []).map(asObject));
  const functions = parts.map((one) => asObject(one.function));
  const text = functions.map((one) => one.arguments ?? "").join("");
  return parts[0] && { id: parts[0].id, name: functions[0]?.name, args: JSON.parse(text) };
}

function streamedMessagesCall(events: readonly Json[]): Json | undefined {
  const begun = events.map(({ content_block }) => asObject(content_block ?? {}))
    .find(({ type }) => type === "tool_use");
  const text = events.map(({ delta }) => asObject(delta ?? {}).partial_json ?? "").join("");
  return begun && { id: begun.id, name: begun.name, args: JSON.parse(text) };
}

async function checkCase({ gateway, plan, taken }: ToolRig, one: Case): Promise<void> {
  const { row, api } = one;
  const name = JSON.stringify(one);
  const args = argsOf[row.tool]();
  plan((turn) => turn === 0 ? [calls(row.tool, { args, id: "call_1" })] : [says("Done.")]);
  const sent = await send(gateway, { api, body: bodyOf(one) });
  const call = clientCall(one, sent);
  if (row.runs === "client") {
    assert.deepEqual(call, { id: "call_1", name: row.tool, args }, name);
    assert.equal(taken("chat").length, 1, `${name}: nothing was run, and the model was asked once`);
    return;
  }
  assert.equal(call, undefined, name);
  assert.equal(taken("chat").length, 2, `${name}: it was run, and the model read the result`);
  const told = JSON.stringify(taken("chat").at(-1)?.messages);
  assert.ok(told.includes(row.tool === "apply_patch" ? "completed" : "planted42"), told);
}

for (const api of apis) {
  Deno.test(`each engine has the client or the container run the call (${api})`, async () => {
    const keeper = startKeeper({ clock: tickingClock(), log: linesLogger([]), env: keeperEnvironment() });
    try {
      await withTools({ keeper }, async (rig) => {
        for (const row of rows) {
          for (const stream of [false, true]) await checkCase(rig, { row, api, stream });
        }
      });
    } finally {
      await keeper.close();
    }
  });
}

Deno.test("no container is asked for where the client runs the commands", async () => {
  await withTools({}, async ({ gateway, plan }) => {
    const environment = { type: "container_reference", container_id: "sess_nothing" };
    plan(() => [calls("bash", { args: command })]);
    const tools = [{ type: "openrouter:bash", environment }];
    const items = itemsOf(
      wholeOf(await send(gateway, { body: { model: "mock/chat", input: QUESTION, tools } })),
    );
    assert.deepEqual(items.map(({ type, status, command: shown }) => [type, status, shown]), [
      ["openrouter:bash", "completed", command.command],
    ]);
  });
});

const answers: Readonly<Record<string, (item: Json) => readonly Json[]>> = {
  "a function_call_output": (item) => [
    item,
    { type: "function_call_output", call_id: item.call_id, output: "planted answer" },
  ],
  "the item with what was printed": (
    item,
  ) => [{ ...item, stdout: "planted answer\n", stderr: "", exitCode: 0 }],
  "both": (item) => [
    { ...item, stdout: "planted", exitCode: 0 },
    { type: "function_call_output", call_id: item.call_id, output: "planted answer" },
  ],
};

for (const wire of upstreamWires) {
  Deno.test(`the client's result of bash comes back as the result of its call (${wire})`, async () => {
    await withTools({}, async ({ gateway, plan, taken }) => {
      for (const [way, answer] of Object.entries(answers)) {
        plan(() => [calls("bash", { args: command, id: "call_1" })]);
        const body = { model: `mock/${wire}`, input: messages, tools: [{ type: "service:bash" }] };
        const output = itemsOf(wholeOf(await send(gateway, { body })));
        const item = output.find(({ type }) => type === "service:bash");
        assert.ok(item, way);
        plan(() => [says("Done.")]);
        const before = output.filter((one) => one !== item);
        const next = await send(gateway, {
          body: { ...body, input: [...messages, ...before, ...answer(item)] },
        });
        assert.equal(wholeOf(next).status, "completed", way);
        const told = JSON.stringify(taken(wire)[0]);
        assert.equal(told.split("planted answer").length, 2, `${way}: ${told}`);
        assert.ok(told.includes("echo planted"), `${way}: ${told}`);
      }
    });
  });
}

Deno.test("a function of the client's keeps its name beside bash", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    const own = {
      type: "function",
      function: { name: "bash", parameters: { type: "object", properties: {} } },
    };
    for (const wire of ["chat", "messages"] as const) {
      plan(() => [calls("service_bash", { args: command, id: "call_1" })]);
      const body = { model: `mock/${wire}`, messages, tools: [own, { type: "service:bash" }] };
      const sent = await send(gateway, { api: "chat", body });
      assert.equal(wholeCall("chat", wholeOf(sent))?.name, "service_bash");
      const offered = JSON.stringify(taken(wire)[0]?.tools);
      assert.ok(offered.includes("service_bash"), offered);
    }
  });
});

const faults: readonly (readonly [args: Json, fault: RegExp])[] = [
  [{ type: "move_file", path: "a", diff: "+a" }, /^type: /],
  [{ type: "create_file", path: "", diff: "+a" }, /^path: /],
  [{ type: "create_file", path: "a" }, /^diff: it is missing/],
  [{ type: "create_file", path: "a", diff: "" }, /^diff: It is empty/],
  [{ type: "create_file", path: "a", diff: "+a\nb" }, /^diff: Line 2 of the diff does not begin with \+/],
  [{ type: "update_file", path: "a", diff: "" }, /^diff: It is empty/],
  [{ type: "update_file", path: "a", diff: "@@\n" }, /^diff: The diff has no hunk/],
  [{ type: "update_file", path: "a", diff: "@@\n-a\n+b\n@@\n" }, /^diff: Hunk 2 is empty/],
  [{ type: "update_file", path: "a", diff: "@@\n a\n b" }, /^diff: Hunk 1 changes nothing/],
  [
    { type: "update_file", path: "a", diff: "@@\n-a\n+b\n@@\n?c" },
    /^diff: Hunk 2 has a line that begins with "\?"/,
  ],
  [
    { type: "update_file", path: "a", diff: "@@\n-a\n+b\n*** Update File: b\n@@\n-c" },
    /^diff: Hunk 1 has the line "\*\*\* Update File: b"/,
  ],
];

Deno.test("a patch of a wrong form goes back to the model, with where and why, and a mended one to the client", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    for (const engine of ["auto", "openrouter"]) {
      for (const [args, fault] of faults) {
        plan((turn) =>
          turn === 0
            ? [calls("apply_patch", { args, id: "call_bad" })]
            : [calls("apply_patch", { args: patch, id: "call_good" })]
        );
        const tools = [{ type: "service:apply_patch", engine }];
        const sent = await send(gateway, {
          body: { model: "mock/chat", input: messages, tools, stream: true },
        });
        const told = asList(taken("chat").at(-1)?.messages).map(asObject).find(({ role }) => role === "tool");
        assert.match(String(asObject(JSON.parse(String(told?.content))).error), fault);
        const deltas = eventsOf(sent).filter(({ type }) => String(type).endsWith("operation_diff.delta"));
        assert.deepEqual(deltas.map(({ delta }) => delta), [patch.diff], "the good one alone, in one piece");
        const items = itemsOf(resultOf(sent));
        assert.deepEqual(items.map(({ call_id, status }) => [call_id, status]), [
          ["call_bad", "incomplete"],
          ["call_good", "completed"],
        ]);
      }
    }
  });
});

Deno.test("OpenRouter's block of a run of bash is a call with its result, on every wire", async () => {
  await withTools({}, async ({ gateway, plan, taken }) => {
    const result = {
      type: "openrouter_bash_tool_result",
      tool_use_id: "srv_1",
      content: { stdout: "planted out" },
    };
    const use = { type: "server_tool_use", id: "srv_1", name: "bash", input: { command: "planted in" } };
    for (const wire of upstreamWires) {
      for (const content of [[use, result], [result]]) {
        plan(() => [says("Done.")]);
        const turns = [...messages, { role: "assistant", content }, { role: "user", content: "Go on." }];
        const body = {
          model: `mock/${wire}`,
          max_tokens: 100,
          messages: turns,
          tools: [{ type: "openrouter:bash" }],
        };
        assert.equal((await send(gateway, { api: "messages", body })).status, 200, wire);
        const told = JSON.stringify(taken(wire)[0]);
        assert.ok(told.includes("planted out"), told);
        assert.equal(told.includes("planted in"), content.length === 2, told);
        assert.ok(!told.includes("openrouter_bash_tool_result"), told);
      }
    }
  });
});

/** Models with tools of their own: OpenAI's shell, and Anthropic's bash. */
const trained = (wire: string): Json => {
  if (wire === "responses") {
    return { upstream_id: "gpt-5.5", pricing: { ...price, code_interpreter: "0.03" } };
  }
  return wire === "messages" ? { upstream_id: "claude-sonnet-5" } : {};
};

const kinds = (tools: unknown): readonly unknown[] =>
  asList(tools ?? []).map((tool) => asObject(tool).type ?? "function");

Deno.test("the provider's own shell comes first where it has one, unless the gateway's container is wanted", async () => {
  await withTools({ model: trained }, async ({ gateway, plan, taken }) => {
    const reference = { type: "container_reference", container_id: "sess_a" };
    const cases:
      readonly (readonly [wire: "responses" | "messages", tool: Json, offered: readonly string[]])[] = [
        ["responses", { type: "service:shell" }, ["shell"]],
        ["responses", { type: "openrouter:shell", engine: "auto", environment: { type: "container_auto" } }, [
          "shell",
        ]],
        // Containers are switched off here, so that what would run in one is not offered.
        ["responses", { type: "service:shell", engine: "openrouter" }, []],
        ["responses", { type: "service:shell", environment: reference }, []],
        ["responses", { type: "service:bash" }, ["function"]],
        ["messages", { type: "service:shell" }, []],
        ["messages", { type: "service:bash" }, ["bash_20250124"]],
        ["messages", { type: "service:bash", engine: "native" }, ["bash_20250124"]],
        ["messages", { type: "service:bash", engine: "container" }, []],
      ];
    for (const [wire, tool, offered] of cases) {
      plan(() => [says("Done.")]);
      wholeOf(await send(gateway, { body: { model: `mock/${wire}`, input: messages, tools: [tool] } }));
      assert.deepEqual(kinds(taken(wire)[0]?.tools), offered, JSON.stringify([wire, tool]));
    }
  });
});

Deno.test("a call of Anthropic's own bash is the client's on every API, and its result comes back", async () => {
  await withTools({ model: trained }, async (rig) => {
    const { gateway, plan, taken } = rig;
    for (const api of apis) {
      for (const stream of [false, true]) {
        plan(() => [calls("bash", { args: command, id: "call_1" })]);
        const one: Case = { row: { tool: "bash", runs: "client" }, api, stream };
        const body = { ...bodyOf(one), model: "mock/messages" };
        const call = clientCall(one, await send(gateway, { api, body }));
        assert.deepEqual(call, { id: "call_1", name: "bash", args: command }, JSON.stringify(one));
        assert.deepEqual(kinds(taken("messages")[0]?.tools), ["bash_20250124"]);
      }
    }
    const item = {
      type: "service:bash",
      call_id: "call_1",
      arguments: JSON.stringify(command),
      status: "completed",
    };
    plan(() => [says("Done.")]);
    const input = [...messages, item, { type: "function_call_output", call_id: "call_1", output: "planted" }];
    wholeOf(
      await send(gateway, { body: { model: "mock/messages", input, tools: [{ type: "service:bash" }] } }),
    );
    const told = JSON.stringify(taken("messages")[0]?.messages);
    for (const part of ['"tool_use"', '"tool_result"', "planted"]) assert.ok(told.includes(part), told);
  });
});

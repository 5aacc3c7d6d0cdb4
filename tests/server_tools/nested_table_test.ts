/** Advisors and subagents on each wire and API, whole and streamed, beside a function of the client; and their memory. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { receiptOf } from "../money/rig.ts";
import { answerOf, functionResult } from "./answered_turn.ts";
import { bodyFor, isInner, nestedTool, planBoth } from "./nested_rig.ts";
import {
  type Api,
  apis,
  calls,
  type MockedWire,
  says,
  send,
  type ToolRig,
  upstreamWires,
  withTools,
} from "./rig.ts";

const rows = {
  advisor: {
    args: [{ prompt: "First question?" }, { prompt: "Second question?" }],
    said: ["First advice.", "Second advice."],
    purpose: "advisor:answer",
  },
  subagent: {
    args: [
      { task_name: "One", task_description: "First question?" },
      { task_name: "Two", task_description: "Second question?" },
    ],
    said: ["First outcome.", "Second outcome."],
    purpose: "subagent:task",
  },
} as const;
type Kind = keyof typeof rows;

const weather = {
  name: "get_weather",
  description: "Weather",
  parameters: { type: "object", properties: {} },
} as const;

const functionTool = (api: Api): Json =>
  api === "messages"
    ? { name: weather.name, input_schema: weather.parameters }
    : api === "chat"
    ? { type: "function", function: weather }
    : { type: "function", ...weather };

interface Case {
  readonly kind: Kind;
  readonly api: Api;
  readonly wire: MockedWire;
  readonly stream: boolean;
}

async function askTwice(rig: ToolRig, { kind, api, wire, stream }: Case): Promise<void> {
  const { gateway, taken } = rig;
  const { args, said, purpose } = rows[kind];
  const [first, second] = args.map((one, at) => calls(kind, { args: one, id: `call_nested_${at}` }));
  assert(first !== undefined && second !== undefined);
  const tools = [nestedTool(kind, { model: `mock/${wire}` }), functionTool(api)];
  const request = bodyFor(api, { model: `mock/${wire}`, tools, stream });
  planBoth(rig, {
    outer: () => [first, calls("get_weather", { id: "call_weather" })],
    inner: () => [says(said[0])],
  });
  const sent = await send(gateway, { api, body: request });
  const { calls: ran } = await receiptOf(gateway, sent);
  assert.deepEqual(ran?.map((call) => [call.purpose, call.status]), [
    ["model", "completed"],
    [`tool:${kind}`, "completed"],
    [purpose, "completed"],
  ]);
  const answer = answerOf(sent, { api, stream });
  checkShown(answer, { kind, api });
  planBoth(rig, {
    outer: (turn) => turn === 0 ? [second] : [says("Done.")],
    inner: () => [says(said[1])],
  });
  const field = api === "responses" ? "input" : "messages";
  const history = [
    ...asList(request[field]),
    ...answer,
    functionResult(api, { id: "call_weather", output: "Sun" }),
  ];
  const next = await send(gateway, { api, body: { ...request, [field]: history } });
  assert.equal(next.status, 200, next.text);
  const bodies = taken(wire).map((body) => ({ body, text: JSON.stringify(body) }));
  const [inner, ...others] = bodies.filter(({ body }) => isInner(body));
  assert(inner !== undefined && others.length === 0);
  assert(inner.text.includes("Second question?"));
  assert(!inner.text.includes("Do it.") && !inner.text.includes("get_weather"));
  assert.equal(inner.text.includes("First advice."), kind === "advisor", "memory");
  assert.equal(inner.text.includes("First question?"), kind === "advisor", "memory");
  const outer = bodies.filter(({ body }) => !isInner(body));
  assert.equal(outer.length, 2);
  if (kind === "advisor" || api !== "messages") assert(outer[0]?.text.includes(said[0]), "replayed");
  assert(outer[1]?.text.includes(said[1]), "result");
}

/** The caller's spelling on each API. */
function checkShown(answer: readonly Json[], { kind, api }: Pick<Case, "kind" | "api">): void {
  const { said: [text] } = rows[kind];
  if (api === "responses") {
    const item = answer.find(({ type }) => type === `openrouter:${kind}`);
    assert.deepEqual([item?.status, item?.advice ?? item?.outcome], ["completed", text]);
    assert.equal(answer.at(-1)?.type, "function_call");
    return;
  }
  const [message] = answer;
  if (api === "chat") {
    // Gemini signs its calls, and the signature is a detail too.
    const [detail] = asList(message?.reasoning_details).map(asObject).filter(({ tool_name }) => tool_name);
    assert.deepEqual([detail?.type, detail?.tool_name], ["reasoning.server_tool_call", kind]);
    assert.equal(asList(message?.tool_calls).length, 1);
    return;
  }
  const blocks = asList(message?.content).map(asObject).filter(({ type }) => type !== "redacted_thinking");
  const own = kind === "advisor" ? ["server_tool_use", "advisor_tool_result"] : [];
  assert.deepEqual(blocks.map(({ type }) => type), [...own, "tool_use"]);
  if (kind === "subagent") return;
  assert.equal(blocks[0]?.name, "advisor");
  const { type, text: advice, stop_reason } = asObject(blocks[1]?.content);
  assert.deepEqual([type, advice, stop_reason], ["advisor_result", text, "end_turn"]);
}

for (const kind of ["advisor", "subagent"] as const) {
  for (const wire of upstreamWires) {
    Deno.test(`${kind} runs on the wire ${wire} for each API, beside a function of the client`, async () => {
      await withTools({}, async (rig) => {
        for (const api of apis) {
          for (const stream of [false, true]) await askTwice(rig, { kind, api, wire, stream });
        }
      });
    });
  }
}

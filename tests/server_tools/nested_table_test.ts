/** Tools that run models on each wire and API, whole and streamed, beside a function of the client; and their memory. */

import assert from "node:assert/strict";
import type { Planned } from "../mocks/plan.ts";
import type { Json } from "../mocks/published.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { receiptOf } from "../money/rig.ts";
import { answerOf, functionResult } from "./answered_turn.ts";
import { nestedCases, nestedKind, type NestedKindName, nestedKinds } from "./nested_kinds.ts";
import { bodyFor } from "./nested_rig.ts";
import {
  type Api,
  calls,
  type MockedWire,
  says,
  send,
  type ToolRig,
  upstreamWires,
  withTools,
} from "./rig.ts";

const questions = ["First question?", "Second question?"] as const;
const said = ["First answer.", "Second answer."] as const;

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
  readonly kind: NestedKindName;
  readonly api: Api;
  readonly wire: MockedWire;
  readonly stream: boolean;
}

/** An inner model knows no function of the client's. */
const isInner = (body: Json): boolean => !JSON.stringify(body).includes(weather.name);

interface Script {
  readonly outer: (turn: number) => readonly Planned[];
  readonly inner: string;
}

/** Outer and inner models are of one wire here. */
function planRun({ plan }: ToolRig, { outer, inner }: Script): void {
  let turn = 0;
  plan((_turn, body) => isInner(body) ? [says(inner)] : outer(turn++));
}

const callOf = (kind: NestedKindName, at: 0 | 1): Planned =>
  calls(kind, { args: nestedKind(kind).args(questions[at]), id: `call_nested_${at}` });

const requestOf = ({ kind, api, wire, stream }: Case): Json => {
  const model = `mock/${wire}`;
  return bodyFor(api, { model, tools: [nestedKind(kind).tool(model), functionTool(api)], stream });
};

/** Asks, answers the client's function, and asks again; gives what inner models were sent then. */
async function askTwice(rig: ToolRig, one: Case): Promise<readonly Json[]> {
  const { gateway, taken } = rig;
  const { kind, api, wire, stream } = one;
  const request = requestOf(one);
  planRun(rig, {
    outer: () => [callOf(kind, 0), calls(weather.name, { id: "call_weather" })],
    inner: said[0],
  });
  const sent = await send(gateway, { api, body: request });
  const { calls: ran } = await receiptOf(gateway, sent);
  assert.deepEqual(ran?.map((call) => [call.purpose, call.status]), [
    ["model", "completed"],
    [`tool:${kind}`, "completed"],
    ...nestedKind(kind).purposes.map((purpose) => [purpose, "completed"]),
  ]);
  const answer = answerOf(sent, { api, stream });
  checkShown(answer, { kind, api });
  planRun(rig, {
    outer: (turn) => turn === 0 ? [callOf(kind, 1)] : [says("Done.")],
    inner: said[1],
  });
  const field = api === "responses" ? "input" : "messages";
  const history = [
    ...asList(request[field]),
    ...answer,
    functionResult(api, { id: "call_weather", output: "Sun" }),
  ];
  const next = await send(gateway, { api, body: { ...request, [field]: history } });
  assert.equal(next.status, 200, next.text);
  const bodies = taken(wire);
  const outer = bodies.filter((body) => !isInner(body)).map((body) => JSON.stringify(body));
  assert.equal(outer.length, 2);
  if (kind === "advisor" || api !== "messages") assert(outer[0]?.includes(said[0]), "replayed");
  assert(outer[1]?.includes(said[1]), "result");
  return bodies.filter(isInner);
}

/** Both questions within one request; gives what inner models were sent at the second. */
async function askInOneRequest(rig: ToolRig, one: Case): Promise<readonly Json[]> {
  const { kind, api, wire } = one;
  planRun(rig, {
    outer: (turn) => turn > 1 ? [says("Done.")] : [callOf(kind, turn === 0 ? 0 : 1)],
    inner: said[0],
  });
  const sent = await send(rig.gateway, { api, body: requestOf(one) });
  assert.equal(sent.status, 200, sent.text);
  return rig.taken(wire).filter(isInner).slice(1);
}

/** The caller's spelling on each API. */
function checkShown(answer: readonly Json[], { kind, api }: Pick<Case, "kind" | "api">): void {
  if (api === "responses") {
    const item = answer.find(({ type }) => type === `openrouter:${kind}`) ?? {};
    assert.deepEqual([item.status, nestedKind(kind).answerIn(item)], ["completed", said[0]]);
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
  if (kind !== "advisor") return;
  assert.equal(blocks[0]?.name, "advisor");
  const { type, text: advice, stop_reason } = asObject(blocks[1]?.content);
  assert.deepEqual([type, advice, stop_reason], ["advisor_result", said[0], "end_turn"]);
}

for (const kind of nestedKinds) {
  for (const wire of upstreamWires) {
    Deno.test(`${kind} runs on the wire ${wire} for each API, beside a function of the client`, async () => {
      await withTools({}, async (rig) => {
        for (const { api, stream } of nestedCases) {
          const one = { kind, api, wire, stream };
          const inner = await askTwice(rig, one);
          const text = JSON.stringify(inner);
          if (kind === "fusion") {
            assert.equal(inner.length, 2, "a member and the analyst");
            assert(text.includes("Do it.") && !text.includes(said[0]));
            continue;
          }
          assert.equal(inner.length, 1);
          assert(text.includes(questions[1]) && !text.includes("Do it."));
          assert.equal(text.includes(questions[0]), kind === "advisor", "memory");
          assert.equal(text.includes(said[0]), kind === "advisor", "memory");
          // What is remembered of exchanges that were replayed is what is remembered within a request.
          assert.deepEqual(inner, await askInOneRequest(rig, one));
        }
      });
    });
  }
}

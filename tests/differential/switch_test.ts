import assert from "node:assert/strict";
import type { Response, ResponseInputItem } from "openai/resources/responses/responses";
import type { Plan, Planned } from "../mocks/plan.ts";
import type { Json } from "../mocks/published.ts";
import { type MockedWire, upstreamWires } from "../mocks/upstreams.ts";
import { asInput, type Requested, type Rig, withAllWires } from "./rig.ts";
import { callOf, plan, resultOf, runTool, weather } from "./scenarios.ts";

/**
 * Each model's reasoning holds an encrypted text that no other may be sent; the mock of gemini signs calls by
 * itself.
 */
const encryptedOf = (wire: MockedWire) =>
  wire === "gemini" ? "bW9jay1zaWduYXR1cmU=" : `gAAAA-cipher-of-${wire}`;
/** Chat has no place for one. */
const ciphered = upstreamWires.filter((wire) => wire !== "chat");

const thought = (wire: MockedWire): Planned => ({
  type: "reasoning",
  thoughts: "",
  summary: [`Thought of ${wire}`],
  encrypted: encryptedOf(wire),
});

/** Answer of the model in a turn; the user's side answers before the next one. */
type Turn = (wire: MockedWire, turn: number) => Plan;

const speech: Turn = (wire, turn) => plan([thought(wire), { type: "text", text: `Said in turn ${turn}.` }]);
const call: Turn = (wire, turn) => plan([thought(wire), callOf(`call_${turn}`, "Rome")]);
const calls: Turn = (wire, turn) =>
  plan([thought(wire), callOf(`call_${turn}_a`, "Rome"), callOf(`call_${turn}_b`, "Oslo")]);
const custom: Turn = (wire, turn) =>
  plan([thought(wire), {
    type: "call",
    kind: "custom",
    callId: `call_${turn}`,
    name: "run",
    arguments: "ls",
  }]);
const refusal: Turn = () => plan([{ type: "refusal", text: "I cannot help with that." }]);
const cut: Turn = (wire) => plan([thought(wire), { type: "text", text: "And then" }], { finish: "length" });
/** The conversation's turns. */
const turns: readonly Turn[] = [
  speech,
  call,
  speech,
  calls,
  custom,
  refusal,
  calls,
  cut,
  speech,
  speech,
  speech,
];

/** Every call is answered, the last one first; where there is none the user goes on. */
function reply({ output }: Response, turn: number): readonly ResponseInputItem[] {
  const results = output.flatMap((item): readonly ResponseInputItem[] => {
    if (item.type === "function_call") return [resultOf(item.call_id, `Result in turn ${turn}`)];
    if (item.type !== "custom_tool_call") return [];
    return [{
      type: "custom_tool_call_output",
      call_id: item.call_id,
      output: `Result in turn ${turn}`,
    }];
  });
  return results.length > 0 ? results.toReversed() : [{ role: "user", content: `Question ${turn}` }];
}

const requested: Requested = {
  instructions: "Be brief.",
  tools: [weather, runTool],
  reasoning: { effort: "low", summary: "auto" },
  include: ["reasoning.encrypted_content"],
  max_output_tokens: 4_000,
};

interface Journey {
  readonly order: readonly MockedWire[];
  readonly stream: boolean;
}

const wireAt = (order: readonly MockedWire[], turn: number) => order[turn % order.length] ?? "chat";

/** Holds the conversation, each turn with the next provider; every answer goes back whole. */
async function converse({ ask, taken }: Rig, { order, stream }: Journey): Promise<void> {
  const input: ResponseInputItem[] = [{ role: "user", content: "Question 0" }];
  const seen: string[] = ["Question 0"];
  for (const turn of turns.keys()) {
    const wire = wireAt(order, turn);
    const answer = await ask(wire, { ...requested, input }, { stream });
    const body = taken(wire).at(-1);
    assert(body !== undefined && taken(wire).length === Math.floor(turn / order.length) + 1);
    assertReported(body, { seen, wire });
    input.push(...asInput(answer.output), ...reply(answer, turn + 1));
    seen.push(...wordsOf(answer), ...received(reply(answer, turn + 1)));
  }
}

interface Reported {
  readonly seen: readonly string[];
  readonly wire: MockedWire;
}

/** All that was said is there, and no encrypted text that another has made. */
function assertReported(body: Json, { seen, wire }: Reported): void {
  const text = JSON.stringify(body);
  for (const words of seen) assert(text.includes(words), `${wire} is told: ${words}`);
  for (const other of upstreamWires.filter((one) => one !== wire)) {
    assert(!text.includes(encryptedOf(other)), `${wire} is not sent the cipher of ${other}`);
  }
  assert(!text.includes("tg1."), "the gateway's own mark stays here");
}

/** Words and calls; thoughts are their maker's. */
const wordsOf = ({ output }: Response): readonly string[] =>
  output.flatMap((item) => {
    if (item.type === "function_call") return [item.call_id, item.name];
    if (item.type === "custom_tool_call") return [item.call_id, item.name, item.input];
    if (item.type !== "message") return [];
    return item.content.map((part) => part.type === "refusal" ? part.refusal : part.text);
  });

const received = (items: readonly ResponseInputItem[]): readonly string[] =>
  items.flatMap((item) => {
    if ("output" in item && typeof item.output === "string") return [item.output];
    return "content" in item && typeof item.content === "string" ? [item.content] : [];
  });

/** Whether its maker wants something of the answer back: gemini signs calls only. */
const isSealed = (wire: MockedWire, { items }: Plan) =>
  items.some(({ type }) => type === (wire === "gemini" ? "call" : "reasoning"));

/** Wires that sent something encrypted before they were asked for the last time. */
const sealers = (order: readonly MockedWire[]) =>
  ciphered.filter((wire) => {
    const own = turns.flatMap((turn, at) => wireAt(order, at) === wire ? [turn(wire, at)] : []);
    return own.slice(0, -1).some((answer) => isSealed(wire, answer));
  });

/** Every wire begins once, and the others follow in both directions. */
const orders = upstreamWires.flatMap((_, at) => {
  const order = [...upstreamWires.slice(at), ...upstreamWires.slice(0, at)];
  const [first, ...rest] = order;
  return first === undefined ? [] : [order, [first, ...rest.toReversed()]];
});

Deno.test("the turns are such that every wire's cipher goes back to it", () => {
  assert.deepEqual(new Set(orders.flatMap(sealers)), new Set(ciphered));
});

for (const order of orders) {
  for (const stream of [false, true]) {
    const way = stream ? "streamed" : "whole";
    Deno.test(`a conversation goes on at another provider every turn, ${way}: ${order.join(" → ")}`, async () => {
      let turn = 0;
      const next = (wire: MockedWire) => {
        assert.equal(wire, wireAt(order, turn));
        const answer = turns[turn]?.(wire, turn);
        turn++;
        assert(answer !== undefined);
        return answer;
      };
      await withAllWires({ next }, async (rig) => {
        await converse(rig, { order, stream });
        for (const wire of sealers(order)) {
          const last = JSON.stringify(rig.taken(wire).at(-1));
          assert(last.includes(encryptedOf(wire)), `${wire} gets its own cipher back`);
        }
      });
    });
  }
}

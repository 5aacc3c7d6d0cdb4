import assert from "node:assert/strict";
import type { Response, ResponseInputItem } from "openai/resources/responses/responses";
import { type MockedWire, upstreamWires } from "../mocks/upstreams.ts";
import { normal, normalisations, thoughtTokens } from "./normal.ts";
import { asInput, type Rig, withAllWires } from "./rig.ts";
import { type Scenario, scenarios } from "./scenarios.ts";

interface Way {
  readonly wire: MockedWire;
  readonly stream: boolean;
}

const endOf = ({ status, incomplete_details: details }: Response) =>
  details === null ? `${status}` : `${status}: ${details.reason}`;

/** Plays the conversation on one wire: every answer goes back with the next question. */
async function play(
  { ask }: Rig,
  { requested, steps }: Scenario,
  { wire, stream }: Way,
): Promise<Response[]> {
  const answers: Response[] = [];
  const input: ResponseInputItem[] = [];
  for (const { say } of steps) {
    input.push(...say);
    const answer = await ask(wire, { ...requested, input }, { stream });
    input.push(...asInput(answer.output));
    answers.push(answer);
  }
  return answers;
}

const ways = upstreamWires.flatMap((
  wire,
): readonly Way[] => [{ wire, stream: false }, { wire, stream: true }]);

for (const [name, scenario] of Object.entries(scenarios)) {
  Deno.test(`every wire gives the same result: ${name}`, async (t) => {
    const received = new Map<MockedWire, number>();
    const next = (wire: MockedWire) => {
      const turn = received.get(wire) ?? 0;
      received.set(wire, turn + 1);
      const { answer } = scenario.steps[turn % scenario.steps.length] ?? {};
      assert(answer !== undefined);
      return answer;
    };
    await withAllWires({ next }, async (rig) => {
      const expected = await play(rig, scenario, { wire: "responses", stream: false });
      assert.deepEqual(expected.map(endOf), scenario.ends);
      for (const way of ways) {
        await t.step(`${way.wire}, ${way.stream ? "streamed" : "whole"}`, async () => {
          const answers = await play(rig, scenario, way);
          assert.deepEqual(answers.map(normal), expected.map(normal));
          if (way.wire !== "bedrock") {
            assert.deepEqual(answers.map(thoughtTokens), expected.map(thoughtTokens));
          }
          const last = JSON.stringify(rig.taken(way.wire).at(-1));
          for (const words of scenario.reaches ?? []) assert(last.includes(words), `${words} has arrived`);
        });
      }
    });
  });
}

Deno.test("what may differ between the wires is told once, each with its reason", () => {
  assert.equal(new Set(normalisations.map(({ what }) => what)).size, normalisations.length);
  assert(normalisations.every(({ why }) => why.length > 20));
});

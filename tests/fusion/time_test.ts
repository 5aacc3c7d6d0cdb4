/** The time of a run, on a clock that stands still: what is late is cut, and the model still answers. */

import assert from "node:assert/strict";
import { receiptOf } from "../money/rig.ts";
import { eventsOf, outputOf, send } from "../server_tools/rig.ts";
import { type FakeClock, fakeClock } from "../support/clock.ts";
import { heldFor, nothingHeld } from "../support/held.ts";
import { createKey } from "../support/manage.ts";
import { ANALYSIS, type FusionRig, fusionTool, withFusion } from "./rig.ts";

/** No other limit is as short as those of a run. */
const patient = { first_byte_seconds: 5_000, silence_seconds: 5_000, answer_seconds: 5_000 };

/** A call of the first member reserves more than all others together: its end can be told by what is reserved. */
const DEAR = 1e9;
const facts = { "alpha/mock": { pricing: { prompt: "0.001", completion: "0.001" } } };
const models = ["alpha/mock", "beta/mock-stall", "gamma/mock-stall", "judge/mock-stall"];

interface Timed {
  readonly rig: FusionRig;
  readonly clock: FakeClock;
  readonly key: string;
}

interface Row {
  readonly name: string;
  readonly limits: Readonly<Record<string, number>>;
  readonly stream: boolean;
  /** Milliseconds from the beginning of a run to the end of its panel, and of its analyst. */
  readonly panelMs: number;
  readonly runMs: number;
}

const rows: readonly Row[] = [
  { name: "streamed", limits: {}, stream: true, panelMs: 300_000, runMs: 600_000 },
  { name: "whole", limits: { loop_seconds: 2_000 }, stream: false, panelMs: 300_000, runMs: 600_000 },
  // The request ends after 600 s: two minutes of them are for the answer, and ten seconds for the result.
  { name: "whole, as it ships", limits: {}, stream: false, panelMs: 300_000, runMs: 470_000 },
  { name: "of a minute", limits: { loop_seconds: 60 }, stream: true, panelMs: 21_600, runMs: 43_200 },
  { name: "of a minute, whole", limits: { loop_seconds: 60 }, stream: false, panelMs: 21_600, runMs: 43_200 },
];

async function withTime({ limits }: Row, test: (timed: Timed) => Promise<void>): Promise<void> {
  const clock = fakeClock();
  await withFusion({ clock, models, facts, limits: { ...patient, ...limits } }, async (rig) => {
    const { key } = await createKey(rig.gateway, { limit: 100 });
    rig.plan({});
    await test({ rig, clock, key });
    await nothingHeld({ gateway: rig.gateway, key, model: "outer/mock" });
  });
}

/** Whether the first member has answered, and the others of the panel have stopped in the middle. */
async function onlyLateOnes(timed: Timed, panel: readonly string[]): Promise<boolean> {
  const { rig: { sentTo, mock, gateway }, key } = timed;
  return panel.every((model) => sentTo(model).length === 1) && mock.open() === panel.length - 1 &&
    await heldFor({ gateway, key, model: "outer/mock" }) < DEAR;
}

interface RunInput {
  readonly panel: readonly string[];
  readonly analyst: string;
  readonly stream: boolean;
}

const ask = ({ rig: { gateway }, key }: Timed, { panel, analyst, stream }: RunInput) =>
  send(gateway, {
    key,
    body: { model: "outer/mock", input: "Hi", stream, tools: [fusionTool(panel, { model: analyst })] },
  });

const eventsOfRun = (sent: Awaited<ReturnType<typeof send>>, stream: boolean): readonly string[] =>
  (stream ? eventsOf(sent) : []).map(({ type }) => String(type));

const answer = [{ model: "alpha/mock", content: "I am alpha-mock." }];

for (const row of rows) {
  Deno.test(`members that are late are cut, and the others are compared (${row.name})`, async () => {
    await withTime(row, async (timed) => {
      const { rig: { gateway, mock, sentToAnalyst }, clock } = timed;
      const panel = models.slice(0, 3);
      const going = ask(timed, { panel, analyst: "outer/mock", stream: row.stream });
      await clock.advanceOnce(() => onlyLateOnes(timed, panel), row.panelMs - 1);
      assert.deepEqual([mock.open(), sentToAnalyst().length], [2, 0]);
      await clock.advanceOnce(() => true, 1);
      const sent = await going;
      const [item, message] = outputOf(sent);
      assert.deepEqual([item?.status, item?.responses, item?.analysis], ["completed", answer, ANALYSIS]);
      const error = `The model took longer than ${Math.round(row.panelMs / 1_000)} s.`;
      const late = panel.slice(1).map((model) => ({ model, error, status_code: 524 }));
      assert.deepEqual(item?.failed_models, late);
      assert.equal(message?.type, "message");
      const receipt = await receiptOf(gateway, sent);
      assert.equal(receipt.status, "completed");
      const failed = eventsOfRun(sent, row.stream).filter((type) => type.endsWith("panel.failed"));
      assert.equal(failed.length, row.stream ? 2 : 0);
    });
  });

  Deno.test(`an analyst has the time that the panel leaves, and the model still answers (${row.name})`, async () => {
    await withTime(row, async (timed) => {
      const { rig: { gateway, mock, sentToAnalyst, sentTo }, clock } = timed;
      const panel = models.slice(0, 2);
      const going = ask(timed, { panel, analyst: "judge/mock-stall", stream: row.stream });
      await clock.advanceOnce(() => onlyLateOnes(timed, panel), row.panelMs);
      const analyses = () => sentToAnalyst().length === 1 && mock.open() === 1;
      await clock.advanceOnce(analyses, row.runMs - row.panelMs - 1);
      assert.deepEqual([mock.open(), sentTo("outer/mock").length], [1, 1]);
      await clock.advanceOnce(() => true, 1);
      const sent = await going;
      const [item, message] = outputOf(sent);
      assert.deepEqual([item?.status, item?.responses, item?.analysis, item?.failure_reason], [
        "completed",
        answer,
        undefined,
        "judge_upstream_error",
      ]);
      assert.equal(message?.type, "message");
      assert.equal((await receiptOf(gateway, sent)).status, "completed");
    });
  });
}

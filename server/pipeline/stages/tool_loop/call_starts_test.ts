import assert from "node:assert/strict";
import { advisor } from "../../tools/nested/advisor.ts";
import { subagent } from "../../tools/nested/subagent.ts";
import { datetime } from "../../tools/datetime.ts";
import type { ToolDefinition } from "../../tools/tool_definition.ts";
import type { ServerCall } from "../../tools/call_items.ts";
import { CallStarts } from "./call_starts.ts";

const callOf = (definition: ToolDefinition, at: number): ServerCall => ({
  itemKey: at,
  itemId: `st_${at}`,
  tool: { definition, name: definition.kind, itemType: `service:${definition.kind}`, settings: {} },
});

const many = (definition: ToolDefinition, count: number) =>
  Array.from({ length: count }, (_, at) => callOf(definition, at));

Deno.test("CallStarts lets 8 calls that run models go on at once, of all such tools together, and 16 in all", () => {
  const runs = [...many(advisor, 6), ...many(subagent, 6)];
  const starts = new CallStarts([...runs, ...many(datetime, 12)], { areAlone: false });
  const first = starts.next();
  const kindsOf = (calls: readonly ServerCall[]) => calls.map(({ tool }) => tool.definition.kind);
  assert.deepEqual(kindsOf(first), [
    ...Array<string>(6).fill("advisor"),
    ...Array<string>(2).fill("subagent"),
    ...Array<string>(8).fill("datetime"),
  ]);
  assert.deepEqual(starts.next(), []);
  const [advice] = first;
  const time = first.at(-1);
  assert(advice !== undefined && time !== undefined);
  starts.end(time);
  assert.deepEqual(kindsOf(starts.next()), ["datetime"]);
  starts.end(advice);
  assert.deepEqual(kindsOf(starts.next()), ["subagent"]);
});

Deno.test("CallStarts begins calls that are alone one after the other, and is over when all have ended", () => {
  const calls = many(advisor, 2);
  const starts = new CallStarts(calls, { areAlone: true });
  for (const call of calls) {
    assert.deepEqual(starts.next(), [call]);
    assert.deepEqual(starts.next(), []);
    assert(starts.isBusy);
    starts.end(call);
  }
  assert(!starts.isBusy);
});

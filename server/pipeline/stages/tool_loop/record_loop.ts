/** Records for the routing metadata what a loop of server tools did. */

import type { RequestRecord } from "../../request_record.ts";
import type { LoopLimit } from "./loop_limits.ts";

const TOOL = "tool:";

/** Leaves nothing where no tool was called. `limit`: what ended the loop although its model would have gone on. */
export function recordLoop(record: RequestRecord, limit: LoopLimit | undefined): void {
  const ran = record.calls.flatMap(({ purpose }) =>
    purpose.startsWith(TOOL) ? [purpose.slice(TOOL.length)] : []
  );
  if (ran.length === 0) return;
  const tools = [...new Set(ran)];
  const end = limit === undefined ? "" : ` ${limit} was reached.`;
  record.addStage({
    type: "server_tools",
    name: "server-tools",
    summary: `Ran ${ran.length === 1 ? "1 call" : `${ran.length} calls`} of ${tools.join(", ")}.${end}`,
    data: { mode: "sdk", tools, calls: ran.length, ...(limit === undefined ? {} : { limit }) },
  });
}

/** Charge of an answer that did not come to its end: its receipt says it, a moment later. */

import { ApiFailure, ConnectionLost, operation } from "../../api.ts";
import type { RunDeps, RunFigures } from "./run.ts";

const listReceipts = operation<"receipts.list">("GET", "/receipts");
const getGeneration = operation<"generations.get">("GET", "/generation");

const TRIES = 40;
const WAIT_MS = 250;

type ChargeDeps = Pick<RunDeps, "api" | "clock" | "isManager">;

/** Undefined while there is no receipt. A holder of a key asks by the id alone, which is 404 until then. */
async function readReceipt({ api, isManager }: ChargeDeps, id: string): Promise<RunFigures | undefined> {
  if (!isManager) {
    const { data } = await api.call(getGeneration, { query: { id } });
    const { total_cost: cost, tokens_prompt: input, tokens_completion: output } = data;
    return { cost, inputTokens: input ?? undefined, outputTokens: output ?? undefined };
  }
  const { data: [found] } = await api.call(listReceipts, { query: { id } });
  if (found === undefined) return undefined;
  const usage = new Map(Object.entries(found.usage));
  return {
    cost: found.cost,
    inputTokens: usage.get("input_tokens"),
    outputTokens: usage.get("output_tokens"),
  };
}

/** Undefined where no receipt was found within ten seconds. */
export async function readCharge(deps: ChargeDeps, id: string): Promise<RunFigures | undefined> {
  for (let tries = 0; tries < TRIES; tries++) {
    await new Promise<void>((resolve) => deps.clock.after(WAIT_MS, resolve));
    try {
      const found = await readReceipt(deps, id);
      if (found !== undefined) return found;
    } catch (error) {
      const isEarly = error instanceof ConnectionLost ||
        (error instanceof ApiFailure && error.status === 404);
      if (!isEarly) return undefined;
    }
  }
  return undefined;
}

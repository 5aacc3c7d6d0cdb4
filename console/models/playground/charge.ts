/** Charge of an answer that did not come to its end: its receipt says it, a moment later. */

import { ApiFailure, ConnectionLost, operation } from "../../api.ts";
import type { RunDeps, RunFigures } from "./run.ts";

const getGeneration = operation<"generations.get">("GET", "/generation");

const TRIES = 40;
const WAIT_MS = 250;

/** Undefined where no receipt was found within ten seconds. */
export async function readCharge(
  { api, clock }: Pick<RunDeps, "api" | "clock">,
  id: string,
): Promise<RunFigures | undefined> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const { data } = await api.call(getGeneration, { query: { id } });
      return {
        cost: data.total_cost,
        inputTokens: data.tokens_prompt ?? undefined,
        outputTokens: data.tokens_completion ?? undefined,
      };
    } catch (error) {
      const isEarly = error instanceof ConnectionLost ||
        (error instanceof ApiFailure && error.status === 404);
      if (!isEarly) return undefined;
      await new Promise<void>((resolve) => clock.after(WAIT_MS, resolve));
    }
  }
  return undefined;
}

/** Receipt: what a request met on its way, told once, whatever ends it. */

import type { Answer, Stage, Turn } from "../pipeline/turn.ts";
import type { ModelEvent } from "../hub/event.ts";
import type { Source } from "../stream/source.ts";
import type { Clock, Log } from "../world.ts";

export interface ReceiptDeps {
  readonly clock: Clock;
  readonly log: Log;
}

/** Writes one log line a request, at `debug`; stored receipts come with the ledger. */
export function receipt(deps: ReceiptDeps): Stage {
  return (next) => async (turn) => {
    try {
      const answer = await next(turn);
      return { ...answer, source: watched(answer, (ending) => told(deps, { turn, ending })) };
    } catch (error) {
      told(deps, { turn, ending: "refused" });
      throw error;
    }
  };
}

function watched({ source }: Answer, tell: (ending: string) => void): Source<ModelEvent> {
  let open = true;
  const close = (ending: string) => {
    if (open) tell(ending);
    open = false;
  };
  const pull = async () => {
    const batch = await source.pull();
    const last = batch?.at(-1);
    if (batch === undefined) close("cut");
    if (last?.type === "finish" || last?.type === "failure") close(last.type);
    return batch;
  };
  return {
    pull,
    cancel: (reason) => {
      close("cancelled");
      source.cancel(reason);
    },
  };
}

interface Told {
  readonly turn: Turn;
  readonly ending: string;
}

function told({ clock, log }: ReceiptDeps, { turn, ending }: Told): void {
  const last = turn.notes.attempts.at(-1);
  log.debug("Request ended", {
    generation: turn.ids.generation,
    ending,
    model: last?.endpoint.model.id,
    provider: last?.endpoint.provider.id,
    attempts: turn.notes.attempts.length,
    ms: Math.round(clock.monotonic() - turn.startedAt),
  });
}

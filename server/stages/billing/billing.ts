/**
 * Spend: sets the worst case of a call aside before it is made, and settles what it has cost in the end
 * (promises M1, M4, M6). Every answer that is whole leaves it with its counts.
 */

import { Refusal } from "../../../shared/errors.ts";
import type { Hold } from "../../ledger/core/ledger.ts";
import type { Answer, Hangup, Rendered, ReportedUsage, Stage, Turn } from "../../pipeline/request_context.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { Fault } from "../../routing/upstream_error.ts";
import type { EndpointStats } from "../../routing/health/endpoint_stats.ts";
import { Unpaid } from "../../routing/budget_exceeded.ts";
import type { Log } from "../../runtime.ts";
import { Meter } from "./token_estimate.ts";
import { noteLimit } from "../record_limit.ts";
import { type Ready, ready, type ReadyDeps } from "../prepare_call.ts";
import { render } from "../render_provider_request.ts";
import { Spending } from "./call_billing.ts";

export interface SpendDeps extends ReadyDeps {
  readonly log: Log;
  readonly stats: EndpointStats;
  /** The gateway stops: calls under way end now. */
  readonly stop: Pick<Hangup, "gone">;
}

export function spend(deps: SpendDeps): Stage {
  return (next) => async (opened) => {
    const { endpoint, tab } = opened;
    if (endpoint === undefined || tab === undefined) throw new Error("Cannot spend: no endpoint or no tab");
    const current = tab.payer();
    const payer = current instanceof Promise ? await current : current;
    const turn = payer === opened.payer ? opened : { ...opened, payer };
    const made = ready(deps, { turn, endpoint, payer });
    let hold: Hold;
    try {
      hold = await tab.reserve(made.order);
    } catch (error) {
      throw unreserved(turn, { endpoint, error });
    }
    const durable = turn.request.stream ? hold.durable() : undefined;
    const reported: ReportedUsage = {};
    const spending = spendingOf(deps, { turn, endpoint, made, hold, reported });
    try {
      const capped = withCap(deps, { turn, endpoint, made, hold });
      if (turn.hangup.gone) throw new Refusal("timeout", "The client left before the answer began.");
      if (deps.stop.gone) throw new Refusal("unavailable", "The gateway is stopping.");
      const answer = await next({ ...turn, rendered: capped, reported });
      if (durable !== undefined) await begun(answer, durable);
      return { endpoint, source: spending.watch(answer.source) };
    } catch (error) {
      if (wasCut(error) && (turn.hangup.gone || deps.stop.gone)) spending.cut();
      else spending.failed();
      await turn.notes.settling;
      throw error;
    }
  };
}

interface Unreserved {
  readonly endpoint: Endpoint;
  readonly error: unknown;
}

/** Why the call is not made: its money cannot be set aside, or nobody can tell. */
function unreserved({ notes }: Turn, { endpoint, error }: Unreserved): unknown {
  const { kind } = error instanceof Refusal ? error : { kind: undefined };
  // Nobody can tell what is left, or the key is gone: no other endpoint would change that.
  if (!(error instanceof Refusal) || kind === "unavailable" || kind === "unauthorized") return error;
  noteLimit(notes, error);
  return new Unpaid(endpoint, error);
}

function spendingOf(deps: SpendDeps, { turn, endpoint, made, hold, reported }: Watched): Spending {
  const { clock, log, stats, stop } = deps;
  const { order, rendered, at } = made;
  const { request } = turn;
  const speed = () => stats.throughput(endpoint.id)?.p50;
  const meter = made.meter ?? new Meter({ clock, request, endpoint, speed });
  return new Spending({
    turn,
    endpoint,
    hold,
    order,
    rendered,
    clock,
    log,
    stop,
    at,
    meter,
    reported,
  });
}

interface Watched extends Held {
  readonly reported: ReportedUsage;
}

interface Held {
  readonly turn: Turn;
  readonly endpoint: Endpoint;
  readonly made: Ready;
  readonly hold: Hold;
}

/** The request with the cap that was reserved for. */
function withCap(deps: SpendDeps, { turn, endpoint, made, hold }: Held): Rendered {
  const { outputCap, lowered } = hold;
  if (lowered) turn.notes.outputCap = outputCap;
  // No provider takes a cap of sound.
  const uncapped = made.rendered.call !== undefined;
  // A limit may have been set since the body was rendered without one.
  const unlimited = made.outputCap === undefined && !hold.limited;
  if (uncapped || unlimited || outputCap === made.outputCap) return made.rendered;
  return render(deps, { turn, endpoint, outputCap, limited: true });
}

/**
 * Nothing of a stream reaches the client before its reserve entry is durable (promises M4), which is written while
 * the call opens. A whole answer waits for its receipt anyway, which needs no such entry.
 */
async function begun(answer: Answer, durable: Promise<void>): Promise<void> {
  try {
    await durable;
  } catch (error) {
    answer.source.cancel("The gateway cannot write down what the answer costs.");
    throw error;
  }
}

/** The call ended although the provider had not refused it: it may have read the prompt and begun to write. */
const wasCut = (error: unknown): boolean => error instanceof Fault && error.info.status < 300;

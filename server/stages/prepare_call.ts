/** A request made ready for an endpoint: the body that is sent, and what it could cost. */

import type { Order, Payer } from "../ledger/core/ledger.ts";
import { limitsFor } from "../ledger/core/reservation_sizing.ts";
import type { Rendered } from "../pipeline/request_context.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import type { Clock } from "../runtime.ts";
import { capsOf, type OrderLimits, orderOf } from "../pricing/reservation_request.ts";
import type { Metering } from "./billing/token_estimate.ts";
import { type Asking, render, type RenderDeps } from "./render_provider_request.ts";
import { prepareSpeech } from "./speech/prepare_speech.ts";
import type { SpeechRenderDeps } from "./speech/render_speech.ts";

export interface ReadyDeps extends RenderDeps, SpeechRenderDeps {
  readonly clock: Clock;
  readonly limits: OrderLimits;
}

export interface ReadyFor {
  readonly turn: Asking;
  readonly endpoint: Endpoint;
  /** Undefined: nobody limits it. */
  readonly payer: Payer | undefined;
}

export interface Ready {
  readonly rendered: Rendered;
  readonly order: Order;
  /** The cap that a limit demands at first, and the body names; undefined under no limit. */
  readonly outputCap: number | undefined;
  /** Ms since the epoch: by this moment's prices it is charged. */
  readonly at: number;
  /** Counts speech; answers in words are counted by a meter that `spend` makes. */
  readonly meter?: Metering;
}

/** Under a limit the body names the cap that is reserved at first, so that mostly it is rendered once. */
export function ready(deps: ReadyDeps, { turn, endpoint, payer }: ReadyFor): Ready {
  const at = deps.clock.now();
  if (turn.request.speech !== undefined) return { ...prepareSpeech(deps, { turn, endpoint, at }), at };
  const limited = payer !== undefined && limitsFor(payer, { byok: endpoint.byok === true }).length > 0;
  const asked = { request: turn.request, endpoint, at };
  const { askedCap, usualCap } = capsOf(asked, deps.limits);
  if (!limited) {
    const rendered = render(deps, { turn, endpoint, outputCap: askedCap });
    const order = orderOf({ ...asked, rendered }, deps.limits);
    return { rendered, order, outputCap: undefined, at };
  }
  const outputCap = askedCap ?? usualCap;
  const rendered = render(deps, { turn, endpoint, outputCap, limited });
  return { rendered, order: orderOf({ ...asked, rendered }, deps.limits), outputCap, at };
}

/** The APIs through which stories are told: what clients send there, and what becomes of an answer. */

import { ApiError } from "../../shared/errors.ts";
import type { ModelEvent } from "../../server/protocols/canonical/event.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { chatInbound } from "../../server/protocols/chat/inbound/mod.ts";
import { messagesInbound } from "../../server/protocols/messages/inbound/mod.ts";
import { responsesInbound } from "../../server/protocols/responses/inbound/mod.ts";
import type { Inbound, InboundContext, ProviderError } from "../../server/protocols/wire.ts";
import { runMachine, type Source } from "../../server/protocols/stream/source.ts";

export interface Api {
  readonly parse: (body: unknown) => ModelRequest;
  /** The event stream, as the client gets it. `body`: what the client sent, where it came through this API. */
  readonly stream: (events: Source<ModelEvent>, body: unknown) => Promise<string>;
  /** The whole answer, or the refusal that a failure is when nothing went out yet. */
  readonly whole: (events: readonly ModelEvent[], body: unknown) => string;
  readonly refusal: (error: Pick<ProviderError, "kind" | "message">) => string;
}

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

function contextOf<Echo>(inbound: Inbound<Echo, unknown, unknown>, body: unknown): InboundContext<Echo> {
  const { request, echo } = inbound.parseRequest(body, {});
  return {
    echo,
    responseId: `${inbound.idPrefix}1`,
    suffix: "1",
    createdAt: 1_750_000_000,
    model: () => request.model ?? "",
    completionInfo: () => ({ completedAt: 1_750_000_001, extra: {}, usage: {} }),
    takeDebugBodies: () => [],
    strictEvents: false,
    include: request.include,
  };
}

/** `plain`: the least that this API takes, for answers to requests that came through another one. */
function apiOf<Echo, State, Event>(inbound: Inbound<Echo, State, Event>, plain: object): Api {
  const refusal: Api["refusal"] = ({ kind, message }) => {
    const error = new ApiError(kind, message);
    return pretty(inbound.renderError(error, { status: error.status, requestId: "req_1" }));
  };
  const context = (body: unknown) => contextOf(asAnyState(inbound), body ?? plain);
  return {
    parse: (body) => inbound.parseRequest(body, {}).request,
    refusal,
    whole: (events, body) => {
      const failure = events.find((event) => event.type === "failure");
      if (failure !== undefined) return refusal(failure.failure);
      return pretty(inbound.renderResponse(context(body), events));
    },
    stream: async (events, body) => {
      const source = runMachine(inbound.renderEvents(context(body)), events);
      let text = "";
      for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) {
        text += batch.map(inbound.frame).join("");
      }
      return (text + inbound.terminator).replace(/\n$/, "");
    },
  };
}

/** Only what does not depend on the state is used of it. */
function asAnyState<Echo, State, Event>(
  inbound: Inbound<Echo, State, Event>,
): Inbound<Echo, unknown, unknown> {
  return inbound as unknown as Inbound<Echo, unknown, unknown>;
}

const model = "acme/one";
const messages = [{ role: "user", content: "Hi" }];

export const apis = {
  responses: apiOf(responsesInbound, { model, input: "Hi" }),
  chat: apiOf(chatInbound, { model, messages }),
  messages: apiOf(messagesInbound, { model, messages, max_tokens: 1_000 }),
} as const satisfies Readonly<Record<string, Api>>;

export type ApiName = keyof typeof apis;

import assert from "node:assert/strict";
import { ApiError } from "../../shared/errors.ts";
import { chatOutbound } from "../../server/protocols/chat/outbound/mod.ts";
import { messagesOutbound } from "../../server/protocols/messages/outbound/mod.ts";
import { parseRequest } from "../../server/protocols/responses/inbound/parse_request.ts";
import { responsesOutbound } from "../../server/protocols/responses/outbound/mod.ts";
import type { Outbound } from "../../server/protocols/wire.ts";
import { covering } from "../fuzz/covering.ts";
import { recordedRequests } from "../fuzz/recorded.ts";
import { chatComplaint } from "../mocks/chat_rules.ts";
import { messagesComplaint } from "../mocks/messages_rules.ts";
import { complaint, type Json, type SchemaViolation } from "../mocks/published.ts";
import { responsesComplaint } from "../mocks/responses_rules.ts";
import { endpointTraits } from "../support/requests.ts";

type Complaint = (body: Json) => SchemaViolation | undefined;

interface Judged {
  readonly render: Outbound<unknown>["renderRequest"];
  /** Keys and kinds alone: the covering requests hold calls that nothing answers. */
  readonly keys: Complaint;
  readonly whole: Complaint;
}

const wires: Readonly<Record<string, Judged>> = {
  responses: {
    render: responsesOutbound.renderRequest,
    keys: (body) => complaint("responses", body),
    whole: responsesComplaint,
  },
  chat: {
    render: chatOutbound.renderRequest,
    keys: (body) => complaint("chat", withoutVideo(body)),
    whole: chatComplaint,
  },
  messages: {
    render: messagesOutbound.renderRequest,
    keys: (body) => complaint("messages", body),
    whole: messagesComplaint,
  },
};

/** Videos are beyond what OpenAI publishes for this wire; the servers that take them spell them alike. */
function withoutVideo(body: Json): Json {
  return JSON.parse(
    JSON.stringify(body, (_, value) => value?.type === "video_url" ? { type: "text" } : value),
  );
}

/** Renders a body as JSON carries it; undefined when nothing is sent because the request cannot be met. */
function rendered({ render }: Judged, body: unknown): Json | undefined {
  const { request } = parseRequest(body);
  try {
    const { body: sent } = render(request, endpointTraits({ safetyIdentifier: "hmac" }));
    return JSON.parse(JSON.stringify(sent));
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

for (const [wire, judged] of Object.entries(wires)) {
  Deno.test(`${wire}: the service takes every field, item and tool as we render it`, () => {
    for (const body of covering) {
      const sent = rendered(judged, body);
      if (sent === undefined) continue;
      assert.equal(judged.keys(sent)?.message, undefined, JSON.stringify(body).slice(0, 400));
    }
  });

  Deno.test(`${wire}: the service takes what real clients send as we render it`, async (t) => {
    for (const { name, body } of recordedRequests()) {
      await t.step(name, () => {
        const sent = rendered(judged, body);
        assert.ok(sent !== undefined);
        assert.equal(judged.whole(sent)?.message, undefined);
      });
    }
  });
}

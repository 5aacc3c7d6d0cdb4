/** The words of a refusal mean the same on every wire: hosts of one maker's models say them on several. */

import assert from "node:assert/strict";
import type { Failure } from "../../server/protocols/canonical/event.ts";
import type { WireId } from "../../server/protocols/canonical/item.ts";
import { outboundFor } from "../../server/protocols/mod.ts";
import { foldEvents } from "../../server/protocols/stream/state_machine.ts";
import type { SseFrame } from "../../server/protocols/stream/sse.ts";
import { modelRequest } from "../support/requests.ts";
import { otherWordings, type Wording, wordings } from "./wordings.ts";

interface Speech {
  readonly body: (wording: Wording) => unknown;
  /** The same as a frame of a stream. */
  readonly frame: (wording: Wording) => SseFrame;
}

const openai: Speech["body"] = ({ message, code = null }) => ({
  error: { message, code, type: "invalid_request_error", param: null },
});
const messages: Speech["body"] = ({ message, code = "invalid_request_error" }) => ({
  type: "error",
  error: { type: code, message },
});
const google = ({ message, status = 400 }: Wording) => {
  const word = { 403: "PERMISSION_DENIED", 500: "INTERNAL" }[status] ?? "INVALID_ARGUMENT";
  return { error: { code: status, status: word, message } };
};
const data = (value: unknown, event?: string): SseFrame => ({ event, data: JSON.stringify(value) });

const speeches: { readonly [W in WireId]: Speech } = {
  chat: { body: openai, frame: (wording) => data(openai(wording)) },
  responses: {
    body: openai,
    frame: ({ message, code = "invalid_request_error" }) =>
      data({ type: "error", code, message, param: null }, "error"),
  },
  messages: { body: messages, frame: (wording) => data(messages(wording), "error") },
  gemini: { body: google, frame: (wording) => data(google(wording)) },
  bedrock: {
    body: ({ message }) => ({ message }),
    frame: ({ message }) => data({ message }, "validationException"),
  },
};

const wires = Object.entries(speeches).map(([wire, speech]) => ({ wire: asWire(wire), ...speech }));

function asWire(name: string): WireId {
  return name as WireId;
}

function failureIn(wire: WireId, frame: SseFrame): Failure | undefined {
  const machine = outboundFor(wire).parseEvents(modelRequest({ stream: true }));
  return foldEvents(machine, [frame]).map((event) => event.type === "failure" ? event.failure : undefined)
    .find((failure) => failure !== undefined);
}

/** Bodies that no gateway has written have a status only. */
const isWhole = ({ status = 400 }: Wording) => [400, 422].includes(status);

for (const [kind, list] of Object.entries(wordings)) {
  Deno.test(`parseError finds ${kind} in every wording, on every wire, and asks the next endpoint`, () => {
    for (const wording of list as readonly Wording[]) {
      for (const { wire, body } of wires) {
        const { status = 400, host, message } = wording;
        const error = outboundFor(wire).parseError(status, JSON.stringify(body(wording)));
        assert.deepEqual(
          [error.kind, error.endpointSpecific],
          [kind, true],
          `${host} on ${wire}: ${message}`,
        );
      }
    }
  });

  if (kind === "too_large") continue;
  Deno.test(`parseEvents finds ${kind} in every wording of an error inside a stream`, () => {
    for (const wording of (list as readonly Wording[]).filter(isWhole)) {
      for (const { wire, frame } of wires) {
        const failure = failureIn(wire, frame(wording));
        const found = [failure?.kind, failure?.endpointSpecific];
        assert.deepEqual(found, [kind, true], `${wording.host} on ${wire}: ${wording.message}`);
      }
    }
  });
}

Deno.test("parseError does not take words that only resemble a refusal for one", () => {
  for (const wording of otherWordings) {
    for (const { wire, body } of wires) {
      const { status = 400, host, message, kind } = wording;
      const error = outboundFor(wire).parseError(status, JSON.stringify(body(wording)));
      assert.deepEqual([error.kind, error.endpointSpecific], [kind, false], `${host} on ${wire}: ${message}`);
    }
  }
});

Deno.test("parseError reads long texts of a caller that a provider repeats in no time", () => {
  const long = `prompt ${"token ".repeat(10_000)}${"image input ".repeat(5_000)}`;
  for (const { wire, body } of wires) {
    const error = outboundFor(wire).parseError(400, JSON.stringify(body({ host: "any", message: long })));
    assert.equal(error.kind, "invalid_request");
  }
});

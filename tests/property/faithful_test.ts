/** Faithful on its own wire: what arrives at a provider is what its client sent, but for a closed list of changes. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { chatInbound } from "../../server/protocols/chat/inbound/mod.ts";
import { chatOutbound } from "../../server/protocols/chat/outbound/mod.ts";
import { messagesInbound } from "../../server/protocols/messages/inbound/mod.ts";
import { messagesOutbound } from "../../server/protocols/messages/outbound/mod.ts";
import { responsesInbound } from "../../server/protocols/responses/inbound/mod.ts";
import { responsesOutbound } from "../../server/protocols/responses/outbound/mod.ts";
import { foldEvents } from "../../server/protocols/stream/state_machine.ts";
import { apis } from "../golden/apis.ts";
import { wires } from "../golden/wires.ts";
import { isObject, type Json, objects } from "../mocks/published.ts";
import { assertProperty, runs } from "../support/property.ts";
import { endpointTraits } from "../support/requests.ts";
import { seed } from "../support/seed.ts";
import { addedUp, chatAnswers, chatChunks, wholeChat } from "./faithful/chat_answers.ts";
import { chatRequests } from "./faithful/chat_requests.ts";
import type { DocumentedChange, FaithfulWire } from "./faithful/changes.ts";
import { documentedChanges } from "./faithful/documented_changes.ts";
import { accumulated, messageEvents, messagesAnswers, wholeMessage } from "./faithful/messages_answers.ts";
import { messagesRequests } from "./faithful/messages_requests.ts";
import { responseEvents, responsesAnswers, wholeResponse } from "./faithful/responses_answers.ts";
import { responsesRequests } from "./faithful/responses_requests.ts";

const wiresOf: readonly (readonly [FaithfulWire, fc.Arbitrary<Json>])[] = [
  ["messages", messagesRequests],
  ["chat", chatRequests],
  ["responses", responsesRequests],
];

function arrived(wire: FaithfulWire, body: Json): Json {
  const request = apis[wire].parse(body);
  const rendered = wires[wire]?.renderRequest(request, endpointTraits({ upstreamModel: String(body.model) }));
  assert(rendered);
  return JSON.parse(JSON.stringify(rendered.body));
}

for (const [wire, requests] of wiresOf) {
  const changes = documentedChanges.filter((one) => one.wire === wire);

  Deno.test(`${wire}: what arrives at a provider is what was sent (SEED=${seed})`, () => {
    const used = new Set<DocumentedChange>();
    const property = fc.property(requests, (sent) => {
      const expected = changes.reduce((body, change) => {
        const changed = change.apply(body);
        if (JSON.stringify(changed) !== JSON.stringify(body)) used.add(change);
        return changed;
      }, sent);
      assert.deepEqual(arrived(wire, sent), JSON.parse(JSON.stringify(expected)));
    });
    assertProperty(property, { numRuns: runs(300) });
    assert.deepEqual(
      changes.filter((one) => !used.has(one)).map(({ what }) => what),
      [],
      "no request needs it",
    );
  });
}

/** Fields that the gateway fills itself in every answer; `theirs` drops them, and fields that are null. */
const ours = ["id", "model", "usage", "stop_details"];
const theirs = (message: Json): Json =>
  Object.fromEntries(Object.entries(message).filter(([key, value]) => !ours.includes(key) && value !== null));

Deno.test(`messages: a stream arrives at a client as it was sent (SEED=${seed})`, () => {
  const { parseEvents } = messagesOutbound;
  const request = apis.messages.parse({
    model: "m",
    max_tokens: 10,
    messages: [{ role: "user", content: "Hi" }],
  });
  const property = fc.property(messagesAnswers, (answer) => {
    const sent = messageEvents(answer);
    const frames = sent.map((event) => ({ event: String(event.type), data: JSON.stringify(event) }));
    const events = foldEvents(parseEvents(request), frames);
    const rendered = foldEvents(messagesInbound.renderEvents(contextFor()), events);
    assert.deepEqual(plain(theirs(accumulated(rendered))), plain(theirs(accumulated(sent))));
  });
  assertProperty(property, { numRuns: runs(300) });
});

Deno.test(`messages: a whole answer arrives at a client as it was sent (SEED=${seed})`, () => {
  const request = apis.messages.parse({
    model: "m",
    max_tokens: 10,
    messages: [{ role: "user", content: "Hi" }],
  });
  const property = fc.property(messagesAnswers, (answer) => {
    const sent = wholeMessage(answer);
    const events = messagesOutbound.parseResponse(sent, request);
    const rendered = messagesInbound.renderResponse(contextFor(), events);
    assert.deepEqual(plain(theirs(rendered)), plain(theirs(sent)));
  });
  assertProperty(property, { numRuns: runs(300) });
});

Deno.test(`chat: a stream arrives at a client as it was sent (SEED=${seed})`, () => {
  const property = fc.property(chatAnswers, (answer) => {
    const sent = chatChunks(answer);
    const frames = sent.map((chunk) => ({ event: undefined, data: JSON.stringify(chunk) }));
    const events = foldEvents(chatOutbound.parseEvents(chatRequest), [...frames, {
      event: undefined,
      data: "[DONE]",
    }]);
    const rendered = foldEvents(chatInbound.renderEvents(chatContext()), events).map(({ body }) => body);
    assert.deepEqual(plain(spokenIn(addedUp(rendered))), plain(spokenIn(addedUp(sent))));
  });
  assertProperty(property, { numRuns: runs(300) });
});

Deno.test(`chat: a whole answer arrives at a client as it was sent (SEED=${seed})`, () => {
  const property = fc.property(chatAnswers, (answer) => {
    const sent = wholeChat(answer);
    const events = chatOutbound.parseResponse(sent, chatRequest);
    const rendered = chatInbound.renderResponse(chatContext(), events);
    assert.deepEqual(plain(spokenIn(rendered)), plain(spokenIn(sent)));
  });
  assertProperty(property, { numRuns: runs(300) });
});

Deno.test(`responses: a stream arrives at a client as it was sent (SEED=${seed})`, () => {
  const property = fc.property(responsesAnswers, (answer) => {
    const sent = responseEvents(answer);
    const frames = sent.map((event) => ({ event: String(event.type), data: JSON.stringify(event) }));
    const events = foldEvents(responsesOutbound.parseEvents(responsesRequest), frames);
    const rendered = foldEvents(responsesInbound.renderEvents(responsesContext()), events);
    const last = rendered.at(-1)?.response;
    assert.deepEqual(plain(isObject(last) ? last.output : undefined), plain(answer.output));
    assert.deepEqual(plain(laterIn(rendered)), plain(laterIn(sent)));
    assert.deepEqual(plain(rendered.filter(isDelta).map(ownOf)), plain(sent.filter(isDelta).map(ownOf)));
  });
  assertProperty(property, { numRuns: runs(300) });
});

Deno.test(`responses: a whole answer arrives at a client as it was sent (SEED=${seed})`, () => {
  const property = fc.property(responsesAnswers, (answer) => {
    const events = responsesOutbound.parseResponse(wholeResponse(answer), responsesRequest);
    const rendered = responsesInbound.renderResponse(responsesContext(), events);
    assert.deepEqual(plain(rendered.output), plain(answer.output));
  });
  assertProperty(property, { numRuns: runs(300) });
});

const { request: responsesRequest, echo: responsesEcho } = responsesInbound.parseRequest({
  model: "m",
  input: "Hi",
}, {});
const responsesContext = () => ({ ...contextFor(), echo: responsesEcho, responseId: "resp_1" });

const withoutNumber = ({ sequence_number: _, ...event }: Json): Json => event;
const laterIn = (events: readonly Json[]) =>
  events.filter(({ type }) => type === "response.later.event").map(withoutNumber);

const isDelta = ({ type }: Json) => String(type).endsWith(".delta");

/** Fields of a delta that are not published. */
const ownOf = ({ x_later, later_field, beta_2027 }: Json): Json => ({ x_later, later_field, beta_2027 });

const chatRequest = apis.chat.parse({ model: "m", messages: [{ role: "user", content: "Hi" }] });
const chatContext = () => ({ ...contextFor(), echo: { hideReasoning: false }, responseId: "chatcmpl_1" });

/** An answer without what the gateway says in words of its own, and without fields that say nothing. */
function spokenIn(answer: Json): Json {
  const { choices, ...rest } = answer;
  const said = (fields: Json, ...own: readonly string[]): Json =>
    Object.fromEntries(Object.entries(fields).filter(([key, value]) => !own.includes(key) && value !== null));
  return {
    ...said(rest, "id", "created", "model", "usage", "object"),
    choices: objects(choices).map(({ message, ...choice }) => ({
      ...said(choice),
      message: said(isObject(message) ? message : {}),
    })),
  };
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const contextFor = () => ({
  echo: { omitReasoning: false },
  responseId: "msg_1",
  suffix: "1",
  createdAt: 1_750_000_000,
  model: () => "m",
  completionInfo: () => ({ completedAt: 1_750_000_001, extra: {}, usage: {} }),
  takeDebugBodies: () => [],
  strictEvents: false,
  include: [],
});

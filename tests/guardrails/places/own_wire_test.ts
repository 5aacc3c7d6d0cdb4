/** Parts of an answer that only clients of its provider's own wire get are read too, whole and streamed. */

import assert from "node:assert/strict";
import { apiNames } from "../../money/rig.ts";
import type { Json } from "../../mocks/published.ts";
import { type ChatAnswer, chatChunks, wholeChat } from "../../property/faithful/chat_answers.ts";
import {
  messageEvents,
  type MessagesAnswer,
  wholeMessage,
} from "../../property/faithful/messages_answers.ts";
import { frame as chatFrame, sse } from "../../support/scripted.ts";
import { guardedBy } from "../guarded.ts";
import { frame } from "./provider_events.ts";

const secret = "id-4711-x";
const filter = { content_filters: [{ pattern: "id-\\d{4}-[a-z]", action: "redact", label: "ID" }] };
const block = { content_filters: [{ pattern: "id-\\d{4}-[a-z]", action: "block", label: "ID" }] };

const text = (words: string, more: Json = {}): Json => ({ type: "text", text: words, ...more });
const cited = (citation: Json) =>
  text("ok", { citations: [{ type: "char_location", cited_text: "x", ...citation }] });

const answer = (fields: Partial<MessagesAnswer>): MessagesAnswer => ({
  content: [text("ok")],
  first: {},
  last: {},
  event: undefined,
  size: 3,
  ...fields,
});

const messages: Readonly<Record<string, MessagesAnswer>> = {
  "a second block of text": answer({ content: [text("ok"), text(secret)] }),
  "a text over two blocks' deltas": answer({ content: [text("ok"), text(`so ${secret} it`)] }),
  "the text that is cited": answer({ content: [cited({ cited_text: secret })] }),
  "a new field of a citation": answer({ content: [cited({ later: secret })] }),
  "a new field of a text block": answer({ content: [text("ok", { later: secret })] }),
  "a new field of a thought": answer({
    content: [{ type: "thinking", thinking: "hm", signature: "c2ln", later: secret }, text("ok")],
  }),
  "the caller of a call": answer({
    content: [{
      type: "tool_use",
      id: "t_1",
      name: "send",
      input: {},
      caller: { type: "direct", later: secret },
    }],
  }),
  "a new block": answer({ content: [{ type: "later_block", content: { deep: secret } }, text("ok")] }),
  "the text of a new block, in pieces": answer({
    content: [{ type: "later_block", text: secret }, text("ok")],
  }),
  "a new field at the beginning": answer({ first: { container: { id: "c", later: secret } } }),
  "a new field at the end": answer({ last: { context_management: { edits: secret } } }),
  "a new event": answer({ event: { type: "later_event", words: secret } }),
};

const chatAnswer = (fields: Partial<ChatAnswer>): ChatAnswer => ({
  content: "ok",
  calls: [],
  message: {},
  choice: {},
  answer: {},
  size: 3,
  ...fields,
});

const chat: Readonly<Record<string, ChatAnswer>> = {
  "a new text of a message, in pieces": chatAnswer({ message: { later_text: secret } }),
  "a new list of a message": chatAnswer({ message: { citations: ["a", secret] } }),
  "a new field beside the message": chatAnswer({ choice: { native_finish_reason: secret } }),
  "a new field at the top": chatAnswer({ answer: { citations: [secret] } }),
};

interface SpokenAnswer {
  readonly name: string;
  readonly wire: "messages" | "chat";
  readonly say: (stream: boolean) => Response;
}

const answers: readonly SpokenAnswer[] = [
  ...Object.entries(messages).map(([name, one]): SpokenAnswer => ({
    name,
    wire: "messages",
    say: (stream) =>
      stream ? sse(messageEvents(one).map((event) => frame({ ...event }))) : Response.json(wholeMessage(one)),
  })),
  ...Object.entries(chat).map(([name, one]): SpokenAnswer => ({
    name,
    wire: "chat",
    say: (stream) =>
      stream
        ? sse([...chatChunks(one).map((chunk) => chatFrame(chunk)), "data: [DONE]\n\n"])
        : Response.json(wholeChat(one)),
  })),
];

for (const wire of ["messages", "chat"] as const) {
  Deno.test(`what only clients of the ${wire} wire are told is replaced, on every API`, async () => {
    let say: SpokenAnswer["say"] = () => new Response();
    await using rig = await guardedBy(wire, ({ body }) => say(body.stream === true), filter);
    for (const one of answers.filter((each) => each.wire === wire)) {
      say = one.say;
      for (const api of apiNames) {
        for (const stream of [false, true]) {
          const { raw, status } = await rig.ask({ api, stream });
          const told = `${one.name}, ${api}, ${stream ? "streamed" : "whole"}: ${raw}`;
          assert.equal(status, 200, told);
          assert.ok(!raw.includes(secret), told);
          // An event stands in streams only.
          const isTold = api === wire && (stream || one.name !== "a new event");
          if (isTold) assert.ok(raw.includes("[ID]"), told);
        }
      }
    }
  });

  Deno.test(`what only clients of the ${wire} wire are told is blocked before any of it has left`, async () => {
    let say: SpokenAnswer["say"] = () => new Response();
    await using rig = await guardedBy(wire, ({ body }) => say(body.stream === true), block);
    for (const one of answers.filter((each) => each.wire === wire)) {
      say = one.say;
      for (const stream of [false, true]) {
        const { raw } = await rig.ask({ api: wire, stream });
        assert.ok(!raw.includes(secret), `${one.name}, ${stream ? "streamed" : "whole"}: ${raw}`);
      }
    }
  });
}

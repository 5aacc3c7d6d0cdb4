import assert from "node:assert/strict";
import { modelRequest } from "../../../../../tests/support/requests.ts";
import { foldEvents } from "../../../stream/state_machine.ts";
import { parseResponse } from "../parse_response.ts";
import { parseEvents } from "./parse_events.ts";

const tagged = { traits: ["think_tags"] } as const;

/** Parses a text in chunks: reasoning and texts, joined where they follow each other. */
function parseText(pieces: readonly string[]): readonly (readonly [string, string])[] {
  const chunks = pieces.map((content) => ({ data: JSON.stringify({ choices: [{ delta: { content } }] }) }));
  const end = { data: JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }] }) };
  const out: [string, string][] = [];
  for (
    const event of foldEvents(parseEvents(modelRequest(), tagged), [...chunks, end, { data: "[DONE]" }])
  ) {
    if (event.type !== "text" && event.type !== "thought") continue;
    const last = out.at(-1);
    if (last?.[0] === event.type) last[1] += event.delta;
    else out.push([event.type, event.delta]);
  }
  return out;
}

const cases: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  "<think>\nWell.\nYes.\n</think>\n\nHello.": [["thought", "Well.\nYes."], ["text", "Hello."]],
  "<think></think>Hello.": [["text", "Hello."]],
  "<think>a < b, a </b, a</think>Hello.": [["thought", "a < b, a </b, a"], ["text", "Hello."]],
  "Hello <think>no thought</think>.": [["text", "Hello <think>no thought</think>."]],
  "<thin": [["text", "<thin"]],
  "<thinking>x": [["text", "<thinking>x"]],
  " indented": [["text", " indented"]],
  "<think>cut off </thi": [["thought", "cut off </thi"]],
  "<think>a < b  </think>Hello.": [["thought", "a < b"], ["text", "Hello."]],
  "<think>a</think>one <think>two</think>": [["thought", "a"], ["text", "one <think>two</think>"]],
};

Deno.test("thoughts at the beginning of a text are taken out of it, whatever the pieces", () => {
  for (const [text, expected] of Object.entries(cases)) {
    assert.deepEqual(parseText([text]), expected, text);
    assert.deepEqual(parseText([...text]), expected, `${text}, letter by letter`);
    for (let at = 1; at < text.length; at++) {
      assert.deepEqual(parseText([text.slice(0, at), text.slice(at)]), expected, `${text} cut at ${at}`);
    }
  }
});

Deno.test("a whole answer is read alike, and only where the server is known to think so", () => {
  const message = { role: "assistant", content: "<think>Hm.</think>Hi." };
  const body = { choices: [{ message, finish_reason: "stop" }] };
  const kinds = (known: typeof tagged | undefined) =>
    parseResponse(body, modelRequest(), known).flatMap((event) =>
      event.type === "item" ? [event.item.type] : []
    );
  assert.deepEqual(kinds(tagged), ["reasoning", "message"]);
  assert.deepEqual(kinds(undefined), ["message"]);
});

Deno.test("thoughts are looked through once, whatever stands in them", () => {
  for (const filling of [" ", "\n", "<", " <", "</think"]) {
    const thought = `a${filling.repeat(1_000_000)}b`;
    assert.deepEqual(parseText([`<think>${thought}`, "</think>c"]), [["thought", thought], ["text", "c"]]);
  }
});

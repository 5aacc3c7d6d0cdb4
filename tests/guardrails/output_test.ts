/** Content filters on responses: whatever the API, the place and the pieces in which a match comes. */

import assert from "node:assert/strict";
import { asObject } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { deltaFrame, endFrames, openingFrames, scripted, sse, wholeText } from "../support/scripted.ts";
import { apiNames, call, framesOf, pricedAt } from "../money/rig.ts";
import { guarded, type Place, places } from "./guarded.ts";

const secret = "id-4711-x";
const [before, after] = ["The number is ", " as you know."];
const text = `${before}${secret}${after}`;
const asJson = (content: string) => JSON.stringify({ to: 7, text: content, more: { list: ["a"] } });
const said = (place: Place, content: string) => place === "arguments" ? asJson(content) : content;

/** Every way to cut the match in two, and letter by letter. */
function cuts(whole: string): readonly (readonly string[])[] {
  const start = whole.indexOf(secret);
  const ends = Array.from({ length: secret.length + 1 }, (_, length) => start + length);
  return [...ends.map((end) => [whole.slice(0, end), whole.slice(end)]), [...whole]];
}

const pattern = "id-\\d{4}-[a-z]";
const stages = { "x-service-metadata": "enabled" };

Deno.test("a match is replaced wherever it stands and however it is cut", async () => {
  await using rig = await guarded({ content_filters: [{ pattern, action: "redact", label: "ID" }] });
  for (const place of places) {
    const expected = said(place, `${before}[ID]${after}`);
    for (const api of apiNames) {
      for (const pieces of cuts(said(place, text))) {
        rig.say({ place, pieces });
        for (const stream of [true, false]) {
          const answer = await rig.ask({ api, stream });
          assert.equal(answer.status, 200, answer.raw);
          assert.deepEqual(answer.texts[place], expected, `${api} ${place} ${JSON.stringify(pieces)}`);
          assert.ok(!answer.raw.includes(secret), answer.raw);
        }
      }
    }
  }
});

Deno.test("a match blocks wherever it stands, before any of it has left", async () => {
  await using rig = await guarded({ content_filters: [{ pattern, action: "block", label: "ID" }] });
  for (const place of places) {
    for (const api of apiNames) {
      for (const pieces of cuts(said(place, text))) {
        rig.say({ place, pieces });
        for (const stream of [true, false]) {
          const { raw, status, error, texts } = await rig.ask({ api, stream });
          assert.equal(status, stream && texts[place] !== "" ? 200 : 403, raw);
          assert.ok(text.startsWith(texts[place]) || place === "arguments", raw);
          assert.ok(!raw.includes("id-"), raw);
          assert.ok(error !== undefined, raw);
          assert.match(JSON.stringify(error), /content_policy_violation/);
          assert.match(JSON.stringify(error), /"patterns":\["ID"\]/);
          assert.match(JSON.stringify(error), new RegExp(rig.guardrail));
        }
      }
    }
  }
});

Deno.test("a match that is only flagged goes on as it came", async () => {
  await using rig = await guarded({ content_filters: [{ pattern, action: "flag", label: "ID" }] });
  for (const place of places) {
    for (const api of apiNames) {
      const pieces = [...said(place, text)];
      rig.say({ place, pieces });
      for (const stream of [true, false]) {
        const { texts, raw } = await rig.ask({ api, stream, headers: stages });
        assert.equal(texts[place], said(place, text));
        assert.match(raw, /"action":"flagged","detected":true/, `${api} ${place} ${stream}`);
      }
    }
  }
});

Deno.test("a block behind what is out already ends the stream, and what was produced is charged", async () => {
  await using rig = await guarded({ content_filters: [{ pattern, action: "block", label: "ID" }] });
  const long = "lorem ipsum ".repeat(20);
  for (const api of apiNames) {
    rig.say({ place: "text", pieces: [...`${long}${text}`] });
    const { raw, status, texts } = await rig.ask({ api, stream: true, headers: stages });
    assert.equal(status, 200);
    assert.equal(texts.text, `${long}${before}`.slice(0, texts.text.length));
    assert.ok(texts.text.length >= long.length / 2, raw);
    assert.match(raw, /"action":"blocked"/);
    assert.ok(!raw.includes("id-"));
  }
});

Deno.test("a provider that tells its texts twice tells them replaced both times", async () => {
  let pieces: readonly string[] = [];
  await using upstream = scripted(({ body }) =>
    body.stream === true
      ? sse([
        ...openingFrames("responses"),
        ...pieces.map((piece) => deltaFrame("responses", piece)),
        ...endFrames("responses", pieces.join("")),
      ])
      : Response.json(wholeText("responses", pieces.join("")))
  );
  await using gateway = await startGateway({
    providers: [pricedAt(upstream.baseUrl, { wire: "responses" })],
  });
  const { key } = await createKey(gateway);
  const { body } = await managed(gateway, { call: "GET /workspaces/default" });
  const { default_guardrail_id: standard } = asObject(body.data);
  const filters = { content_filters: [{ pattern, action: "redact", label: "ID" }] };
  await managed(gateway, { call: `PATCH /guardrails/${standard}`, body: filters });
  for (pieces of cuts(text)) {
    for (const api of apiNames) {
      for (const stream of [true, false]) {
        const raw = await call(gateway, { api, key, stream }).then((response) => response.text());
        // Ids are random: four digits alone may stand in one.
        assert.doesNotMatch(raw, /id-4711|4711-x/);
        if (api !== "responses") continue;
        const last = stream ? asObject(framesOf(raw).at(-1)?.response) : asObject(JSON.parse(raw));
        assert.match(JSON.stringify(last.output), /The number is \[ID\] as you know\./);
        const streamed = framesOf(raw).map(({ type, delta }) =>
          type === "response.output_text.delta" ? delta : ""
        );
        if (stream) assert.equal(streamed.join(""), `${before}[ID]${after}`);
      }
    }
  }
});

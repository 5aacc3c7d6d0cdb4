/** The action `mask`: the provider sees placeholders, the client gets its own texts back. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { compileContentFilters } from "../../server/pipeline/guardrails/content_filters.ts";
import type { FilterAction } from "../../server/pipeline/guardrails/filter_strength.ts";
import { MaskMap } from "../../server/pipeline/guardrails/mask_map.ts";
import type { ScanOptions } from "../../server/pipeline/guardrails/scanners/scan_options.ts";
import { INPUT_WINDOW, OUTPUT_WINDOW } from "../../server/pipeline/guardrails/scanners/scan_windows.ts";
import { scanText } from "../../server/pipeline/guardrails/scanners/scan_text.ts";
import { TextScanner } from "../../server/pipeline/guardrails/scanners/text_scanner.ts";
import { runNow } from "../../shared/util/run_work.ts";
import { apiNames } from "../money/rig.ts";
import type { Json } from "../support/event_stream.ts";
import { assertProperty } from "../support/property.ts";
import { guarded, guardedBy, places } from "./guarded.ts";
import { chatFrames, chatWhole, type Said } from "./guarded.ts";
import { type Requested, sse } from "../support/scripted.ts";

const mail = "ann@example.org";
const mask = { content_filter_builtins: [{ slug: "email", action: "mask" }] };
const headers = { "x-service-metadata": "enabled" };

Deno.test("the provider sees placeholders, and the client its own text, wherever it stands and is cut", async () => {
  await using rig = await guarded(mask);
  for (const place of places) {
    const said = place === "arguments"
      ? '{"to":"[EMAIL_1]","cc":"[EMAIL_7]"}'
      : "Write to [EMAIL_1], not [EMAIL_7]";
    const got = said.replace("[EMAIL_1]", mail);
    for (let cut = 1; cut < said.length; cut++) {
      rig.say({ place, pieces: [said.slice(0, cut), said.slice(cut)] });
      for (const api of apiNames) {
        const { texts, raw } = await rig.ask({ api, stream: true, text: `I am ${mail}` });
        assert.equal(texts[place], got, `${api} ${place} ${cut} ${raw}`);
      }
    }
    for (const api of apiNames) {
      const { texts, raw } = await rig.ask({ api, stream: false, text: `I am ${mail}`, headers });
      assert.deepEqual(texts[place].replaceAll(" ", ""), got.replaceAll(" ", ""), raw);
      assert.match(raw, /"action":"masked"/);
      const sent = JSON.stringify(rig.upstream.requested.at(-1)?.body);
      assert.ok(sent.includes("I am [EMAIL_1]") && !sent.includes(mail), sent);
    }
  }
  assert.ok(!rig.gateway.logged.join("\n").includes(mail));
});

Deno.test("one text has one placeholder, and a conversation that goes on keeps them", async () => {
  await using rig = await guarded(mask);
  const first: readonly Json[] = [{ role: "user", content: `${mail}, bob@example.org and ${mail}` }];
  const later = [...first, { role: "assistant", content: `Hello ${mail}` }, {
    role: "user",
    content: "cyd@example.org or bob@example.org",
  }];
  const sent = async (messages: readonly Json[]) => {
    await rig.ask({ api: "chat", stream: false, more: { messages } });
    return JSON.stringify(rig.upstream.requested.at(-1)?.body.messages);
  };
  const one = await sent(first);
  const both = await sent(later);
  assert.match(one, /\[EMAIL_1\], \[EMAIL_2\] and \[EMAIL_1\]/);
  assert.ok(both.startsWith(one.slice(0, -1)), both);
  assert.match(both, /Hello \[EMAIL_1\].*\[EMAIL_3\] or \[EMAIL_2\]/);
});

Deno.test("what a caller writes as a placeholder stands for itself", async () => {
  await using rig = await guarded(mask);
  rig.say({ place: "text", pieces: ["[EMAIL_1] [EMAIL_2]"] });
  const { texts } = await rig.ask({ api: "chat", stream: true, text: `[EMAIL_1] is not ${mail}` });
  assert.match(JSON.stringify(rig.upstream.requested.at(-1)?.body), /\[EMAIL_1\] is not \[EMAIL_2\]/);
  assert.equal(texts.text, `[EMAIL_1] ${mail}`);
});

Deno.test("a text that comes back into JSON is written as JSON, streamed at every cut and whole", async () => {
  const own = '<<say "hi"\\ and\n\u{1F600}>>';
  await using rig = await guarded({
    content_filters: [{ pattern: "<<[^>]{1,60}>>", action: "mask", label: "V" }],
  });
  const said = '{"v":"It is [V_1]."}';
  const format = { type: "json_object" };
  const asking: Readonly<Record<(typeof apiNames)[number], Json>> = {
    responses: { text: { format } },
    chat: { response_format: format },
    messages: {
      output_config: {
        format: {
          type: "json_schema",
          schema: {
            type: "object",
            properties: { v: { type: "string" } },
            required: ["v"],
            additionalProperties: false,
          },
        },
      },
    },
  };
  for (const api of apiNames) {
    for (let cut = 0; cut < said.length; cut++) {
      rig.say({ place: "text", pieces: [said.slice(0, cut), said.slice(cut)] });
      const { texts, raw } = await rig.ask({ api, stream: cut > 0, text: `JSON: ${own}`, more: asking[api] });
      assert.deepEqual(JSON.parse(texts.text), { v: `It is ${own}.` }, `${api} ${cut} ${raw}`);
    }
  }
});

Deno.test("names of functions are masked and come back", async () => {
  const name = "send_id-4711-x";
  let said: Said = { place: "text", pieces: ["ok"] };
  const script = ({ body }: Requested) => {
    const raw = body.stream === true ? chatFrames(said).join("") : JSON.stringify(chatWhole(said));
    const renamed = raw.replaceAll('"name":"send"', '"name":"send__ID_1_"');
    return body.stream === true
      ? sse([renamed])
      : new Response(renamed, { headers: { "content-type": "application/json" } });
  };
  said = { place: "arguments", pieces: ["{}"] };
  await using rig = await guardedBy("chat", script, {
    content_filters: [{ pattern: "id-\\d{4}-[a-z]", action: "mask", label: "ID" }],
  });
  const more = { tools: [{ type: "function", function: { name, parameters: {} } }] };
  for (const stream of [false, true]) {
    const { raw } = await rig.ask({ api: "chat", stream, more });
    assert.ok(!JSON.stringify(rig.upstream.requested.at(-1)?.body).includes(name));
    assert.ok(raw.includes(`"name":"${name}"`), raw);
  }
});

function optionsFor(action: FilterAction, masks?: MaskMap): ScanOptions {
  const filters = compileContentFilters([{
    id: "11111111-1111-4111-8111-111111111111",
    scope: "workspace",
    content_filters: [
      { pattern: "id-\\d{1,4}", action, label: "ID" },
      { pattern: "-\\d{1,6}[a-zé]{0,3}", action, label: "TAIL" },
      { pattern: "[\\u{1f600}-\\u{1f64f}]{2,}", action },
    ],
    content_filter_builtins: [{ slug: "email", action }, { slug: "phone", action }],
  }]);
  assert.ok(filters);
  return { view: filters.users, window: INPUT_WINDOW, report: () => {}, masks };
}

const fragments = fc.constantFrom(
  "id-4711",
  "id-12345x",
  "ann@example.org",
  "+49 30 901820",
  "😀",
  "😀😁😂",
  "\ud83d",
  "\ude00",
  "e\u0301",
  "é",
  "[ID_1]",
  "[EMAIL_2]",
  "[",
  "]",
  "_1]",
  " ",
  "\n",
  "a",
  "-",
  "7",
);
const texts = fc.array(fc.oneof(fragments, fc.string({ unit: "grapheme", maxLength: 4 })), { maxLength: 24 })
  .map(
    (parts) => parts.join(""),
  );
const numRuns = Deno.env.get("TOLLGATE_TEST_ALL") === "1" ? 10_000 : 300;

/** Apart, as words are: what a match is may depend on the characters beside it, and these change with it. */
const words = fc.array(fragments, { maxLength: 24 }).map((parts) => parts.join(" "));

Deno.test("what is redacted or masked stays as it is when it is read again", () => {
  assertProperty(
    fc.property(words, (text) => {
      const redacted = runNow(scanText(text, optionsFor("redact")));
      assert.equal(runNow(scanText(redacted, optionsFor("redact"))), redacted);
      const masks = new MaskMap();
      runNow(masks.reserve(text));
      const masked = runNow(scanText(text, optionsFor("mask", masks)));
      runNow(masks.reserve(masked));
      assert.equal(runNow(scanText(masked, optionsFor("mask", masks))), masked);
    }),
    { numRuns },
  );
});

Deno.test("unmask gives a masked text back at every split", () => {
  assertProperty(
    fc.property(texts, (text) => {
      const masks = new MaskMap();
      runNow(masks.reserve(text));
      const masked = runNow(scanText(text, optionsFor("mask", masks)));
      assert.equal(masks.unmask(masked), text);
      for (let cut = 0; cut <= masked.length; cut++) {
        const scanner = new TextScanner({ view: masks.view, window: OUTPUT_WINDOW, report: () => {} });
        const pieces = [
          ...scanner.scan(masked.slice(0, cut), false),
          ...scanner.scan(masked.slice(cut), false),
          ...scanner.scan("", true),
        ];
        assert.equal(pieces.map((piece) => piece.text).join(""), text);
      }
    }),
    { numRuns },
  );
});

Deno.test("matches are told by their places in the text that was sent", () => {
  assertProperty(
    fc.property(texts, (text) => {
      const found: string[] = [];
      const masks = new MaskMap();
      const report: ScanOptions["report"] = (_, { start, end }) => {
        assert.ok(start < end && end <= text.length);
        found.push(text.slice(start, end));
      };
      const masked = runNow(scanText(text, { ...optionsFor("mask", masks), report }));
      assert.equal(masked === text, found.length === 0);
      for (const one of found) assert.match(one, /id-\d|-\d|@|\d|\p{Emoji}/u);
    }),
    { numRuns },
  );
});

/** Texts that a client reads as one, over messages, calls and thoughts: streamed and whole say the same. */

import assert from "node:assert/strict";
import { apiNames, framesOf } from "../money/rig.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { guardedBy } from "./guarded.ts";
import { type SaidItem, type SaidItems, sayItems } from "./said_items.ts";

const secret = "id-4711-x";
const filters = (action: string): Json => ({
  content_filters: [{ pattern: "id-\\d{4}-[a-z]", action, label: "ID" }],
});

const text = (said: string): SaidItem => ({ type: "text", text: said });
const thought = (said: string): SaidItem => ({ type: "thought", text: said });
const call: SaidItem = { type: "call" };

/** Items between the two texts. */
const between: Readonly<Record<string, readonly SaidItem[]>> = {
  nothing: [],
  "a call": [call],
  "a thought": [thought("hm")],
  "a call and a thought": [call, thought("hm, so")],
  "an empty text": [text("")],
};

/** The texts of a whole response, or of the last event of a stream. */
function messagesIn(raw: string): readonly string[] {
  const last = raw.startsWith("{") ? asObject(JSON.parse(raw)) : asObject(framesOf(raw).at(-1)?.response);
  return asList(last.output).map(asObject).filter(({ type }) => type === "message").flatMap(({ content }) =>
    asList(content).map((part) => String(asObject(part).text))
  ).filter((one) => one !== "");
}

const rows = Object.entries(between).flatMap(([name, items]) =>
  Array.from({ length: secret.length - 1 }, (_, at) => ({ name, items, cut: at + 1 }))
);

const two = ({ items, cut }: (typeof rows)[number]): readonly SaidItem[] => [
  text(`It is ${secret.slice(0, cut)}`),
  ...items,
  text(`${secret.slice(cut)}, you know.`),
];

Deno.test("a match over two texts of a response is replaced on every wire and API, whole and streamed", async () => {
  for (const [wire, say] of sayItems) {
    let said: SaidItems = { items: [], size: 1 };
    await using rig = await guardedBy(wire, (requested) => say(said)(requested), filters("redact"));
    for (const row of rows) {
      for (const size of [1, 3, 100]) {
        said = { items: two(row), size };
        for (const api of apiNames) {
          for (const stream of size === 1 ? [true, false] : [true]) {
            const { texts, raw } = await rig.ask({ api, stream });
            const name = `${wire} ${api} ${row.name} ${row.cut} ${size} ${stream} ${raw}`;
            assert.equal(texts.text, "It is [ID], you know.", name);
            if (api !== "responses") continue;
            assert.doesNotMatch(raw, /id-4|711-x|11-x|1-x/, name);
            assert.equal(messagesIn(raw).join(""), "It is [ID], you know.", name);
          }
        }
      }
    }
  }
});

Deno.test("a match over two texts blocks before any of it has left", async () => {
  for (const [wire, say] of sayItems) {
    let said: SaidItems = { items: [], size: 1 };
    await using rig = await guardedBy(wire, (requested) => say(said)(requested), filters("block"));
    for (const row of rows) {
      said = { items: two(row), size: 1 + row.cut % 3 };
      for (const api of apiNames) {
        for (const stream of [true, false]) {
          const { texts, raw } = await rig.ask({ api, stream });
          assert.match(raw, /content_policy_violation/, `${wire} ${api} ${row.name} ${stream}`);
          assert.ok("It is ".startsWith(texts.text), texts.text);
        }
      }
    }
  }
});

Deno.test("a match over two texts that is flagged is counted once and changes nothing", async () => {
  for (const [wire, say] of sayItems) {
    let said: SaidItems = { items: [], size: 1 };
    await using rig = await guardedBy(wire, (requested) => say(said)(requested), filters("flag"));
    for (const row of rows.filter(({ cut }) => cut % 4 === 0)) {
      for (const size of [1, 100]) {
        said = { items: two(row), size };
        for (const api of apiNames) {
          for (const stream of [true, false]) {
            const { texts, raw } = await rig.ask({
              api,
              stream,
              headers: { "x-service-metadata": "enabled" },
            });
            assert.equal(texts.text, `It is ${secret}, you know.`);
            assert.match(raw, /1 match flagged/, `${wire} ${api} ${row.name} ${size} ${stream} ${raw}`);
          }
        }
      }
    }
  }
});

Deno.test("a match over many texts, and one behind another, are replaced", async () => {
  const cases: readonly (readonly [items: readonly SaidItem[], read: string])[] = [
    [[..."a id-4711-x b"].map(text), "a [ID] b"],
    [[..."a id-4711-x b"].flatMap((one) => [text(one), call]), "a [ID] b"],
    [
      [
        text("id-4711"),
        text("-x id-4"),
        call,
        text("711-y"),
        thought("hm"),
        text(" id-4711-z "),
        text("id"),
        text("!"),
      ],
      "[ID] [ID] [ID] id!",
    ],
    [[text("x id-47"), text("11"), text(" y id-4711-"), text("x")], "x id-4711 y [ID]"],
  ];
  for (const [wire, say] of sayItems) {
    let said: SaidItems = { items: [], size: 1 };
    await using rig = await guardedBy(wire, (requested) => say(said)(requested), filters("redact"));
    for (const [items, read] of cases) {
      for (const size of [1, 2, 100]) {
        said = { items, size };
        for (const api of apiNames) {
          for (const stream of [true, false]) {
            const { texts, raw } = await rig.ask({ api, stream });
            assert.equal(texts.text, read, `${wire} ${api} ${size} ${stream} ${raw}`);
            if (api === "responses") assert.equal(messagesIn(raw).join(""), read, raw);
          }
        }
      }
    }
  }
});

Deno.test("a placeholder over two texts becomes the client's own text", async () => {
  const mail = "ann@example.org";
  for (const [wire, say] of sayItems) {
    let said: SaidItems = { items: [], size: 1 };
    await using rig = await guardedBy(wire, (requested) => say(said)(requested), {
      content_filter_builtins: [{ slug: "email", action: "mask" }],
    });
    for (const items of Object.values(between)) {
      for (let cut = 1; cut < "[EMAIL_1]".length; cut++) {
        said = {
          items: [text(`To ${"[EMAIL_1]".slice(0, cut)}`), ...items, text(`${"[EMAIL_1]".slice(cut)}.`)],
          size: 1 + cut % 3,
        };
        for (const api of apiNames) {
          for (const stream of [true, false]) {
            const { texts, raw } = await rig.ask({ api, stream, text: `I am ${mail}` });
            assert.equal(texts.text, `To ${mail}.`, `${wire} ${api} ${cut} ${stream} ${raw}`);
          }
        }
      }
    }
  }
});

Deno.test("a match over two thoughts that follow one another is replaced, whole and streamed", async () => {
  for (const [wire, say] of sayItems) {
    let said: SaidItems = { items: [], size: 1 };
    await using rig = await guardedBy(wire, (requested) => say(said)(requested), filters("redact"));
    for (let cut = 1; cut < secret.length; cut++) {
      const items = [thought(`hm ${secret.slice(0, cut)}`), thought(`${secret.slice(cut)}, so`), text("ok")];
      said = { items, size: 1 + cut % 3 };
      for (const api of apiNames) {
        for (const stream of [true, false]) {
          const { texts, raw } = await rig.ask({ api, stream });
          assert.equal(texts.thought, "hm [ID], so", `${wire} ${api} ${cut} ${stream} ${raw}`);
        }
      }
    }
  }
});

Deno.test("thoughts go on when another text comes: of a match the rest is replaced, or it blocks", async () => {
  const [, say] = sayItems[0] ?? [];
  assert.ok(say);
  const items = [thought("hm id-47"), text("so"), thought("11-x, yes"), text("ok")];
  for (const action of ["redact", "block"]) {
    await using rig = await guardedBy("responses", say({ items, size: 2 }), filters(action));
    for (const api of apiNames) {
      for (const stream of [true, false]) {
        const { texts, raw } = await rig.ask({ api, stream });
        if (action === "redact") assert.equal(texts.thought, "hm id-47[ID], yes", raw);
        else assert.match(raw, /content_policy_violation/);
        assert.doesNotMatch(raw, /11-x/);
      }
    }
  }
});

Deno.test("a match that might end with one text and goes on in the next is replaced as a whole", async () => {
  const pattern = "key-[a-z0-9]{4,40}";
  const fields = (action: string): Json => ({
    content_filters: [{ pattern, action, label: "KEY" }],
    words: ["blue bird"],
    words_action: action,
  });
  const cases: readonly (readonly [items: readonly SaidItem[], read: string])[] = [
    [[text("a key-abcd12"), text("ef99 b")], "a [KEY] b"],
    [[text("a key-abcd12"), call, text("ef99"), thought("hm"), text("77 b")], "a [KEY] b"],
    [[text("a key-abcd12"), call, text(" b")], "a [KEY] b"],
    [[text("a key-abcd12"), call], "a [KEY]"],
    [[text("key-abcd12"), text(" key-abcd34"), text(".")], "[KEY] [KEY]."],
    [[text('{"a":"b\\'), text('nblue bird"}')], '{"a":"b\\n[REDACTED]"}'],
    [[text('{"a":"b\\u00'), call, text('0ablue bird"}')], '{"a":"b\\u000a[REDACTED]"}'],
  ];
  for (const [wire, say] of sayItems) {
    let said: SaidItems = { items: [], size: 1 };
    await using rig = await guardedBy(wire, (requested) => say(said)(requested), fields("redact"));
    for (const [items, read] of cases) {
      for (const size of [1, 4, 100]) {
        said = { items, size };
        for (const api of apiNames) {
          for (const stream of [true, false]) {
            const { texts, raw } = await rig.ask({ api, stream });
            assert.equal(texts.text, read, `${wire} ${api} ${size} ${stream} ${raw}`);
            assert.doesNotMatch(raw, /key-abcd|blue bird/);
          }
        }
      }
    }
  }
});

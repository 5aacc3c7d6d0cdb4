/** Word lists and exceptions through each API, whole and streamed, in both directions. */

import assert from "node:assert/strict";
import { apis } from "../money/rig.ts";
import { guarded, places } from "./guarded.ts";

const names = ["responses", "chat", "messages"] as const satisfies readonly (keyof typeof apis)[];
const except = ["the falcon club", { pattern: "falcon-\\d{1,3}" }];
const text = "A Falcon, the falcon club, falcon-12 and FALCON";
const out = "A [REDACTED], the falcon club, falcon-12 and [REDACTED]";

Deno.test("words are replaced in requests and responses, but not within an exception", async () => {
  await using rig = await guarded({ words: ["falcon"], words_action: "redact", except });
  for (const api of names) {
    for (const stream of [false, true]) {
      for (const place of places) {
        const said = place === "arguments" ? JSON.stringify({ to: text }) : text;
        rig.say({ place, pieces: [...said] });
        const { status, texts, raw } = await rig.ask({ api, stream, text });
        assert.equal(status, 200, raw);
        const expected = place === "arguments" ? JSON.stringify({ to: out }) : out;
        assert.equal(texts[place], expected, `${api} ${place} ${stream}`);
        const sent = JSON.stringify(rig.upstream.requested.at(-1)?.body);
        assert.ok(sent.includes(out), sent);
      }
    }
  }
});

Deno.test("a word that blocks is not named", async () => {
  await using rig = await guarded({ words: ["falcon"], except });
  const { status, raw } = await rig.ask({ api: "chat", stream: false, text: "a FALCON" });
  assert.equal(status, 403);
  assert.match(raw, /"patterns":\["words"\]/);
  assert.doesNotMatch(raw, /falcon/i);
  assert.equal((await rig.ask({ api: "chat", stream: true, text: "falcon-12" })).status, 200);
  await rig.set({ words: null });
  assert.equal((await rig.ask({ api: "chat", stream: false, text: "a FALCON" })).status, 200);
});

import assert from "node:assert/strict";
import type { ContentPart } from "../../canonical/item.ts";
import { renderParts } from "./render_parts.ts";

function render(...parts: readonly ContentPart[]) {
  const notes: string[] = [];
  return { blocks: renderParts(parts, (words) => void notes.push(words)), notes };
}

const file = (fields: object): ContentPart => ({ type: "file", ...fields });
const pdf = { type: "base64", media_type: "application/pdf", data: "JVBERi0x" };

const gatewayCitation = {
  type: "web_search_result_location",
  url: "https://a.example/",
  title: "A",
  cited_text: "a",
  encrypted_index: "",
};

const cases: readonly (readonly [string, ContentPart, object])[] = [
  ["a PDF as data URL", file({ data: "data:application/pdf;base64,JVBERi0x", filename: "a.pdf" }), {
    type: "document",
    source: pdf,
    title: "a.pdf",
  }],
  ["a PDF as bare base64", file({ data: "JVBERi0x" }), { type: "document", source: pdf }],
  ["text that is not base64", file({ data: "data:text/csv,a%2Cb%C3%BC" }), {
    type: "document",
    source: { type: "text", media_type: "text/plain", data: "a,bü" },
  }],
  ["text without escapes", file({ data: "data:text/plain,a€😀%C3%BC\ud83d" }), {
    type: "document",
    source: { type: "text", media_type: "text/plain", data: "a€😀ü\ufffd" },
  }],
  ["JSON", file({ data: "data:application/vnd.x+json;charset=utf-8;base64,e30=" }), {
    type: "document",
    source: { type: "text", media_type: "text/plain", data: "{}" },
  }],
  ["a picture that came as a file", file({ data: "data:image/webp;base64,UklGRg==" }), {
    type: "image",
    source: { type: "base64", media_type: "image/webp", data: "UklGRg==" },
  }],
  ["a picture at an address that came as a file", file({ url: "https://x.example/a.PNG?size=1" }), {
    type: "image",
    source: { type: "url", url: "https://x.example/a.PNG?size=1" },
  }],
  ["a PDF at an address", file({ url: "https://x.example/download?id=1" }), {
    type: "document",
    source: { type: "url", url: "https://x.example/download?id=1" },
  }],
  ["a stored file", file({ fileId: "file_1" }), {
    type: "document",
    source: { type: "file", file_id: "file_1" },
  }],
  ["a stored picture", { type: "image", fileId: "file_2" }, {
    type: "image",
    source: { type: "file", file_id: "file_2" },
  }],
  ["a breakpoint", { type: "image", url: "https://x.example/a.png", cache: { ttl: "1h" } }, {
    type: "image",
    source: { type: "url", url: "https://x.example/a.png" },
    cache_control: { type: "ephemeral", ttl: "1h" },
  }],
  ["what a client of this wire says of a document", {
    type: "file",
    fileId: "f",
    filename: "T",
    extra: { messages: { citations: { enabled: true }, context: "c", other: 1 } },
  }, {
    type: "document",
    source: { type: "file", file_id: "f" },
    title: "T",
    citations: { enabled: true },
    context: "c",
    other: 1,
  }],
  ["citations of a search of the provider's, without those of the gateway", {
    type: "text",
    text: "So.",
    extra: { messages: { citations: [gatewayCitation, { ...gatewayCitation, encrypted_index: "e" }] } },
  }, { type: "text", text: "So.", citations: [{ ...gatewayCitation, encrypted_index: "e" }] }],
  ["no list of citations where all are the gateway's", {
    type: "text",
    text: "So.",
    extra: { messages: { citations: [gatewayCitation] } },
  }, { type: "text", text: "So." }],
  ["a refusal", { type: "refusal", text: "no" }, { type: "text", text: "no" }],
];

Deno.test("renderParts", async (t) => {
  for (const [name, part, expected] of cases) {
    await t.step(name, () => assert.deepEqual(render(part), { blocks: [expected], notes: [] }));
  }
});

const unsupported: readonly (readonly [ContentPart, string, string])[] = [
  [{ type: "audio", data: "AAAA", format: "wav" }, "[audio that cannot be shown here]", "audio"],
  [{ type: "video", url: "https://x.example/v.mp4" }, "[video that cannot be shown here]", "video"],
  [file({ data: "AAAA/////w==", filename: "a.bin" }), "[file a.bin that cannot be shown here]", "file a.bin"],
  [file({ data: "data:text/plain;base64,####" }), "[file that cannot be shown here]", "file"],
  [file({ url: "https://x.example/a.md", filename: "A" }), "[file A: https://x.example/a.md]", "file by URL"],
];

Deno.test("renderParts tells the model of what it cannot see, and names it", () => {
  for (const [part, text, words] of unsupported) {
    assert.deepEqual(render(part), { blocks: [{ type: "text", text }], notes: [words] });
  }
});

Deno.test("renderParts leaves blank text out, which the provider refuses", () => {
  assert.deepEqual(render({ type: "text", text: " \n" }, { type: "text", text: "a" }).blocks, [
    { type: "text", text: "a" },
  ]);
});

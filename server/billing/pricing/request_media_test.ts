import assert from "node:assert/strict";
import { hostedToolBound } from "./hosted_tools.ts";
import type { ContentPart, Item, JsonObject } from "../../protocols/canonical/item.ts";
import { collectMedia } from "./request_media.ts";
import type { Tool } from "../../protocols/canonical/request.ts";

const message = (...parts: readonly ContentPart[]): Item => ({ type: "message", role: "user", parts });
const found = (...parts: readonly ContentPart[]) => collectMedia({ input: [message(...parts)] });

/** Makes a WAV file with so many bytes of samples, its head included. */
function wav(format: number, bytesPerSecond: number, { bytes }: { readonly bytes: number }): string {
  const view = new DataView(new ArrayBuffer(bytes));
  view.setUint32(0, 0x52494646);
  view.setUint32(8, 0x57415645);
  view.setUint32(12, 0x666d7420);
  view.setUint16(20, format, true);
  view.setUint32(28, bytesPerSecond, true);
  return btoa(String.fromCharCode(...new Uint8Array(view.buffer)));
}

Deno.test("collectMedia finds nothing in text", () => {
  assert.equal(found({ type: "text", text: "data:image/png;base64,AAAA" }), undefined);
  assert.equal(collectMedia({ input: [] }), undefined);
});

Deno.test("collectMedia finds the pictures of providers' own tools", () => {
  const foreign = (kind: string, value: JsonObject): Item => ({
    type: "foreign",
    wire: "responses",
    kind,
    value,
  });
  const shot = (output: JsonObject) => foreign("computer_call_output", { output });
  const outputs = [{ type: "logs", logs: "1" }, { type: "image", url: "https://a.example/plot.png" }];
  const cases: readonly (readonly [Item, readonly string[]])[] = [
    [shot({ type: "computer_screenshot", image_url: "https://a.example/screen.png" }), []],
    [shot({ type: "computer_screenshot", image_url: "data:image/png;base64,AAAA" }), ["AAAA"]],
    [shot({ type: "computer_screenshot", file_id: "file-1" }), []],
    [foreign("image_generation_call", { result: "BBBB" }), ["BBBB"]],
    [foreign("code_interpreter_call", { outputs }), []],
  ];
  for (const [item, payloads] of cases) {
    const media = collectMedia({ input: [item] });
    assert.deepEqual([media?.images, media?.payloads], [1, payloads]);
  }
  const none = [
    shot({ type: "text" }),
    foreign("image_generation_call", { result: null }),
    foreign("web_search_call", { action: { type: "search", query: "image_url" } }),
    foreign("code_interpreter_call", { outputs: null }),
  ];
  assert.equal(collectMedia({ input: none }), undefined);
  const all = [message({ type: "image", url: "data:image/png;base64,CCCC" }), ...cases.map(([item]) => item)];
  assert.deepEqual(collectMedia({ input: all })?.payloads, ["CCCC", "AAAA", "BBBB"], "in their order");
});

Deno.test("collectMedia finds what a conversation holds, results of tools too", () => {
  const media = collectMedia({
    input: [
      message({ type: "image", url: "data:image/png;base64,AAAA" }, {
        type: "image",
        url: "https://a.example/b.png",
      }),
      {
        type: "result",
        kind: "function",
        callId: "c",
        output: [{ type: "image", fileId: "file-1" }, { type: "video", url: "data:video/mp4;base64,BBBB" }],
      },
      message({ type: "file", data: "data:text/csv;base64,Q0NDQw==" }, {
        type: "file",
        url: "https://a.example/",
      }),
      message({ type: "file", data: "RERERA==", filename: "a.pdf" }, {
        type: "audio",
        data: "EEEE",
        format: "mp3",
      }),
    ],
  });
  assert.deepEqual(media, {
    images: 3,
    videos: 1,
    files: [{ bytes: 6, type: "text/csv" }, { bytes: null }, { bytes: 6, type: undefined }],
    audios: [{ bytes: 3, format: "mp3" }],
    payloads: ["AAAA", "BBBB", "Q0NDQw==", "RERERA==", "EEEE"],
  });
});

Deno.test("collectMedia reads the length of sound from its head", () => {
  const secondsOf = (data: string, format = "wav") =>
    found({ type: "audio", data, format })?.audios[0]?.seconds;
  assert.equal(secondsOf(wav(1, 100, { bytes: 1_050 })), 11);
  assert.equal(secondsOf(wav(1, 0, { bytes: 1_050 })), undefined);
  assert.equal(secondsOf(wav(0x31, 1_625, { bytes: 1_050 })), undefined, "compressed");
  assert.equal(secondsOf("no wav at all"), undefined);
  assert.equal(secondsOf(wav(1, 100, { bytes: 1_050 }), "mp3"), undefined);
});

Deno.test("hostedToolBound says what the provider's own tools may do", () => {
  const hosted = (kind: string, value: Readonly<Record<string, unknown>> = {}): Tool => ({
    type: "hosted",
    wire: "responses",
    kind,
    value,
  });
  const own: Tool = { type: "function", name: "f", parameters: null };
  const none = {
    tools: false,
    kinds: [],
    maxSearches: 0,
    searchTokens: 16_384,
    maxImages: 0,
    searchRates: [],
    containerSize: 1,
    pricedUses: [],
  };
  const web = { kind: "web_search", rates: ["webSearch"] };
  assert.deepEqual(hostedToolBound({ tools: [] }, "responses"), none);
  assert.deepEqual(hostedToolBound({ tools: [own] }, "responses"), { ...none, tools: true });
  assert.deepEqual(hostedToolBound({ tools: [own, hosted("web_search")] }, "responses"), {
    ...none,
    tools: true,
    kinds: ["web_search"],
    maxSearches: 5,
    searchRates: ["webSearch"],
    pricedUses: [web],
  });
  const byClient = [hosted("bash_20250124"), hosted("computer_use_preview")];
  assert.deepEqual(hostedToolBound({ tools: byClient }, "responses"), {
    ...none,
    tools: true,
  });
  const twice = [hosted("web_search_20250305", { max_uses: 2 }), hosted("mcp")];
  assert.deepEqual(hostedToolBound({ tools: twice }, "responses"), {
    ...none,
    tools: true,
    kinds: ["web_search_20250305", "mcp"],
    maxSearches: 7,
    searchTokens: 131_072,
    searchRates: ["webSearch"],
    pricedUses: [{ ...web, kind: "web_search_20250305" }],
  });
  const drawing = [hosted("image_generation"), hosted("web_search")];
  assert.deepEqual(hostedToolBound({ tools: drawing, maxToolCalls: 3 }, "responses"), {
    ...none,
    tools: true,
    kinds: ["image_generation", "web_search"],
    maxSearches: 3,
    maxImages: 3,
    searchRates: ["webSearch"],
    pricedUses: [{ kind: "image_generation", rates: ["imageOutput", "outputImage"] }, web],
  });
});

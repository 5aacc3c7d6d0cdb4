import assert from "node:assert/strict";
import { splitDataUrl } from "./data_url.ts";

type Split = ReturnType<typeof splitDataUrl>;
const plain = { mediaType: "text/plain", isBase64: false };
const picture = { mediaType: "image/png", isBase64: true };

const cases: readonly (readonly [string, Split])[] = [
  ["data:image/png;base64,AAAA", { ...picture, data: "AAAA" }],
  ["data:IMAGE/PNG;base64,AAAA", { ...picture, data: "AAAA" }],
  ["data:image/png;name=a.png;base64,AAAA", { ...picture, data: "AAAA" }],
  [`data:image/png;name=${"a".repeat(900)};base64,AAAA`, { ...picture, data: "AAAA" }],
  ["data:image/png;base64,", { ...picture, data: "" }],
  ["data:text/plain,a,b;base64,c", { ...plain, data: "a,b;base64,c" }],
  ["data:text/plain;base64;charset=x,a", { ...plain, data: "a" }],
  ["data:;base64,AAAA", { mediaType: "", isBase64: true, data: "AAAA" }],
  ["data:,", { mediaType: "", isBase64: false, data: "" }],
  ["data:", undefined],
  ["data:image/png;base64", undefined],
  [`data:${"a".repeat(2_000)},a`, undefined],
  ["https://a.example/data:,a", undefined],
  ["AAAA", undefined],
  ["", undefined],
];

for (const [text, expected] of cases) {
  Deno.test(`splitDataUrl reads ${JSON.stringify(text.slice(0, 40))}`, () => {
    assert.deepEqual(splitDataUrl(text), expected);
  });
}

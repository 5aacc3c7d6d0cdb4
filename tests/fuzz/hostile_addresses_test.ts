/**
 * Addresses of pictures and files that are made to be slow: nothing that reads a request looks at one of them again and
 * again. What does takes hours for one of so many characters, and everybody else waits meanwhile.
 */

import assert from "node:assert/strict";
import { collectMedia, documentsOf, mediaPartsOf } from "../../server/billing/pricing/request_media.ts";
import { tokenTexts } from "../../server/billing/pricing/token_texts.ts";
import { withTrueType } from "../../server/protocols/canonical/media_type.ts";
import type { ContentPart, WireId } from "../../server/protocols/canonical/item.ts";
import { outboundFor } from "../../server/protocols/mod.ts";
import { endpointTraits, modelRequest } from "../support/requests.ts";

const LENGTH = 2_000_000;

const hostile: Readonly<Record<string, string>> = {
  "a type without an end": `data:${"a".repeat(LENGTH)}`,
  "a type with the comma far behind": `data:${"a".repeat(LENGTH)},AAAA`,
  "parameters without an end": `data:${";a".repeat(LENGTH / 2)}`,
  "one parameter without an end": `data:image/png;${"a".repeat(LENGTH)}`,
  "blanks": `data:${" ".repeat(LENGTH)}`,
  "base64 without a comma": `data:image/png;base64${"A".repeat(LENGTH)}`,
  "words of base64": `data:${";base64".repeat(LENGTH / 5)}`,
  "no scheme": "a".repeat(LENGTH),
};

const wires: { readonly [W in WireId]: true } = {
  bedrock: true,
  chat: true,
  gemini: true,
  messages: true,
  responses: true,
};

const partsWith = (address: string): readonly ContentPart[] => [
  { type: "image", url: address },
  { type: "file", data: address, filename: "a.txt" },
  { type: "file", url: address },
  { type: "video", url: address },
];

const requestOf = (part: ContentPart) =>
  modelRequest({ input: [{ type: "message", role: "user", parts: [part] }] });

for (const [what, address] of Object.entries(hostile)) {
  Deno.test(`addresses of requests are read once: ${what}`, () => {
    assert.ok(withTrueType(address).length >= LENGTH);
    for (const part of partsWith(address)) {
      const request = requestOf(part);
      assert.ok(collectMedia(request) && tokenTexts(request));
      assert.ok(mediaPartsOf(request).length === 1 && documentsOf(request).length <= 1);
      for (const wire of Object.keys(wires)) {
        assert.ok(outboundFor(asWire(wire)).renderRequest(request, endpointTraits()).body, wire);
      }
    }
  });
}

function asWire(name: string): WireId {
  return name as WireId;
}

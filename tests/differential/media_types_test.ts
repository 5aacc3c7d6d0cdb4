/** Pictures leave with the type that their bytes have, whatever their client called them: on every API and every wire. */

import assert from "node:assert/strict";
import type { WireId } from "../../server/protocols/canonical/item.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { chatInbound } from "../../server/protocols/chat/inbound/mod.ts";
import { messagesInbound } from "../../server/protocols/messages/inbound/mod.ts";
import { outboundFor } from "../../server/protocols/mod.ts";
import { responsesInbound } from "../../server/protocols/responses/inbound/mod.ts";
import { endpointTraits } from "../support/requests.ts";

const JPEG = btoa("\xff\xd8\xff\xe0\x00\x10JFIF and so on");

const spellings = ["image/jpeg", "image/jpg", "IMAGE/JPEG", "", "image/png", "application/octet-stream"];

interface PictureInput {
  readonly type: string;
  /** In the result of a tool instead of in a message. */
  readonly inResult: boolean;
}

type Api = (picture: PictureInput) => ModelRequest;

const url = ({ type }: PictureInput) => `data:${type};base64,${JPEG}`;

const apis: Readonly<Record<string, Api>> = {
  responses: (picture) => {
    const image = { type: "input_image", image_url: url(picture) };
    const call = { type: "function_call", call_id: "1", name: "see", arguments: "{}" };
    const input = picture.inResult
      ? [{ role: "user", content: "Look" }, call, {
        type: "function_call_output",
        call_id: "1",
        output: [image],
      }]
      : [{ role: "user", content: [image] }];
    return responsesInbound.parseRequest({ model: "m", input }, {}).request;
  },
  chat: (picture) => {
    const content = [{ type: "image_url", image_url: { url: url(picture) } }];
    const call = { id: "1", type: "function", function: { name: "see", arguments: "{}" } };
    const messages = picture.inResult
      ? [
        { role: "user", content: "Look" },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "1", content },
      ]
      : [{ role: "user", content }];
    return chatInbound.parseRequest({ model: "m", messages }, {}).request;
  },
  messages: (picture) => {
    const image = { type: "image", source: { type: "base64", media_type: picture.type, data: JPEG } };
    const messages = picture.inResult
      ? [
        { role: "user", content: "Look" },
        { role: "assistant", content: [{ type: "tool_use", id: "1", name: "see", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: [image] }] },
      ]
      : [{ role: "user", content: [image] }];
    return messagesInbound.parseRequest({ model: "m", max_tokens: 9, messages }, {}).request;
  },
};

const marks: { readonly [W in WireId]: string } = {
  chat: `"url":"data:image/jpeg;base64,${JPEG}"`,
  responses: `"image_url":"data:image/jpeg;base64,${JPEG}"`,
  messages: `"media_type":"image/jpeg","data":"${JPEG}"`,
  gemini: `"mimeType":"image/jpeg","data":"${JPEG}"`,
  bedrock: `"image":{"format":"jpeg","source":{"bytes":"${JPEG}"}}`,
};

for (const [api, parse] of Object.entries(apis)) {
  for (const inResult of [false, true]) {
    Deno.test(`a picture on ${api}${inResult ? ", in a tool's result," : ""} leaves with its own type`, () => {
      for (const type of spellings) {
        const request = parse({ type, inResult });
        for (const [wire, mark] of Object.entries(marks)) {
          const body = JSON.stringify(
            outboundFor(asWire(wire)).renderRequest(request, endpointTraits()).body,
          );
          assert(body.includes(mark), `"${type}" to ${wire}: ${body}`);
        }
      }
    });
  }
}

function asWire(name: string): WireId {
  return name as WireId;
}

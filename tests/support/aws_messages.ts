/** AWS's binary messages, made by AWS's own writer. */

import { EventStreamCodec } from "@smithy/eventstream-codec";

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const codec = new EventStreamCodec(
  (bytes) => typeof bytes === "string" ? bytes : decoder.decode(bytes),
  (text) => encoder.encode(text),
);

/** One message; a name that ends in `Exception` is one. */
export function awsMessage(name: string, payload: string): Uint8Array {
  const text = (value: string) => ({ type: "string" as const, value });
  const exception = name.endsWith("Exception");
  return codec.encode({
    headers: {
      [exception ? ":exception-type" : ":event-type"]: text(name),
      ":content-type": text("application/json"),
      ":message-type": text(exception ? "exception" : "event"),
    },
    body: encoder.encode(payload),
  });
}

/** Messages written down as if they were an event stream; the last one breaks off where its blank line is missing. */
export function eventStreamBytes(text: string): Uint8Array {
  const chunks = text.split("\n\n").filter((chunk) => chunk !== "").map((chunk, at, all) => {
    const [, name = "", payload = ""] = /^event: (.*)\ndata: (.*)$/s.exec(chunk) ?? [];
    const message = awsMessage(name, payload);
    const whole = at < all.length - 1 || text.endsWith("\n\n");
    return whole ? message : message.slice(0, -7);
  });
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  chunks.reduce((from, chunk) => (bytes.set(chunk, from), from + chunk.length), 0);
  return bytes;
}

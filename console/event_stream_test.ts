import assert from "node:assert/strict";
import { readEvents } from "./event_stream.ts";

Deno.test("readEvents puts events together that come in pieces, and leaves comments out", async () => {
  const bytes = new TextEncoder().encode(
    ': waiting\n\nevent: receipt\ndata: {"user":"é"}\n\ndata: a\ndata: b\n\nda',
  );
  for (const size of [1, 7, bytes.length]) {
    const pieces = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, at) => bytes.slice(at * size, (at + 1) * size),
    );
    const events = await Array.fromAsync(readEvents(ReadableStream.from(pieces)));
    assert.deepEqual(events, [{ event: "receipt", data: '{"user":"é"}' }, {
      event: "message",
      data: "a\nb",
    }]);
  }
});

Deno.test("readEvents cancels the body that is not read on", async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode("data: a\n\n")),
    cancel: () => {
      isCancelled = true;
    },
  });
  for await (const { data } of readEvents(body)) {
    assert.equal(data, "a");
    break;
  }
  assert(isCancelled);
});

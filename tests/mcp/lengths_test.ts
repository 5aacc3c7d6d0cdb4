/** Servers whose answers are longer or shorter than they say: each is an error, and the response goes on. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asObject } from "../support/event_stream.ts";
import { calls, itemsOf, resultOf, says, send, wholeOf, withTools } from "../server_tools/rig.ts";
import { mcpTool, named, serverOf } from "./rig.ts";

/** How many bytes more, or fewer, than there are an answer to a method says that it has. */
interface Lie {
  readonly method: string;
  readonly by: number;
}

const good = serverOf([named("one")]);

/** The head and the body of a request, read from its connection. */
async function readRequest(connection: Deno.Conn): Promise<string | undefined> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  while (true) {
    const length = Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? Infinity);
    const end = text.indexOf("\r\n\r\n");
    if (end >= 0 && text.length >= end + 4 + length) return text.slice(end + 4);
    const count = await connection.read(buffer);
    if (count === null) return undefined;
    text += decoder.decode(buffer.subarray(0, count));
  }
}

async function answer(connection: Deno.Conn, lie: Lie): Promise<void> {
  using open = connection;
  const text = await readRequest(open);
  if (text === undefined) return;
  const body: Json = asObject(JSON.parse(text));
  const url = "http://127.0.0.1/mcp";
  const response = await good(new Request(url), {
    method: "POST",
    path: "/mcp",
    headers: new Headers(),
    body,
  });
  const bytes = new TextEncoder().encode(await response.text());
  const length = bytes.length + (body.method === lie.method ? lie.by : 0);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
  await open.write(new TextEncoder().encode(head));
  await open.write(bytes);
}

async function withLiar(lie: Lie, test: (url: string) => Promise<void>): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    const all: Promise<void>[] = [];
    for await (const connection of listener) {
      all.push(answer(connection, lie).catch(() => {/* It has left. */}));
    }
    await Promise.all(all);
  })();
  try {
    await test(`http://127.0.0.1:${listener.addr.port}/mcp`);
  } finally {
    listener.close();
    await serving;
  }
}

for (const method of ["server/discover", "tools/list", "tools/call"]) {
  for (const by of [100, -10]) {
    Deno.test(`an answer that is ${by} bytes from what it says is an error (${method})`, async () => {
      await withLiar({ method, by }, async (url) => {
        const file = { fetch: { allowed_hosts: [new URL(url).host] } };
        await withTools({ file }, async ({ gateway, plan }) => {
          for (const stream of [false, true]) {
            plan((turn) => turn === 0 && method === "tools/call" ? [calls("one")] : [says("Done.")]);
            const body = { model: "mock/chat", input: "Do it.", tools: [mcpTool({ url })], stream };
            const sent = await send(gateway, { body });
            const result = stream ? resultOf(sent) : wholeOf(sent);
            assert.equal(result.status, "completed");
            const kind = method === "tools/call" ? "mcp_call" : "mcp_list_tools";
            const item = itemsOf(result).find(({ type }) => type === kind);
            assert.ok(item?.error, JSON.stringify(item));
          }
        });
      });
    });
  }
}

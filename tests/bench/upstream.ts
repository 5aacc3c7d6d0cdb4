/**
 * A provider that answers at once, on raw connections: `deno run upstream.ts` prints the port it listens on.
 * It speaks the chat and the responses wire; a prompt that asks for a stream at a pace gets it (chat only).
 */

import { contentLength, HttpReader, writeAll } from "./http.ts";
import { loopIn, type LoopPreference, markerOf, type Preference, preferenceIn } from "./marker.ts";

const encoder = new TextEncoder();
const TEXT = "The instant upstream says the same to everyone: hello.";

const chatAnswer = {
  id: "chatcmpl-bench",
  object: "chat.completion",
  created: 1700000000,
  model: "bench",
  choices: [{
    index: 0,
    message: { role: "assistant", content: TEXT },
    finish_reason: "stop",
    logprobs: null,
  }],
  usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
};

const responsesAnswer = {
  id: "resp_bench",
  object: "response",
  created_at: 1700000000,
  status: "completed",
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  model: "bench",
  output: [{
    type: "message",
    id: "msg_bench",
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text: TEXT, annotations: [], logprobs: [] }],
  }],
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: false,
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  truncation: "disabled",
  usage: {
    input_tokens: 9,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 12,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 21,
  },
  user: null,
};

/** A whole answer as bytes. */
function whole(body: unknown): Uint8Array {
  const text = JSON.stringify(body);
  return encoder.encode(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  );
}

const answers: Readonly<Record<string, Uint8Array>> = {
  "/v1/chat/completions": whole(chatAnswer),
  "/v1/responses": whole(responsesAnswer),
};

/** Calls the tool until the conversation holds as many results as are wanted. */
function loopAnswer(body: string, { steps, atOnce }: LoopPreference): Uint8Array | undefined {
  const done = body.split('"role":"tool"').length - 1;
  if (done >= steps * atOnce) return answers["/v1/chat/completions"];
  const calls = Array.from({ length: atOnce }, (_, index) => ({
    index,
    id: `call_${done + index}`,
    type: "function",
    function: { name: "datetime", arguments: "{}" },
  }));
  if (body.includes('"stream":true')) {
    const chunks = chatChunk({ role: "assistant", content: null, tool_calls: calls }) +
      chatChunk({}, "tool_calls") + usageChunk(1) + chunk("[DONE]");
    return encoder.encode(`${STREAM_HEAD}${chunks}0\r\n\r\n`);
  }
  const message = { role: "assistant", content: null, tool_calls: calls };
  return whole({
    ...chatAnswer,
    choices: [{ index: 0, message, finish_reason: "tool_calls", logprobs: null }],
  });
}

const STREAM_HEAD =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/** One chunk of a chunked body that holds one event. */
function chunk(data: string): string {
  return `${(data.length + 8).toString(16)}\r\ndata: ${data}\n\n\r\n`;
}

function chatChunk(delta: unknown, finish: string | null = null): string {
  return chunk(JSON.stringify({
    id: "chatcmpl-bench",
    object: "chat.completion.chunk",
    created: 1700000000,
    model: "bench",
    choices: [{ index: 0, delta, finish_reason: finish }],
  }));
}

function usageChunk(deltas: number): string {
  const usage = { prompt_tokens: 9, completion_tokens: deltas, total_tokens: 9 + deltas };
  return chunk(JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", choices: [], usage }));
}

/** Sends the deltas at their pace; a write that is late is not made up for, so lateness is the reader's. */
async function paced(conn: Deno.Conn, { deltas, everyMs }: Preference): Promise<void> {
  const write = (text: string) => writeAll(conn, encoder.encode(text));
  await write(STREAM_HEAD + chatChunk({ role: "assistant", content: "" }));
  const start = performance.now();
  for (let index = 0; index < deltas; index++) {
    const wait = start + (index + 1) * everyMs - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    await write(chatChunk({ content: markerOf(index) }));
  }
  await write(chatChunk({}, "stop") + usageChunk(deltas) + chunk("[DONE]") + "0\r\n\r\n");
}

async function serve(conn: Deno.TcpConn): Promise<void> {
  conn.setNoDelay(true);
  const reader = new HttpReader(conn);
  for (let head = await reader.head(); head !== undefined; head = await reader.head()) {
    const body = await reader.exactly(contentLength(head) ?? 0);
    const preference = preferenceIn(body);
    const loop = loopIn(body);
    const answer = loop === undefined ? answers[head.split(" ", 2)[1] ?? ""] : loopAnswer(body, loop);
    if (preference !== undefined) await paced(conn, preference);
    else if (answer !== undefined) await writeAll(conn, answer);
    else await writeAll(conn, encoder.encode("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"));
  }
}

if (import.meta.main) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  console.log(listener.addr.port);
  for await (const conn of listener) {
    serve(conn).catch(() => {
      // A client that disconnects between two slices is how a slice ends.
    }).finally(() => conn.close());
  }
}

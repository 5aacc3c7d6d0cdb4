/** A client's view of an event stream: every frame and every comment, and what must hold of all of them. */

import assert from "node:assert/strict";

export interface Json {
  readonly [key: string]: unknown;
}

export type WireEvent = Json & { readonly type: string };

export interface EventStream {
  readonly events: readonly WireEvent[];
  readonly comments: number;
  /** `[DONE]` was there, and was the last. */
  readonly done: boolean;
  readonly text: string;
}

const terminal = ["response.completed", "response.incomplete", "response.failed"];

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An object or a failed test. */
export function asObject(value: unknown): Json {
  assert(isObject(value), `not an object: ${JSON.stringify(value)}`);
  return value;
}

/** An array or a failed test. */
export function asList(value: unknown): readonly unknown[] {
  assert(Array.isArray(value), `not an array: ${JSON.stringify(value)}`);
  return value;
}

/** The text of a stream, frame by frame; anything that is no frame of ours fails. */
export function parseStream(text: string): EventStream {
  assert(!text.startsWith("\ufeff"), "no byte order mark");
  assert(!text.includes("\r"), "no carriage return");
  const blocks = text === "" ? [] : text.split("\n\n");
  if (blocks.length > 0) assert.equal(blocks.pop(), "", "the stream ends with a whole frame");
  const frames = blocks.filter((block) => !block.startsWith(":"));
  const done = frames.at(-1) === "data: [DONE]";
  const events = (done ? frames.slice(0, -1) : frames).map(toEvent);
  return { events, comments: blocks.length - frames.length, done, text };
}

/** Types that a frame says once more in its `event:` line. */
const named = /^(response\.[a-z0-9_.]+|error)$/;

function toEvent(frame: string): WireEvent {
  const [, name, data] = /^(?:event: ([^\n]*)\n)?data: ([^\n]*)$/.exec(frame) ?? [];
  assert(data !== undefined, `a frame is an event line and a data line: ${frame.slice(0, 80)}`);
  const event = asObject(JSON.parse(data));
  const { type } = event;
  assert(typeof type === "string");
  assert.equal(name, named.test(type) ? type : undefined, "the event line is the type");
  return { ...event, type };
}

export async function readStream(response: Response): Promise<EventStream> {
  assert.equal(response.status, 200, response.status === 200 ? "" : await response.text());
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  return parseStream(await response.text());
}

/** The one terminal event's result object, after everything that must hold of any stream has been checked. */
export function checkStream(stream: EventStream): Json {
  const { events, done } = stream;
  assert(done, "the stream ends with [DONE]");
  const types = events.map(({ type }) => type);
  assert.deepEqual(events.map((event) => event.sequence_number), events.map((_, at) => at), "contiguous");
  const own = types.filter((type) => type !== "response.debug");
  assert.equal(own[0], "response.created");
  assert.equal(types.filter((type) => type === "response.created").length, 1);
  assert.equal(types.filter((type) => terminal.includes(type)).length, 1, "exactly one terminal event");
  assert(terminal.includes(types.at(-1) ?? ""), "the terminal event is the last");
  const lifecycle = events.filter((event) => isObject(event.response)).map(({ response }) =>
    asObject(response)
  );
  assert.equal(new Set(lifecycle.map(({ id }) => id)).size, 1, "one response id");
  for (const snapshot of lifecycle.slice(0, -1)) checkSnapshot(snapshot);
  const result = asObject(lifecycle.at(-1));
  checkItems(events, result);
  return result;
}

function checkSnapshot(snapshot: Json): void {
  assert.equal(snapshot.status, "in_progress");
  assert.deepEqual(snapshot.output, []);
  assert.equal(snapshot.usage ?? null, null, "usage is told at the end only");
}

/** Items open and close like a stack of one; their ids and indexes are constant; `output` repeats them. */
function checkItems(events: readonly WireEvent[], result: Json): void {
  let open: { readonly id: unknown; readonly index: number } | undefined;
  const ids: unknown[] = [];
  for (const event of events) {
    if (event.type === "response.output_item.added") {
      assert.equal(open, undefined, "the item before is closed");
      open = { id: asObject(event.item).id, index: ids.length };
      ids.push(open.id);
    }
    if (event.output_index !== undefined) assert.equal(event.output_index, open?.index, event.type);
    if (event.item_id !== undefined) assert.equal(event.item_id, open?.id, event.type);
    if (event.type === "response.output_item.done") {
      assert.equal(asObject(event.item).id, open?.id);
      open = undefined;
    }
  }
  const failed = result.status === "failed";
  assert(failed || open === undefined, "every item is closed");
  assert.deepEqual(asList(result.output).map((item) => asObject(item).id), ids, "output repeats the items");
}

/** The deltas of all text parts, put together. */
export function streamedText({ events }: EventStream): string {
  return events.filter(({ type }) => type === "response.output_text.delta").map(({ delta }) => String(delta))
    .join("");
}

/** The text parts of a result object, put together. */
export function resultText(result: Json): string {
  const parts = asList(result.output).flatMap((item) => asList(asObject(item).content ?? []));
  return parts.map((part) => asObject(part)).filter(({ type }) => type === "output_text").map(({ text }) =>
    String(text)
  ).join("");
}

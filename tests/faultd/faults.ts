/** The faults by name; what follows the name is a number or a word of the fault's own. */

import { gzipSync } from "node:zlib";
import { answer, chunk, close, head, lastChunk, reset, send, stall, type Step } from "./steps.ts";
import {
  errorFrame,
  type Frame,
  framesOf,
  frameText,
  SOUND_USAGE,
  type Usage,
  wholeOf,
  type Wire,
} from "./wires.ts";

/** One call, as a fault sees it. */
export interface Call {
  readonly wire: Wire;
  readonly stream: boolean;
  /** Text behind the fault's name, without the dash. */
  readonly arg: string;
  /** Milliseconds since the epoch, for dates in headers. */
  readonly now: number;
}

export type Fault = (call: Call) => Iterable<Step>;

const EVENT_STREAM = "text/event-stream; charset=utf-8";
const MIB = 1024 * 1024;
const MAX_MIB = 1024;

function number(arg: string, otherwise: number): number {
  return arg === "" || Number.isNaN(Number(arg)) ? otherwise : Number(arg);
}

/** A sound answer, whose stream's frames or whole text may be changed. */
interface Change {
  readonly usage?: Usage | null;
  readonly frames?: (frames: readonly Frame[]) => readonly Frame[];
  readonly text?: (frame: Frame) => string;
}

function* sound({ wire, stream }: Call, change: Change = {}): Generator<Step> {
  const usage = change.usage === undefined ? SOUND_USAGE : change.usage;
  if (!stream) return yield* answer(wholeOf(wire, usage));
  const frames = framesOf(wire, usage);
  yield head({ type: EVENT_STREAM, framing: "chunked" });
  for (const frame of (change.frames ?? ((same) => same))(frames)) {
    yield chunk((change.text ?? frameText)(frame));
  }
  yield lastChunk;
}

/** Frames up to and with the n-th delta. */
function until(wire: Wire, deltas: number): readonly Frame[] {
  let seen = 0;
  return framesOf(wire, SOUND_USAGE).filter(({ kind }) => {
    if (kind === "delta") seen += 1;
    return kind !== "tail" && seen <= deltas;
  });
}

/** Begins an answer, with some deltas or half of the text, then does something else. */
function* begun(
  { wire, stream, arg }: Call,
  { then, framing }: { readonly then: Iterable<Step>; readonly framing?: "close" },
): Generator<Step> {
  if (stream) {
    yield head({ type: EVENT_STREAM, framing: framing ?? "chunked" });
    const piece = framing === "close" ? send : chunk;
    for (const frame of until(wire, number(arg, 3))) yield piece(frameText(frame));
  } else {
    const whole = wholeOf(wire, SOUND_USAGE);
    yield head({ framing: framing ?? whole.length });
    yield send(whole.slice(0, whole.length / 2));
  }
  yield* then;
}

function* tooShort({ wire, stream }: Call): Generator<Step> {
  const text = stream ? until(wire, 2).map(frameText).join("") : wholeOf(wire, SOUND_USAGE).slice(0, 60);
  yield head({ type: stream ? EVENT_STREAM : "application/json", framing: text.length + 1_000 });
  yield send(text);
}

/** `429`, `429-retry-2`, `429-date`, `429-date-5`: the date is so many seconds from now. */
function* status({ arg, now }: Call): Generator<Step> {
  const [, code = "500", , how, value] = /^(\d+)(-(retry|date)-?(.*))?$/.exec(arg) ?? [];
  const seconds = number(value ?? "", 2);
  const after = how === "retry" ? value ?? "" : new Date(now + seconds * 1_000).toUTCString();
  const error = {
    type: "server_error",
    code: `status_${code}`,
    message: `Status ${code} on purpose.`,
    param: null,
  };
  yield* answer(JSON.stringify({ error }), {
    status: Number(code),
    headers: how === undefined ? {} : { "retry-after": after },
  });
}

const imageRefusals: ReadonlyMap<string, string> = new Map([
  ["form", "Unsupported image format: tiff"],
  ["data", "Could not process image"],
]);

/** `form`, `data`: the 400 of a host that does not take a picture's form, or cannot read it. */
function* image({ arg }: Call): Generator<Step> {
  const message = imageRefusals.get(arg) ?? arg;
  const error = { type: "invalid_request_error", code: null, message, param: null };
  yield* answer(JSON.stringify({ error }), { status: 400 });
}

const PAGE = "<!doctype html><title>Sign in</title><p>Please sign in.";

function* zipped(call: Call, { spoil }: { readonly spoil: boolean }): Generator<Step> {
  const { wire, stream } = call;
  const text = stream ? framesOf(wire, SOUND_USAGE).map(frameText).join("") : wholeOf(wire, SOUND_USAGE);
  const bytes = Uint8Array.from(gzipSync(text));
  const type = stream ? EVENT_STREAM : "application/json";
  yield* answer(spoil ? bytes.slice(0, bytes.length / 2) : bytes, {
    type,
    headers: { "content-encoding": "gzip" },
  });
}

/** So many MiB of spaces (16 by default), in about a thousandth of that. */
function* bomb({ stream, arg }: Call): Generator<Step> {
  const size = Math.min(number(arg, 16), MAX_MIB) * MIB;
  const bytes = Uint8Array.from(gzipSync(new Uint8Array(size).fill(32)));
  yield* answer(bytes, {
    type: stream ? EVENT_STREAM : "application/json",
    headers: { "content-encoding": "gzip" },
  });
}

/** One line of so many MiB (64 by default). */
function* hugeLine({ wire, stream, arg }: Call): Generator<Step> {
  yield head({ type: stream ? EVENT_STREAM : "application/json", framing: "chunked" });
  if (stream) { for (const frame of until(wire, 2)) yield chunk(frameText(frame)); }
  yield chunk(stream ? 'data: {"type":"response.output_text.delta","delta":"' : '{"padding":"');
  const piece = new Uint8Array(64 * 1024).fill(120);
  for (let sent = 0; sent < Math.min(number(arg, 64), MAX_MIB) * MIB; sent += piece.length) {
    yield chunk(piece);
  }
  yield chunk('"}\n\n');
  yield lastChunk;
}

/** Each chunk by itself, so that what came before a fault is there before the fault is. */
function* apart(steps: Iterable<Step>): Generator<Step> {
  for (const step of steps) {
    if (step.type === "send") yield { type: "wait", ms: 4 };
    yield step;
  }
}

function badJson(call: Call): Iterable<Step> {
  if (!call.stream) return answer('{"id":"resp_1","object":');
  const frames = until(call.wire, number(call.arg, 1));
  const rest = framesOf(call.wire, SOUND_USAGE).slice(frames.length);
  return apart(sound(call, {
    frames: () => [...frames, { kind: "tail", data: '{"type":"response.output_text.del' }, ...rest],
  }));
}

/** The n-th frame is an error, and the last. */
function errorInside(call: Call): Iterable<Step> {
  const { error } = JSON.parse(errorFrame("chat").data);
  if (!call.stream) return answer(JSON.stringify({ error }));
  const before = number(call.arg, 1) - 1;
  return apart(sound(call, { frames: (frames) => [...frames.slice(0, before), errorFrame(call.wire)] }));
}

/** The chat wire tells its counts in a frame of their own; told twice, the last one holds. */
function usageTwice(call: Call): Iterable<Step> {
  const [last] = framesOf("chat", { input: 3, output: 4 }).slice(-2);
  if (call.wire === "responses" || last === undefined) return sound(call);
  return sound(call, { frames: (frames) => [...frames.slice(0, -2), last, ...frames.slice(-2)] });
}

function afterTerminal(call: Call): Iterable<Step> {
  const more = until(call.wire, 2).filter(({ kind }) => kind === "delta");
  return sound(call, { frames: (frames) => [...frames, ...more] });
}

/** A sound answer, a byte each so many milliseconds (5 by default). */
function* drip(call: Call): Generator<Step> {
  for (const step of sound(call)) {
    if (step.type !== "send") continue;
    for (const byte of step.bytes) {
      yield send(Uint8Array.of(byte));
      yield { type: "wait", ms: number(call.arg, 5) };
    }
  }
}

/** Every byte in a write of its own. */
function* split(call: Call): Generator<Step> {
  for (const step of sound(call)) {
    if (step.type !== "send") yield step;
    else for (const byte of step.bytes) yield send(Uint8Array.of(byte));
  }
}

/** Ways of writing an event stream that are legal, if odd; all of them carry a sound answer. */
const spellings: Readonly<Record<string, (frame: Frame, text: string) => string>> = {
  cr: (_, text) => text.replaceAll("\n", "\r"),
  crlf: (_, text) => text.replaceAll("\n", "\r\n"),
  bom: ({ kind, data }, text) => kind === "head" && /created|"role"/.test(data) ? `\ufeff${text}` : text,
  nospace: (_, text) => text.replace("data: ", "data:").replace("event: ", "event:"),
  comments: (_, text) => `: keep-alive\n\n:\n${text}`,
  multiline: (_, text) => text.replace(/^data: \{/m, "data: {\ndata: "),
  fields: (_, text) => `id: 7\nretry: 5\nunknown\n${text}`,
  noevent: (_, text) => text.replace(/^event: .*\n/, ""),
};

function spelled(call: Call): Iterable<Step> {
  const spell = Object.hasOwn(spellings, call.arg) ? spellings[call.arg] : undefined;
  return sound(call, { text: (frame) => spell?.(frame, frameText(frame)) ?? frameText(frame) });
}

/** The last frame's blank line is missing. */
function noBlank(call: Call): Iterable<Step> {
  const isLast = ({ data }: Frame) => data === "[DONE]" || data.includes('"response.completed"');
  return sound(call, { text: (frame) => isLast(frame) ? frameText(frame).trimEnd() : frameText(frame) });
}

/** Name → what happens. A model is called `<name>`, or `<name>-<argument>`. */
export const faults = {
  /** A sound answer. */
  ok: (call) => sound(call),
  /** So many deltas (3), then silence. */
  "stall-after": (call) => begun(call, { then: [stall] }),
  /** So many deltas (3), then the connection ends inside a chunk. */
  "cut-chunk": (call) => apart(begun(call, { then: [send("40\r\ndata: {"), close] })),
  /** Less than the content length promised. */
  "cut-length": (call) => tooShort(call),
  /** So many deltas (3) of a body that ends with its connection: it looks whole. */
  "cut-close": (call) => apart(begun(call, { then: [close], framing: "close" })),
  "bad-chunk": (call) => apart(begun({ ...call, stream: true }, { then: [send("zz\r\n"), close] })),
  status,
  image,
  "html-200": () => answer(PAGE, { type: "text/html" }),
  "empty-200": ({ stream }) => answer("", { type: stream ? EVENT_STREAM : "application/json" }),
  "array-200": () => answer("[1,2,3]"),
  "truncated-json": ({ wire }) => answer(wholeOf(wire, SOUND_USAGE).slice(0, 90)),
  "gzip-ok": (call) => zipped(call, { spoil: false }),
  "gzip-corrupt": (call) => zipped(call, { spoil: true }),
  "gzip-bomb": (call) => bomb(call),
  "garbage-status": () => [send("HTP/9.9 garbage\r\n\r\n"), close],
  /** The connection is reset before a byte. */
  reset: () => [reset],
  /** So many deltas (3), then a reset. */
  "reset-after": (call) => begun(call, { then: [{ type: "wait", ms: 20 }, reset] }),
  /** The connection ends in good order before a byte. */
  "close-early": () => [close],
  hang: () => [stall],
  /** A header of so many KiB (300). */
  "header-huge": ({ arg }) => answer("{}", { headers: { "x-padding": "x".repeat(number(arg, 300) * 1024) } }),
  /** The rest of the head never comes. */
  "header-stall": () => [send("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"), stall],
  redirect: () => answer("", { status: 302, headers: { location: "/redirected" } }),
  "huge-line": (call) => hugeLine(call),
  /** So many deltas (1), a frame that is no JSON, then the rest. */
  "bad-json": badJson,
  /** The n-th frame (1) tells of an overload; whole answers are the error with status 200. */
  "error-frame": errorInside,
  "usage-negative": (call) => sound(call, { usage: { input: -5, output: -1 } }),
  "usage-missing": (call) => sound(call, { usage: null }),
  "usage-absurd": (call) => sound(call, { usage: { input: 1e18, output: 1e18 } }),
  "usage-zero": (call) => sound(call, { usage: { input: 0, output: 0 } }),
  "usage-text": (call) => sound(call, { usage: { input: "NaN", output: "many" } }),
  "usage-twice": usageTwice,
  "after-terminal": afterTerminal,
  drip,
  split,
  /** `sse-cr`, `-crlf`, `-bom`, `-nospace`, `-comments`, `-multiline`, `-fields`, `-noevent`: legal all. */
  sse: spelled,
  "sse-noblank": noBlank,
  /** The answer begins after so many milliseconds (300). */
  slow: function* (call) {
    yield { type: "wait", ms: number(call.arg, 300) };
    yield* sound(call);
  },
} as const satisfies Readonly<Record<string, Fault>>;

const names = Object.keys(faults).toSorted((a, b) => b.length - a.length);
const byName = new Map<string, Fault>(Object.entries(faults));

export interface Chosen {
  readonly name: string;
  readonly arg: string;
  readonly fault: Fault;
}

/** The fault of a model's name, with or without an author; undefined for names of no fault. */
export function faultOf(model: string): Chosen | undefined {
  const requested = model.slice(model.lastIndexOf("/") + 1);
  const name = names.find((one) => requested === one || requested.startsWith(`${one}-`));
  const fault = byName.get(name ?? "");
  return name === undefined || fault === undefined
    ? undefined
    : { name, fault, arg: requested.slice(name.length + 1) };
}

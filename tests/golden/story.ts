/**
 * Golden stories: what one request and its answer look like on every side of a wire, as one text file.
 *
 *     What the story shows, in words.
 *
 *     === client request
 *     JSON of POST /responses; `client request: chat` and `client request: messages` come through those APIs,
 *     and their answers go back through them alone
 *
 *     === endpoint
 *     JSON of the traits that differ from the usual (may be left out)
 *
 *     === upstream request
 *     ours: the call that the wire renders
 *
 *     === upstream answer: 200 sse
 *     the provider's bytes; `sse`, `json` or `text`, or `event-stream` written down as if it were `sse`; with `cut` behind it the last line breaks off where it ends
 *
 *     === our answer
 *     ours: what comes of it on POST /responses
 *
 *     === our answer: chat
 *     === our answer: messages
 *     ours: the same through the other API
 *
 * `UPDATE=1 deno task test tests/golden` writes the sections that are ours.
 */

import assert from "node:assert/strict";
import type { ApiName } from "./apis.ts";

export interface Story {
  /** Where the file is, from the checkout's folder. */
  readonly path: string;
  /** Sections as they stand in the file, in its order; `""` is what comes before the first. */
  readonly sections: ReadonlyMap<string, string>;
  readonly upstream: UpstreamAnswer;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly kind: "sse" | "event-stream" | "json" | "text";
  readonly body: string;
}

/** The sections that are ours to write. */
export interface Rendered {
  readonly upstreamRequest: string;
  /** Through each API. */
  readonly answers: readonly (readonly [ApiName, string])[];
}

const HEADER = /^=== (.+)$/m;
const UPSTREAM = /^upstream answer: (\d{3}) (sse|event-stream|json|text)( cut)?$/;

export function parseStory(path: string, text: string): Story {
  const [words = "", ...rest] = text.split(HEADER);
  const sections = new Map([["", words.trim()]]);
  for (let at = 0; at < rest.length; at += 2) sections.set(rest[at] ?? "", trimmed(rest[at + 1] ?? ""));
  return { path, sections, upstream: upstreamOf(path, sections) };
}

/** Line ends around a section are for the reader. */
const trimmed = (text: string) => text.replace(/^\n+|\n+$/g, "");

function upstreamOf(path: string, sections: ReadonlyMap<string, string>): UpstreamAnswer {
  for (const [header, body] of sections) {
    const [, status, kind, cut] = UPSTREAM.exec(header) ?? [];
    if (status === undefined) continue;
    assert.ok(kind === "sse" || kind === "event-stream" || kind === "json" || kind === "text");
    const whole = kind !== "json" && kind !== "text" && cut === undefined;
    return { status: Number(status), kind, body: whole ? `${body}\n\n` : body };
  }
  throw new Error(`${path} has no section "=== upstream answer: <status> <sse|json|text>"`);
}

/** The JSON of a section; undefined when there is no such section. */
export function jsonOf({ path, sections }: Story, section: string): unknown {
  const text = sections.get(section);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${path}: "=== ${section}" is no JSON`, { cause });
  }
}

/** Reads the client's request, and the API it came through. */
export function clientOf(story: Story): { readonly api: ApiName; readonly body: unknown } {
  for (const api of ["chat", "messages"] as const) {
    const body = jsonOf(story, `client request: ${api}`);
    if (body !== undefined) return { api, body };
  }
  return { api: "responses", body: jsonOf(story, "client request") };
}

const OURS = /^(upstream request|our answer(: [a-z]+)?)?$/;

const answerHeader = (api: ApiName) => api === "responses" ? "our answer" : `our answer: ${api}`;

/** The story's file with our sections written anew. */
export function formatStory({ sections }: Story, { upstreamRequest, answers }: Rendered): string {
  const theirs = [...sections].filter(([header]) => !OURS.test(header));
  const last = theirs.findIndex(([header]) => UPSTREAM.test(header));
  const all = [
    ...theirs.slice(0, last),
    ["upstream request", upstreamRequest],
    ...theirs.slice(last),
    ...answers.map(([api, text]) => [answerHeader(api), text]),
  ];
  return `${sections.get("") ?? ""}\n\n${all.map(([header, body]) => `=== ${header}\n${body}\n`).join("\n")}`;
}

/** Walls of the engine `virtual` between containers, and between a process and the gateway: time, frames, requests. */

import type { Change } from "./changed_engine.ts";
import { frame, python } from "./forged_frames.ts";
import type { TakenWall } from "./taken_walls.ts";

/** A time limit that the loops below pass, and what the keeper gives beyond it. */
const LIMIT = { timeoutMs: 1_000 } as const;
/** JavaScript that works for so many milliseconds of the processor: nothing interrupts it. */
const work = (ms: number): string =>
  `{ const from = process.cpuUsage().user; while (process.cpuUsage().user - from < ${ms * 1_000}); }`;
/** Ends by itself behind the keeper's limit too. */
const LONG_MS = 4_000;

const unwatchedTime: Change = [
  "keeper/child_session.ts",
  "this.#child.limitTime(timeMs);",
  "this.#child.limitTime(Infinity);",
];

const FORGED = "forged\n";

/** JavaScript that writes an end of a command. */
function end(
  { request = 1, exitCode = 0, moreBytes = 0, headerChars = 0 }: Readonly<
    Record<"request" | "exitCode" | "moreBytes" | "headerChars", number>
  >,
): string {
  const value = {
    exitCode,
    isTimedOut: false,
    stdout: FORGED.length,
    stderr: 0,
    workingFolder: "/home/user",
    environment: [],
    changes: [],
    isOverflow: false,
    isNewInterpreter: false,
  };
  const bytes = `new TextEncoder().encode(${JSON.stringify(FORGED)}.padEnd(${FORGED.length + moreBytes}))`;
  const headerText = (json: string) => `${json}.padEnd(${headerChars})`;
  return frame({ header: { type: "ended", request }, headerText, value, bytes });
}

const usual = { request: 1, exitCode: 0, moreBytes: 0, headerChars: 0 };
const isForged = /^forged\n$/;
const KIB = 1024;
const MIB = 1024 * KIB;

/** A command that writes frames, and goes on. */
const writing = (javascript: string): string => `${python(javascript)}; sleep 1; echo done`;
const isDone = /^done\n$/;
/** JavaScript that writes a frame so many times. */
const times = (count: number, javascript: string): string =>
  `for (let n = 0; n < ${count}; n++) ${javascript}`;
const call = (bytes?: string): string =>
  frame({
    header: { type: "call", request: 1, id: 9_999, name: "fetch" },
    value: { url: "http://a.test/", method: "GET" },
    bytes,
  });
const request = "process_session.ts";

export const sessionWalls: Readonly<Record<string, TakenWall>> = {
  "a command is not ended by its process": {
    without: [
      ["child/command_time.ts", "this.#cpuEnd = cpuMs() + limitMs;", "this.#cpuEnd = Infinity;"],
      [
        "child/command_time.ts",
        "this.#clockEnd = monotonic() + CLOCK_FACTOR * limitMs;",
        "this.#clockEnd = Infinity;",
      ],
    ],
    lets: () => ({
      "work that can be interrupted": [[{
        code: python("globalThis.work = (ms) => " + work(LONG_MS / 20)) +
          "; for i in $(seq 20); do python3 -c 'import js; js.work()'; done; echo done",
        ...LIMIT,
      }], isDone],
    }),
    behind: [unwatchedTime],
  },
  "a command is not ended by the keeper": {
    without: [unwatchedTime],
    // The process itself ends it then, as soon as it can.
    lets: () => ({
      "work that nothing interrupts": [
        [{ code: `${python(work(LONG_MS))}; echo done`, ...LIMIT }],
        /^\[time limit\]$/,
      ],
    }),
  },
  "a process works that has nothing to do": {
    without: [[
      "keeper/child_session.ts",
      "limitIdleWork(this.#options.program.idleWorkMs)",
      "limitIdleWork(Infinity)",
    ]],
    lets: () => ({
      "work behind the end of a command": [[
        { code: python(`setTimeout(() => { ${work(7_000)} globalThis.late = "worked"; }, 100)`) },
        { code: "python3 -c 'import js; print(js.late)'", idleMs: 6_500 },
      ], /^worked\n$/],
    }),
  },
  "a process serves more than one container": {
    without: [[
      "process_pool.ts",
      "undefined {\n    const warm = this.#warm.get(container);",
      "undefined {\n    const warm = this.#warm.values().next().value;",
    ]],
    lets: () => ({
      "a file of another container": [[
        { code: "echo theirs > /tmp/left" },
        { code: "cat /tmp/left", container: "two" },
      ], /^theirs\n$/],
      "an interpreter of another container": [[
        { code: python("globalThis.left = `theirs`") },
        { code: "python3 -c 'import js; print(js.left)'", container: "two" },
      ], /^theirs\n$/],
    }),
  },
  "answers are not numbered": {
    without: [[
      request,
      "pending === undefined || pending.request !== reply.request",
      "pending === undefined",
    ]],
    lets: () => ({
      "an answer of the last command": [[
        { code: "true" },
        { code: writing(end(usual)) },
      ], isForged],
    }),
  },
  "an end of a command is not checked": {
    without: [["container_process.ts", "= endedSchema.parse(value);", "= value;"]],
    lets: () => ({
      "a status that no command has": [writing(end({ ...usual, exitCode: 700 })), /^forged\n\[700\]$/],
    }),
  },
  "headers are not checked": {
    without: [[
      request,
      'if (reply === undefined) return this.kill("failed");',
      "if (reply === undefined) return;",
    ]],
    lets: () => ({ "nonsense": [writing(frame({ header: { type: "nonsense" } })), isDone] }),
  },
  "frames are as large as one likes": {
    without: [[
      "keeper/frames.ts",
      "headerLength > MAX_HEADER_BYTES || bodyLength > MAX_FRAME_BODY_BYTES",
      "headerLength > MAX_HEADER_BYTES",
    ]],
    lets: () => ({ "17 MiB": [writing(end({ ...usual, moreBytes: 17 * MIB })), isForged] }),
  },
  "headers are as long as one likes": {
    without: [["keeper/frames.ts", "headerLength > MAX_HEADER_BYTES || ", ""]],
    lets: () => ({ "100 KiB of blanks": [writing(end({ ...usual, headerChars: 100 * KIB })), isForged] }),
  },
  "headers are longer than what the gateway takes": {
    without: [[
      "keeper/child_session.ts",
      "const MAX_HEADER_CHARS = 1_024;",
      "const MAX_HEADER_CHARS = Infinity;",
    ]],
    // The gateway takes the keeper for broken, and all processes end.
    lets: () => ({
      "what another container's interpreter has": [[
        { code: python("globalThis.left = `kept`"), container: "two" },
        {
          code: writing(frame({ header: { type: "ended", more: "a".repeat(64 * KIB - 40) } })),
          container: "one",
        },
        { code: 'python3 -c \'import js; print(getattr(js, "left", "lost"))\'', container: "two" },
      ], /^lost\n$/],
    }),
  },
  "a process starts anew as often as it likes": {
    without: [[request, 'if (this.#hasStarted) return this.kill("failed");', ""]],
    lets: () => ({ "a second start": [writing(frame({ header: { type: "ready" } })), isDone] }),
  },
  "a command asks as much as it likes": {
    without: [[
      request,
      "++pending.calls <= MAX_CALLS && body.length <= MAX_CALL_BYTES",
      "true",
    ]],
    lets: () => ({
      "1,001 calls": [writing(times(1_001, call())), isDone],
      "a call of 100 KiB": [writing(call("new Uint8Array(100 * 1024)")), isDone],
    }),
  },
  "a command tells as often as it likes what it printed": {
    without: [[request, "++pending.printed > MAX_PRINTED", "false"]],
    lets: () => ({
      "20,001 times": [
        writing(
          times(20_001, frame({ header: { type: "printed", request: 1 }, value: { stdout: 0, stderr: 0 } })),
        ),
        isDone,
      ],
    }),
  },
  "pages are fetched from everywhere": {
    without: [[
      "allowed_requests.ts",
      "this.#rules.length > 0 && isAllowedUrl(url, { allowed: this.#rules, excluded: [] })",
      "true || isAllowedUrl(url, { allowed: [], excluded: [] })",
    ]],
    network: { type: "allowlist", domains: ["a.test"] },
    lets: () => ({ "a page of another domain": ["curl -s http://b.test/", /^a page\n$/] }),
  },
};

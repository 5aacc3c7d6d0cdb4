import assert from "node:assert/strict";
import { fakeClock } from "../tests/support/clock.ts";
import { createLogger, type LoggerOptions, redact } from "./logger.ts";
import { threadMs } from "../tests/support/thread_time.ts";

function opened(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  const { now } = fakeClock(Date.UTC(2026, 10, 2, 9, 8, 7, 6));
  const log = createLogger({
    format: "json",
    level: "info",
    now,
    write: (line) => lines.push(line),
    ...options,
  });
  return { log, lines };
}

/** One secret of every form, in a sentence. */
const secrets = [
  "tg-api-" + "a1B2_-".repeat(7) + "x",
  "tg-mgmt-" + "Z".repeat(43),
  "tg-client-" + "-".repeat(43),
  "sk-proj-" + "abcdEFGH1234".repeat(4),
  "sk-ant-api03-" + "q".repeat(40),
  "sk-or-v1-" + "0f".repeat(32),
  "gsk_".replace("_", "-") + "k".repeat(40),
  "AIza" + "SyA-1234567890_abcdefghijklmnopqrs",
  "AKIA" + "IOSFODNN7EXAMPLE",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
  "data:image/png;base64," + "iVBORw0KGgo".repeat(50),
  "data:text/plain;charset=utf-8;base64,aGVsbG8gd29ybGQ=",
];

Deno.test("redact takes out secrets of every form", () => {
  for (const secret of secrets) {
    const shown = redact(`Incorrect key provided: ${secret}, see "${secret}" (${secret}).`);
    assert.ok(!shown.includes(secret.slice(-12)), shown);
    assert.ok(shown.startsWith("Incorrect key provided: ") && shown.endsWith("."), shown);
  }
  assert.equal(redact("Authorization: bearer abc.def/ghi="), "Authorization: bearer [redacted]");
});

Deno.test("redact leaves ordinary text alone", () => {
  const text =
    "The risk-assessment of task-management: data: none, bearer of news; eyJ is no token; see /v1/keys.";
  assert.equal(redact(text), text.replace("bearer of", "bearer [redacted]"));
  assert.equal(redact("gpt-5 failed at 10:22"), "gpt-5 failed at 10:22");
});

Deno.test("redact stays linear on texts made to slow it down", async () => {
  for (
    const chunk of ["data:a/", "eyJ", "sk-", "Bearer ", "tg-api-", "AIza", "data:a/b;", "eyJa.", " Bearer"]
  ) {
    assert.ok(await threadMs(() => redact(chunk.repeat(20_000))) < 500, chunk);
  }
});

Deno.test("createLogger writes one JSON object a line, above its level", () => {
  const { log, lines } = opened();
  log.debug("not written");
  log.info("Request ended", { status: 200, model: "a/b", error: null, code: undefined });
  assert.deepEqual(lines.map((line) => JSON.parse(line)), [
    {
      time: "2026-11-02T09:08:07.006Z",
      level: "info",
      message: "Request ended",
      status: 200,
      model: "a/b",
      error: null,
    },
  ]);
  assert.ok(lines[0]?.endsWith("}\n"));
});

Deno.test("createLogger writes pretty lines that nothing can break out of", () => {
  const { log, lines } = opened({ format: "pretty", level: "debug" });
  log.warn("Bad\nline\u001b[31m", { error: 'two\nlines "quoted"', status: 502, model: "openai/gpt-5" });
  assert.deepEqual(lines, [
    '09:08:07.006 WARN  Bad line [31m error="two\\nlines \\"quoted\\"" status=502 model=openai/gpt-5\n',
  ]);
});

Deno.test("createLogger leaves out fields that are not listed and says so", () => {
  const { log, lines } = opened();
  const fields = { body: "everything", status: 1 };
  log.error("Failed", fields);
  assert.deepEqual(JSON.parse(lines[0] ?? ""), {
    time: "2026-11-02T09:08:07.006Z",
    level: "error",
    message: "Failed",
    status: 1,
    left_out: "body",
  });
});

Deno.test("createLogger lets no secret through, in message or field", () => {
  const own = "an-operator-chose-this-key-000000";
  for (const secret of [...secrets, own]) {
    const { log, lines } = opened({ secrets: [own] });
    log.info(`was ${secret}`, { error: `is ${secret}`, reason: secret });
    assert.ok(!lines.join().includes(secret.slice(-12)), lines.join());
  }
});

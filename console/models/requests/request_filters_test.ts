import assert from "node:assert/strict";
import { filtersOf, isLookedThrough, receiptQuery, searchOf, timeOf } from "./request_filters.ts";

const now = Date.parse("2026-11-25T14:32:00.000Z");
const query = (text: string) => new Map(new URLSearchParams(text));

Deno.test("a filter of the address becomes the operation's, what is unknown is left", () => {
  const filters = filtersOf(query("key=abc&asked=gpt&error=timeout&sort=cost&receipt=gen-1"));
  assert.deepEqual(filters, { key: "abc", asked: "gpt", error: "timeout" });
  const asked = receiptQuery({ filters, time: timeOf(query(""), now), workspaceId: "w" });
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  assert.deepEqual(given, {
    requested_model: "gpt",
    api_key_hash: "abc",
    error_kind: "timeout",
    workspace_id: "w",
    since: "2026-11-24T15:00:00.000Z",
  });
});

Deno.test("the time is a span of the address, or the range as the Overview counts it", () => {
  const [since, until] = ["2026-11-01T00:00:00.000Z", "2026-11-02T00:00:00.000Z"];
  assert.deepEqual(timeOf(query(`since=${since}&until=${until}&range=1h`), now), {
    since: Date.parse(since),
    until: Date.parse(until),
  });
  assert.deepEqual(timeOf(query(`until=${until}`), now), { since: 0, until: Date.parse(until) });
  assert.deepEqual(timeOf(query("range=7d&since=never"), now), {
    since: Date.parse("2026-11-19T00:00:00.000Z"),
    until: undefined,
  });
});

Deno.test("an id of ours is looked for alone, other texts are searched for", () => {
  const id = `req_${"0a".repeat(16)}`;
  assert.deepEqual(searchOf(` ${id} `), { id, q: undefined });
  for (const text of ["chatcmpl-a41f90c", "timeout", `gen-${"x".repeat(32)}`, "req_ 1"]) {
    assert.deepEqual(searchOf(text), { q: text, id: undefined });
  }
  const time = { since: 0, until: 1 };
  assert.deepEqual(receiptQuery({ filters: { id, user: "ada" }, time, workspaceId: "w" }), {
    id,
    until: undefined,
  });
  assert.deepEqual([{ user: "ada" }, { key: "abc", status: "failed" }].map(isLookedThrough), [true, false]);
});

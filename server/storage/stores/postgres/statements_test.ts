/** Tests that a wait for one of our connections is not taken for a server that does not answer. */

import assert from "node:assert/strict";
import { memoryClock } from "../../../../tests/support/clock.ts";
import { StoreError } from "../store.ts";
import type { PendingQuery, Sql } from "./postgres_client.ts";
import { Statements } from "./statements.ts";

const DEADLINE_MS = 2_000;

interface Row {
  readonly connections: number;
  /** Milliseconds that the server takes for each statement, in the order in which it gets them; Infinity: none. */
  readonly takes: readonly number[];
  /** By statement: milliseconds, and how it ended. */
  readonly ends: readonly (readonly [ms: number, end: string])[];
  /** Statements that the server got. */
  readonly sent: number;
  readonly hung?: number;
}

const ok = (ms: number) => [ms, "ok"] as const;
const timeout = (ms: number) => [ms, "timeout"] as const;
const busy = (ms: number) => [ms, "unavailable"] as const;

const rows: Readonly<Record<string, Row>> = {
  "a statement that is slow, and one behind it": {
    connections: 1,
    takes: [1_500, 1_500],
    ends: [ok(1_500), ok(3_000)],
    sent: 2,
  },
  "one connection and many": {
    connections: 1,
    takes: Array.from({ length: 8 }, () => 1_500),
    ends: [
      ...Array.from({ length: 7 }, (_, at) => ok(1_500 * (at + 1))),
      busy(10_000),
    ],
    sent: 7,
  },
  "a server that answers nobody": {
    connections: 2,
    takes: [Infinity, Infinity],
    ends: Array.from({ length: 5 }, () => timeout(2_000)),
    sent: 2,
    hung: 2,
  },
  "one statement that hangs beside others": {
    connections: 2,
    takes: [Infinity, 1_000, 1_000, 1_000],
    ends: [timeout(2_000), ok(1_000), ok(2_000), ok(3_000)],
    sent: 4,
    hung: 1,
  },
  "a statement that is answered late": {
    connections: 1,
    takes: [2_500, 500],
    ends: [timeout(2_000), timeout(2_000)],
    sent: 1,
  },
};

function rig({ connections, takes }: Pick<Row, "connections" | "takes">) {
  const clock = memoryClock();
  const counts = { sent: 0, hung: 0 };
  const statements = new Statements({
    sql: () => toSql({}),
    clock,
    deadlineMs: DEADLINE_MS,
    connections,
    onHung: () => counts.hung++,
  });
  const make = () => {
    const ms = takes[counts.sent++] ?? 0;
    const answer = new Promise((resolve) => {
      if (ms < Infinity) clock.after(ms, () => resolve([]));
    });
    return toQuery(Object.assign(answer, { state: {}, cancel: () => {} }));
  };
  const begun = clock.monotonic();
  const run = async () => {
    const end = await statements.run(make).then(() => "ok", kindOf);
    return [clock.monotonic() - begun, end] as const;
  };
  return { clock, counts, statements, run };
}

function kindOf(error: unknown): string {
  assert.ok(error instanceof StoreError);
  return error.kind;
}

const toSql = (client: object) => client as Sql;
const toQuery = (query: object) => query as PendingQuery<readonly object[]>;

for (const [name, row] of Object.entries(rows)) {
  Deno.test(`Statements counts only the server's time: ${name}`, async () => {
    const { clock, counts, run } = rig(row);
    const ends = Promise.all(row.ends.map(run));
    for (let step = 0; step < 30; step++) await clock.advance(500);
    assert.deepEqual(await ends, row.ends);
    assert.deepEqual([counts.sent, counts.hung], [row.sent, row.hung ?? 0]);
  });
}

Deno.test("Statements gives the place of a hung statement to the next client", async () => {
  const { clock, counts, run } = rig({ connections: 1, takes: [Infinity, 100] });
  const first = run();
  await clock.advance(2 * DEADLINE_MS);
  assert.deepEqual((await first)[1], "timeout");
  const second = run();
  await clock.advance(100);
  assert.deepEqual([(await second)[1], counts.sent], ["ok", 2]);
});

Deno.test("Statements ends what waits when it is closed, and begins nothing", async () => {
  const { clock, counts, statements, run } = rig({ connections: 1, takes: [500] });
  const ends = Promise.all([run(), run()]);
  await clock.advance(0);
  statements.close(new StoreError("unavailable", "closed"));
  await clock.advance(500);
  assert.deepEqual((await ends).map(([, end]) => end), ["ok", "unavailable"]);
  assert.equal((await run())[1], "unavailable");
  assert.equal(counts.sent, 1);
});

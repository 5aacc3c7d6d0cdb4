import assert from "node:assert/strict";
import { placesIn } from "./destination_cursors.ts";

const DAY = 86_400_000;
const NOW = 100 * DAY;
const SINCE = 50 * DAY;

interface Case {
  readonly cursors?: Readonly<Record<string, number>>;
  readonly over?: number;
  /** Number of the newest batch, and the day on which the journal ended. */
  readonly heads: readonly (readonly [string, number, number?])[];
  /** Places afterwards, and the day before which journals without one have ended. */
  readonly places: Readonly<Record<string, number>>;
  readonly overAfter: number;
}

/** Journals of which nothing is done are begun at their first batch: each has been written since the destination is on. */
const cases: Readonly<Record<string, Case>> = {
  "a new journal is begun": { heads: [["live", 5]], places: { live: -1 }, overAfter: 93 },
  "a journal that ended long ago and was never looked at is begun": {
    over: 50,
    heads: [["old", 5, 60]],
    places: { old: -1 },
    overAfter: 60,
  },
  "one that ended before the destination was on is not": {
    over: 50,
    heads: [["before", 5, 49], ["live", 5]],
    places: { live: -1 },
    overAfter: 93,
  },
  "one that ended long ago is forgotten when it is done": {
    cursors: { old: 5, live: 3 },
    over: 50,
    heads: [["old", 5, 60], ["live", 5]],
    places: { live: 3 },
    overAfter: 93,
  },
  "one that has ended lately is kept": {
    cursors: { late: 5 },
    over: 50,
    heads: [["late", 5, 99]],
    places: { late: 5 },
    overAfter: 93,
  },
  "one that was forgotten is not begun anew": {
    cursors: { live: 3 },
    over: 70,
    heads: [["old", 5, 60], ["live", 5]],
    places: { live: 3 },
    overAfter: 93,
  },
  "none that ended behind one with something to send is forgotten": {
    cursors: { first: 4, second: 5 },
    over: 50,
    heads: [["first", 5, 60], ["second", 5, 70]],
    places: { first: 4, second: 5 },
    overAfter: 60,
  },
  "one that nobody sees at the moment keeps its place": {
    cursors: { hidden: 4, live: 5 },
    over: 93,
    heads: [["live", 5]],
    places: { hidden: 4, live: 5 },
    overAfter: 93,
  },
  "a state of before takes the last week as not done": {
    cursors: { live: 5 },
    heads: [["old", 5, 60], ["late", 5, 95], ["live", 5]],
    places: { late: -1, live: 5 },
    overAfter: 93,
  },
};

Deno.test("placesIn begins journals once, and forgets none that has something to send", async () => {
  const tail = { lastBefore: () => Promise.resolve(-1) };
  for (const [name, { cursors = {}, over, heads, places, overAfter }] of Object.entries(cases)) {
    const found = await placesIn(tail, {
      cursors,
      since: SINCE,
      now: NOW,
      ...(over === undefined ? {} : { over: over * DAY }),
      heads: heads.map(([instance, newest, day]) => ({
        instance,
        newest,
        ...(day === undefined ? {} : { endedAt: day * DAY }),
      })),
    });
    assert.deepEqual(found, { cursors: places, over: overAfter * DAY }, name);
  }
});

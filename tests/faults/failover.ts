/**
 * Outcomes of a request whose first endpoint fails while a second one is well: the table of docs/routing.md.
 * failover_test.ts checks that the gateway keeps to it.
 */

/**
 * `next`: the second endpoint answers; `own`: the first one does; `broken`: what came stands, and an error follows;
 * `refused`: the client gets the first one's error.
 */
export type FailoverEnd = "next" | "own" | "broken" | "refused";

export interface FailoverRow {
  /** In the words of the documents. */
  readonly what: string;
  /** Its name at the misbehaving provider (tests/faultd); absent: no server listens there. */
  readonly fault?: string;
  /** A deadline has to pass first. */
  readonly silent?: true;
  readonly streamed: FailoverEnd;
  readonly whole: FailoverEnd;
  /** The status where no other endpoint is left; absent: the first one's own answer. */
  readonly alone?: number;
}

export const failover: readonly FailoverRow[] = [
  { what: "The connection is refused", streamed: "next", whole: "next", alone: 502 },
  { what: "The connection is reset", fault: "reset", streamed: "next", whole: "next", alone: 502 },
  { what: "429", fault: "status-429-retry-2", streamed: "next", whole: "next", alone: 429 },
  { what: "500", fault: "status-500", streamed: "next", whole: "next", alone: 502 },
  { what: "503", fault: "status-503", streamed: "next", whole: "next", alone: 503 },
  { what: "529", fault: "status-529", streamed: "next", whole: "next", alone: 529 },
  {
    what: "Silence before the head: 60 s of a stream, 10 minutes of a whole answer",
    fault: "hang",
    silent: true,
    streamed: "next",
    whole: "next",
    alone: 524,
  },
  {
    what: "Silence behind the head: 120 s of a stream, 10 minutes of a whole answer",
    fault: "stall-after-0",
    silent: true,
    streamed: "next",
    whole: "next",
    alone: 408,
  },
  {
    what: "The connection ends before the first word",
    fault: "cut-chunk-0",
    streamed: "next",
    whole: "next",
    alone: 502,
  },
  {
    what: "The connection ends behind the first word",
    fault: "cut-chunk-1",
    streamed: "broken",
    whole: "next",
    alone: 502,
  },
  { what: "A malformed event", fault: "bad-json-0", streamed: "next", whole: "next", alone: 502 },
  {
    what: "An error as the first event",
    fault: "error-frame-1",
    streamed: "next",
    whole: "next",
    alone: 529,
  },
  { what: "An empty answer with 200", fault: "empty-200", streamed: "next", whole: "next", alone: 502 },
  { what: "A slow first byte, within the time", fault: "slow-20", streamed: "own", whole: "own" },
  {
    what: "400 for a picture of a form, a size or an address that the provider does not take",
    fault: "image-form",
    streamed: "next",
    whole: "next",
    alone: 400,
  },
  {
    what: "400 for a picture that cannot be read",
    fault: "image-data",
    streamed: "refused",
    whole: "refused",
    alone: 400,
  },
  { what: "The gateway's key is refused", fault: "status-401", streamed: "next", whole: "next", alone: 502 },
];

/** The last one: it takes time, and recovery is what counts. */
export const outage = {
  what: "An outage of a minute",
  /** Seconds after its end until the endpoint is asked again, at most. */
  recovery: 30,
} as const;

const ends = {
  next: "the second endpoint answers",
  own: "the first endpoint answers",
  broken: "what came, then the error",
  refused: "the error",
} as const satisfies { readonly [E in FailoverEnd]: string };

const charges = {
  next: "the second answer",
  own: "the answer",
  broken: "the prompt and what came, as counted by the gateway",
  refused: "nothing",
} as const satisfies { readonly [E in FailoverEnd]: string };

/** The table as docs/routing.md shows it. */
export function failoverTable(): string {
  const rows = failover.map(({ what, streamed, whole, alone }) =>
    `| ${what} | ${ends[streamed]} | ${ends[whole]} | ${charges[streamed]} | ${alone ?? "–"} |`
  );
  const last =
    `| ${outage.what} | ${ends.next} | ${ends.next} | ${charges.next} | 503; the endpoint is asked again within ${outage.recovery} s of its end |`;
  const head = [
    "| the first endpoint | streamed | whole | charged of a stream | status where no other is left |",
    "|---|---|---|---|---|",
  ];
  return [...head, ...rows, last].join("\n");
}

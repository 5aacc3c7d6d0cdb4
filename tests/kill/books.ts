/** Reads the gateway's books through its own operations, beside what clients saw. */

import type { Seen } from "./clients.ts";

export interface BooksOptions {
  readonly url: string;
  readonly managementKey: string;
  readonly keyHash: string;
}

interface Receipt {
  readonly id: string;
  readonly status: string;
  /** Nano-USD. */
  readonly cost: number;
}

export interface Verdict {
  readonly receipts: number;
  readonly interrupted: number;
  /** Answers whose end a client saw and that have no receipt. */
  readonly lost: readonly string[];
  /** Receipts under one id. */
  readonly doubled: readonly string[];
  /** Answers whose receipt says another cost than the client was told. */
  readonly differing: readonly string[];
  /** Streams that had begun at the client and have no receipt at all. */
  readonly forgotten: readonly string[];
  /** Nano-USD: the key's counter, and the sum of its receipts. */
  readonly counter: number;
  readonly sum: number;
}

/** Compares every answer that a client saw with the receipts, and the counters with their sum (promises M4). */
export async function compare(seen: readonly Seen[], options: BooksOptions): Promise<Verdict> {
  const receipts = await receiptsOf(options);
  const byId = new Map(receipts.map((receipt) => [receipt.id, receipt]));
  const ended = seen.filter(({ terminal }) => terminal);
  const begun = seen.filter(({ terminal, begun }) => begun && !terminal);
  const times = new Map<string, number>();
  for (const { id } of receipts) times.set(id, (times.get(id) ?? 0) + 1);
  return {
    receipts: receipts.length,
    interrupted: receipts.filter(({ status }) => status === "interrupted").length,
    lost: ended.filter(({ id }) => !byId.has(id)).map(({ id }) => id),
    doubled: [...times].filter(([, count]) => count > 1).map(([id]) => id),
    differing: ended.filter(({ id, costNano }) => byId.has(id) && byId.get(id)?.cost !== costNano)
      .map(({ id, costNano }) => `${id}: ${costNano} and ${byId.get(id)?.cost}`),
    forgotten: begun.filter(({ id }) => !byId.has(id)).map(({ id }) => id),
    counter: await counterOf(options),
    sum: receipts.reduce((sum, { cost }) => sum + cost, 0),
  };
}

const nano = (usd: number) => Math.round(usd * 1e9);

async function read({ url, managementKey }: BooksOptions, path: string) {
  const response = await fetch(`${url}/v1${path}`, { headers: { authorization: `Bearer ${managementKey}` } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

async function receiptsOf(options: BooksOptions): Promise<readonly Receipt[]> {
  const all: Receipt[] = [];
  let before = "";
  for (;;) {
    const page = await read(options, `/receipts?limit=100&api_key_hash=${options.keyHash}${before}`);
    for (const { id, status, cost } of page.data) all.push({ id, status, cost: nano(cost) });
    if (page.next === null) return all;
    before = `&before=${encodeURIComponent(page.next)}`;
  }
}

async function counterOf(options: BooksOptions): Promise<number> {
  const { data } = await read(options, `/keys/${options.keyHash}`);
  return nano(data.usage);
}

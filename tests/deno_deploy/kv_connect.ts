/**
 * A KV database over KV Connect, the protocol by which Deno reaches the database that Deno Deploy assigns: in memory,
 * and as faulty as a test wants it.
 */

import { Message, writeMessage } from "./protobuf.ts";
import { OrderedRows, type Row } from "./ordered_rows.ts";

/**
 * `lost`: what is asked is done, and the reply does not arrive. `refused`: nothing is done, and the reply says so.
 * `hanging`: nothing is done, and no reply comes until {@link KvConnect.heal}.
 */
export type KvFault = "lost" | "refused" | "hanging";

export interface KvConnect {
  /** Variables of the runtime, as the platform sets them. */
  readonly env: Readonly<Record<string, string>>;
  /** Decides the fate of each request from then on. */
  breakBy(decide: (path: string) => KvFault | undefined): void;
  /** Ends every fault, and lets those go on that hang. */
  heal(): void;
  /** Replies that were lost, of commits that were made. */
  readonly lostCommits: number;
  /** How many rows have keys whose first part is that word. */
  readonly rowsOf: (word: string) => number;
  readonly close: () => Promise<void>;
}

const TOKEN = "token-of-the-tests-database";
const STRONG = "strong";
/** Longer than any test. */
const EXPIRES_MS = 24 * 3_600_000;
const VERSIONSTAMP_BYTES = 10;
const SUCCESS = 1;
const CHECK_FAILURE = 2;
const SET = 1;
const DELETE = 2;

export function startKvConnect(): KvConnect {
  const database = new KvDatabase();
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  let [decide, healed] = [(_path: string): KvFault | undefined => undefined, Promise.withResolvers<void>()];
  let lostCommits = 0;
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (request.headers.get("authorization") !== `Bearer ${TOKEN}`) {
      return new Response("no", { status: 403 });
    }
    const body = await request.bytes();
    const fault = decide(pathname);
    if (fault === "hanging") await Promise.race([healed.promise, closed]);
    if (fault === "refused") return new Response("not now", { status: 503 });
    const reply = database.answer(pathname, body);
    if (fault !== "lost") return reply;
    if (pathname.endsWith("/atomic_write")) lostCommits++;
    return new Response("the reply is lost", { status: 502 });
  };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, answer);
  return {
    env: { DENO_KV_DEFAULT_PATH: `http://127.0.0.1:${server.addr.port}/`, DENO_KV_ACCESS_TOKEN: TOKEN },
    breakBy: (by) => decide = by,
    heal: () => {
      decide = () => undefined;
      healed.resolve();
      healed = Promise.withResolvers();
    },
    get lostCommits() {
      return lostCommits;
    },
    rowsOf: (word) => database.rowsOf(word),
    close: async () => {
      close();
      await server.shutdown();
    },
  };
}

class KvDatabase {
  readonly #rows = new OrderedRows();
  #version = 0;

  rowsOf(word: string): number {
    return this.#rows.count(new TextEncoder().encode(`\x02${word}\0`));
  }

  answer(path: string, body: Uint8Array): Response {
    if (path.endsWith("/snapshot_read")) return protobuf(this.#read(new Message(body)));
    if (path.endsWith("/atomic_write")) return protobuf(this.#write(new Message(body)));
    return Response.json({
      version: 2,
      databaseId: "0b9c4f0a-63d1-4c0e-9a44-3f8a7b2d5e11",
      endpoints: [{ url: "/kv", consistency: STRONG }],
      token: TOKEN,
      expiresAt: new Date(Date.now() + EXPIRES_MS).toISOString(),
    });
  }

  #read(asked: Message): Uint8Array<ArrayBuffer> {
    const ranges = asked.messages(1).map((range) =>
      this.#rows.list({
        start: range.bytes(1),
        end: range.bytes(2),
        limit: range.number(3),
        reverse: range.number(4) === 1,
      })
    );
    const written = ranges.map((rows) => writeMessage(rows.map((row) => [1, writeRow(row)] as const)));
    return writeMessage([...written.map((range) => [1, range] as const), [4, 1], [8, SUCCESS]]);
  }

  #write(asked: Message): Uint8Array<ArrayBuffer> {
    const failed = asked.messages(1).some((check) => {
      const found = this.#rows.get(check.bytes(1))?.versionstamp ?? new Uint8Array();
      return String(found) !== String(check.bytes(2));
    });
    if (failed) return writeMessage([[1, CHECK_FAILURE]]);
    const versionstamp = this.#nextVersion();
    for (const mutation of asked.messages(2)) {
      const [key, type] = [mutation.bytes(1), mutation.number(3)];
      const value = new Message(mutation.bytes(2));
      if (type === DELETE) this.#rows.delete(key);
      else if (type !== SET) throw new Error(`The gateway makes no mutation of type ${type}`);
      else this.#rows.set({ key, value: value.bytes(1), encoding: value.number(2), versionstamp });
    }
    return writeMessage([[1, SUCCESS], [2, versionstamp]]);
  }

  #nextVersion(): Uint8Array {
    const bytes = new Uint8Array(VERSIONSTAMP_BYTES);
    new DataView(bytes.buffer).setUint32(0, ++this.#version);
    return bytes;
  }
}

const writeRow = ({ key, value, encoding, versionstamp }: Row) =>
  writeMessage([[1, key], [2, value], [3, encoding], [4, versionstamp]]);

const protobuf = (body: Uint8Array<ArrayBuffer>) =>
  new Response(body, { headers: { "content-type": "application/x-protobuf" } });

/**
 * The forwarder of a container: takes the connections of its commands on the loopback address of their network, in
 * which there is nothing else, and hands their bytes on. It understands none of them. It runs in a sandbox of its own,
 * where nothing of a model's runs, and may do nothing but listen there (docs/internals/isolation.md).
 */

import { FrameReader, FrameWriter, streamReader } from "../../keeper/frames.ts";
import type { ForwarderEvent, ForwarderRequest } from "./forwarder_messages.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type ConnectionRequest = Extract<ForwarderRequest, { readonly connection: number }>;

/** As in the variables of commands. */
const ADDRESS = { hostname: "127.0.0.1", port: 3128 } as const;
/** At the same time; others are closed at once. */
const MAX_CONNECTIONS = 16;
const READ_BYTES = 64 * 1024;

const events = new FrameWriter(Deno.stdout.writable);
const tell = (event: ForwarderEvent, body?: Bytes) => events.write(event, body);

const connections = new Map<number, Connection>();
let listener: Deno.Listener | undefined;
let lastId = 0;

class Connection {
  readonly #id: number;
  readonly #conn: Deno.Conn;
  #taken = Promise.withResolvers<void>();

  constructor(id: number, conn: Deno.Conn) {
    this.#id = id;
    this.#conn = conn;
  }

  /** Tells what comes, each part once the one before has been taken. */
  async read(): Promise<void> {
    const connection = this.#id;
    const room = new Uint8Array(READ_BYTES);
    try {
      for (let size = await this.#conn.read(room); size !== null; size = await this.#conn.read(room)) {
        this.#taken = Promise.withResolvers();
        await tell({ type: "data", connection }, room.slice(0, size));
        await this.#taken.promise;
      }
      if (connections.has(connection)) await tell({ type: "end", connection });
    } catch (_error) {
      // The program has gone: however it went, its connection is of no use any more.
      await this.#lose();
    }
  }

  async take(request: ConnectionRequest, body: Bytes): Promise<void> {
    const connection = this.#id;
    if (request.type === "close") return this.close();
    if (request.type === "taken") return this.#taken.resolve();
    try {
      if (request.type === "end") return await this.#conn.closeWrite();
      for (let at = 0; at < body.length;) at += await this.#conn.write(body.subarray(at));
      await tell({ type: "taken", connection });
    } catch (_error) {
      // The program has gone: however it went, its connection is of no use any more.
      await this.#lose();
    }
  }

  close(): void {
    if (!connections.delete(this.#id)) return;
    this.#taken.resolve();
    this.#conn.close();
  }

  /** The program has gone, or the connection is closed here. */
  async #lose(): Promise<void> {
    if (!connections.has(this.#id)) return;
    this.close();
    await tell({ type: "closed", connection: this.#id });
  }
}

async function listen(run: number): Promise<void> {
  stop();
  const taking = Deno.listen(ADDRESS);
  listener = taking;
  await tell({ type: "listening", run });
  for await (const conn of taking) {
    if (listener !== taking || connections.size >= MAX_CONNECTIONS) {
      conn.close();
      continue;
    }
    const connection = new Connection(++lastId, conn);
    connections.set(lastId, connection);
    await tell({ type: "opened", connection: lastId, run });
    connection.read().catch(end);
  }
}

function stop(): void {
  listener?.close();
  listener = undefined;
  for (const connection of connections.values()) connection.close();
}

async function handle(request: ForwarderRequest, body: Bytes): Promise<void> {
  if (request.type === "listen") await listen(request.run);
  else if (request.type === "stop") stop();
  else await connections.get(request.connection)?.take(request, body);
}

/** The keeper has gone, or something is broken: its end tells. */
function end(error: unknown): never {
  console.error(error);
  Deno.exit(1);
}

const asRequest = (header: unknown) => header as ForwarderRequest;

const requests = new FrameReader(streamReader(Deno.stdin.readable));
for (let frame = await requests.next(); frame !== undefined; frame = await requests.next()) {
  handle(asRequest(frame.header), frame.body).catch(end);
}
Deno.exit(0);

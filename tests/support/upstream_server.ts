/** A provider made of bare sockets: a test decides every byte it sends and sees how every connection ends. */

export interface UpstreamOptions {
  /** Speaks TLS; both in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** 127.0.0.1 by default. */
  readonly hostname?: string;
}

export interface UpstreamServer extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:port`, or its like. */
  readonly url: string;
  /** Every connection so far. */
  readonly connections: readonly UpstreamConnection[];
  /** Requests read so far, over all connections. */
  readonly requests: number;
}

/** Serves each connection with `handle`, whose errors a test sees at the end: a broken pipe is none. */
export function upstreamServer(
  handle: (connection: UpstreamConnection) => Promise<void> | void,
  { tls, hostname = "127.0.0.1" }: UpstreamOptions = {},
): UpstreamServer {
  const listener = tls === undefined
    ? Deno.listen({ port: 0, hostname })
    : Deno.listenTls({ port: 0, hostname, ...tls });
  const { port } = listener.addr as Deno.NetAddr;
  const connections: UpstreamConnection[] = [];
  const work: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const conn of listener) {
      if ("setNoDelay" in conn) conn.setNoDelay();
      const connection = new UpstreamConnection(conn);
      connections.push(connection);
      work.push(connection.reading, Promise.resolve(handle(connection)).catch(ignoreDisconnect));
    }
  })();
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  return {
    port,
    url: `${tls === undefined ? "http" : "https"}://${host}:${port}`,
    connections,
    get requests() {
      return connections.reduce((sum, { requests }) => sum + requests, 0);
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      for (const connection of connections) connection.close();
      await Promise.all(work);
    },
  };
}

/** Writing to who has left is what many of these tests are about. */
function ignoreDisconnect(error: unknown): void {
  const disconnectErrors = [Deno.errors.BrokenPipe, Deno.errors.ConnectionReset, Deno.errors.BadResource];
  if (disconnectErrors.some((kind) => error instanceof kind)) return;
  if (error instanceof Deno.errors.Interrupted || error instanceof Deno.errors.UnexpectedEof) return;
  throw error;
}

const encoder = new TextEncoder();

/** The provider's side of a connection. */
export class UpstreamConnection {
  readonly #conn: Deno.Conn;
  readonly #waiting: (() => void)[] = [];
  /** A character a byte. */
  #heard = "";
  #gone = false;
  #closed = false;
  requests = 0;
  /** Bytes that the kernel has taken from us. */
  written = 0;
  readonly reading: Promise<void>;

  constructor(conn: Deno.Conn) {
    this.#conn = conn;
    this.reading = this.#read();
  }

  async #read(): Promise<void> {
    const buffer = Buffer.alloc(64 * 1024);
    try {
      for (let size = await this.#conn.read(buffer); size !== null; size = await this.#conn.read(buffer)) {
        this.#heard += buffer.toString("latin1", 0, size);
        this.#tell();
      }
    } catch (error) {
      // A reset, or a failed handshake, is how some of these connections end.
      if (!(error instanceof Error)) throw error;
    }
    this.#gone = true;
    this.#tell();
  }

  #tell(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Characters that have come and are part of no request that was read. */
  get pending(): number {
    return this.#heard.length;
  }

  /** The next request, head and body, or undefined when there is none any more. */
  async request(): Promise<string | undefined> {
    for (;;) {
      const head = this.#heard.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(this.#heard.slice(0, head))?.[1] ?? 0);
      const end = head + 4 + length;
      if (head !== -1 && this.#heard.length >= end) {
        const request = this.#heard.slice(0, end);
        this.#heard = this.#heard.slice(end);
        this.requests++;
        return Buffer.from(request, "latin1").toString();
      }
      if (this.#gone) return undefined;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Resolves when the other side has closed the connection, or it is closed here. */
  async gone(): Promise<void> {
    while (!this.#gone) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async write(data: string | Uint8Array): Promise<void> {
    let rest = typeof data === "string" ? encoder.encode(data) : data;
    while (rest.length > 0) {
      const size = await this.#conn.write(rest);
      this.written += size;
      rest = rest.subarray(size);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#conn.close();
  }
}

/** An answer with its length. */
export function answer(body: string, { status = "200 OK", headers = "" } = {}): string {
  return `HTTP/1.1 ${status}\r\ncontent-length: ${encoder.encode(body).length}\r\n${headers}\r\n${body}`;
}

/** The head of a chunked answer. */
export const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

export function chunk(text: string): string {
  return `${encoder.encode(text).length.toString(16)}\r\n${text}\r\n`;
}

export const LAST_CHUNK = "0\r\n\r\n";

/** Answers every request of a connection with the same text. */
export function always(text: string): (connection: UpstreamConnection) => Promise<void> {
  return async (connection) => {
    while (await connection.request() !== undefined) await connection.write(text);
  };
}

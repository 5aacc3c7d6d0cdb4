/** One client's connection: its requests one after another, each answered before the next is looked at. */

import { Buffer } from "node:buffer";
import { RequestBody } from "./request_body.ts";
import { HeadScanner, parseRequestHead, type RequestLineAndHeaders } from "./request_head.ts";
import type { IdleConnection, IdlePlace } from "./idle_connections.ts";
import type { ClientConnectionOptions, HttpServerLimits } from "./http_server_options.ts";
import { isDisconnect, NoReply, ProtocolError } from "./protocol_error.ts";
import { cancelBody, type HttpReply, StreamedReply, WholeReply } from "./reply.ts";
import { IncomingRequest } from "./incoming_request.ts";
import { StreamedReplyWriter } from "./streamed_reply_writer.ts";
import type { HasDeadline } from "./connection_deadlines.ts";

/** How long the rest of a refused request is read, so that its client can read the reply. */
const LINGER_MS = 2_000;
const LINGER_BYTES = 34 * 1024 * 1024;

/** Bytes of further requests that are held while one is answered. Who sends more is not heard to leave. */
const MAX_AHEAD = 64 * 1024;

type ConnectionPhase = "idle" | "head" | "answering" | "writing" | "lingering";

export class ClientConnection implements HasDeadline, IdleConnection {
  deadline = Infinity;
  readonly #options: ClientConnectionOptions;
  readonly #search = new HeadScanner();
  #phase: ConnectionPhase = "idle";
  #idlePlace: IdlePlace | undefined;
  #served = false;
  #evicted = false;
  #request: IncomingRequest | undefined;
  #out: StreamedReplyWriter | undefined;
  /** The connection takes no further request. */
  #last = false;
  /** Nothing that comes is answered. */
  #isClosed = false;
  /** True when what comes is not even looked at. */
  #deaf = false;

  constructor(options: ClientConnectionOptions) {
    this.#options = options;
  }

  /** Serves the connection to its end, and closes it; false when it was evicted. Never rejects. */
  async run(): Promise<boolean> {
    const { connection, deadlines, onError } = this.#options;
    const place = deadlines.enter(this);
    try {
      while (await this.#next());
      if (!connection.ended) await this.#linger();
    } catch (error) {
      if (!connection.ended && !isDisconnect(error) && !(error instanceof NoReply)) onError(error);
    } finally {
      deadlines.leave(place);
      this.#leaveIdle();
      this.#left();
      connection.close();
    }
    return !this.#evicted;
  }

  /** Serves no request but the one that is under way; with `oneMore`, one that has served some serves another. */
  retire(oneMore: boolean): void {
    this.#last = true;
    if (this.#phase === "idle" && !(oneMore && this.#served)) this.abort();
  }

  /** Ends at once, whatever is under way. */
  abort(): void {
    this.#isClosed = true;
    this.#options.connection.close();
  }

  evict(): void {
    this.#evicted = true;
    this.#leaveIdle();
    this.#options.evicted();
    this.abort();
  }

  onDeadline(): void {
    this.deadline = Infinity;
    this.#last = true;
    if (this.#phase === "head") void this.#lateHead();
    else this.abort();
  }

  #enter(phase: ConnectionPhase, ms = Infinity): void {
    this.#phase = phase;
    this.deadline = ms === Infinity ? ms : this.#options.deadlines.in(ms);
    this.#leaveIdle();
    if (this.#evicted) return;
    const { idle } = this.#options;
    if (phase === "idle") this.#idlePlace = idle.enter(this);
    else if (phase === "head" || phase === "lingering") this.#idlePlace = idle.enterUnfinished(this);
  }

  #leaveIdle(): void {
    if (this.#idlePlace !== undefined) this.#options.idle.leave(this.#idlePlace);
    this.#idlePlace = undefined;
  }

  /** One request; false when the connection takes no further one. */
  async #next(): Promise<boolean> {
    try {
      const head = await this.#head();
      if (head !== undefined && this.#options.overLimit) throw tooMany(this.#options.limits);
      return head !== undefined && await this.#options.yielding.track(this.#exchange(head));
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      await this.#refuse(error);
      return false;
    }
  }

  /** The next request's head; undefined when the client has ended, or will get no further answer. */
  async #head(): Promise<RequestLineAndHeaders | undefined> {
    const { connection, limits } = this.#options;
    this.#search.reset();
    this.#enter("idle", this.#served ? limits.idleMs : limits.firstByteMs);
    for (;;) {
      const turn = this.#options.yielding.yieldIfDue();
      if (turn !== undefined) await turn;
      // Closed in this moment: nobody would hear the answer to what has come with it.
      if (this.#phase === "idle" && this.#isClosed) return undefined;
      const { bytes } = connection;
      if (this.#deaf) connection.skip(bytes.length);
      const length = this.#deaf ? undefined : this.#search.find(bytes);
      if (length !== undefined) {
        const head = parseRequestHead(bytes.subarray(this.#search.blank, length));
        connection.skip(length);
        this.#served = true;
        return head;
      }
      if (this.#phase === "idle" && bytes.length > 0) this.#enter("head", limits.headMs);
      if (!await connection.more()) return undefined;
    }
  }

  /** The end of a head does not come: its client is told so, and what comes now is not looked at. */
  async #lateHead(): Promise<void> {
    this.#deaf = true;
    const seconds = Math.round(this.#options.limits.headMs / 1_000);
    try {
      await this.#refuse(new ProtocolError(408, `The request's head was not complete after ${seconds} s.`));
      this.#enter("lingering", LINGER_MS);
      await this.#options.connection.closeWrite();
    } catch (_error) {
      // A caller who cannot be told has left.
      this.#options.connection.close();
    }
  }

  async #exchange(head: RequestLineAndHeaders): Promise<boolean> {
    const { connection, yielding } = this.#options;
    const { length, expects } = head;
    const body = new RequestBody({ connection, yielding, length, expects, onDone: this.#watch });
    const request = new IncomingRequest(head, body);
    this.#request = request;
    this.#enter("answering");
    if (body.done) this.#watch();
    const response = await this.#answered(request);
    const streamed = response instanceof StreamedReply;
    if (request.abandoned || (request.disconnected && streamed)) {
      if (streamed) cancelBody(response);
      return false;
    }
    const unframed = streamed && head.minor === 0 && response.length === undefined;
    // Who has ended only his half can still read an answer that is there.
    const stays = body.discardBuffered() && head.keepAlive && !this.#last && !unframed &&
      !request.disconnected;
    await this.#reply(response, { head, stays });
    connection.wake();
    this.#request = undefined;
    return stays;
  }

  async #answered(request: IncomingRequest): Promise<HttpReply> {
    const { handle, peer, onError, protocolError } = this.#options;
    try {
      return await handle(request, peer);
    } catch (error) {
      if (error instanceof NoReply) throw error;
      onError(error);
      return protocolError(new ProtocolError(500, "The gateway failed."));
    }
  }

  /** From the end of a request's body on: what comes is the next request, or the client's end. */
  readonly #watch = (): void => {
    const { connection } = this.#options;
    connection.shrink();
    if (connection.bytes.length < MAX_AHEAD) connection.rest(this.#heard);
  };

  readonly #heard = (): void => {
    const { connection } = this.#options;
    if (connection.ended) this.#left();
    else if (connection.bytes.length < MAX_AHEAD) connection.rest(this.#heard);
  };

  /**
   * The client has disconnected. It may have ended its half only, but nobody leaves it at that who waits for an
   * answer.
   */
  #left(): void {
    try {
      this.#request?.disconnect();
    } catch (error) {
      this.#options.onError(error);
    }
    if (this.#out === undefined) return;
    this.#out.cancel();
    this.#options.connection.close();
  }

  async #refuse(problem: ProtocolError): Promise<void> {
    this.#last = true;
    await this.#whole(this.#options.protocolError(problem), { minor: 1, stays: false, method: "GET" });
  }

  async #reply(response: HttpReply, { head, stays }: ReplyState): Promise<void> {
    const { method, minor } = head;
    if (response instanceof StreamedReply) await this.#streamed(response, { method, minor, stays });
    else await this.#whole(response, { method, minor, stays });
  }

  async #whole(response: HttpReply, { method, minor, stays }: BufferedReply): Promise<void> {
    const { connection, headWriter } = this.#options;
    const { status } = response;
    const body = response instanceof WholeReply ? response.body : await contentOf(response);
    const bare = method === "HEAD" || status === 204 || status === 304;
    const size = Buffer.byteLength(body);
    const length = bare && (method !== "HEAD" || size === 0) ? undefined : size;
    const head = headWriter.render(response, { minor, keepAlive: stays, length, chunked: false });
    await this.#write(
      connection.encoded(bare ? { head, body: "", length: 0 } : { head, body, length: size }),
    );
  }

  async #streamed(response: StreamedReply, { method, minor, stays }: BufferedReply): Promise<void> {
    const { connection, headWriter } = this.#options;
    const { length } = response;
    const hasBody = method !== "HEAD";
    const chunked = hasBody && length === undefined && minor === 1;
    const head = headWriter.render(response, { minor, keepAlive: stays, length, chunked });
    const bytes = connection.encoded({ head, body: "", length: 0 });
    if (!hasBody) {
      cancelBody(response);
      return await this.#write(bytes);
    }
    this.#out = new StreamedReplyWriter(response.stream, { connection, chunked, length, write: this.#write });
    await this.#out.run(bytes);
    this.#out = undefined;
  }

  /** Writes to the client; one that takes nothing for too long is cut off, one that takes it slowly is not. */
  readonly #write = (bytes: Uint8Array): Promise<void> => {
    this.#writing();
    return this.#options.connection.write(bytes, this.#writing).then(this.#written);
  };

  readonly #writing = (): void => this.#enter("writing", this.#options.limits.writeStallMs);
  readonly #written = (): void => this.#enter("answering");

  /** Closes so that the client can read what it was told: what it still sends must not break the connection. */
  async #linger(): Promise<void> {
    const { connection, yielding } = this.#options;
    this.#enter("lingering", LINGER_MS);
    await connection.closeWrite();
    for (let left = LINGER_BYTES; left > 0; left -= connection.bytes.length) {
      connection.skip(connection.bytes.length);
      await yielding.yieldIfDue();
      if (!await connection.more()) return;
    }
  }
}

interface ReplyState {
  readonly head: RequestLineAndHeaders;
  readonly stays: boolean;
}

interface BufferedReply {
  readonly method: string;
  readonly minor: number;
  readonly stays: boolean;
}

function contentOf(response: Response): Promise<string | Uint8Array> {
  const type = response.headers.get("content-type") ?? "";
  return /^(?:text\/|application\/json)/.test(type) ? response.text() : response.bytes();
}

const tooMany = ({ connections }: HttpServerLimits) =>
  new ProtocolError(503, `The gateway has ${connections} connections, as many as it may have. Try again.`);

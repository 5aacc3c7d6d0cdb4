/** A mock upstream on loopback: records what it is asked, answers by plan, and breaks as its model's name says. */

import { errorAnswer, type Fault, faultIn } from "./faults.ts";
import type { Plan } from "./plan.ts";
import { isObject, type Json, type SchemaViolation } from "./published.ts";

export interface MockOptions {
  /** Makes the model's answer; by default something made from the request. */
  readonly answer?: (body: Json) => Plan;
  /** Milliseconds between two frames of a stream. */
  readonly gapMs?: number;
  /** The only key that is taken; any, when absent. */
  readonly apiKey?: string;
  /** Finds what it refuses besides what its service would. */
  readonly refuses?: (body: Json) => SchemaViolation | undefined;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

export interface Mock {
  /** The base URL, as a provider's row has it: without a trailing slash. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Answers that are under way. */
  open(): number;
  /** Answers that the caller disconnected on before they were whole. */
  aborted(): number;
  close(): Promise<void>;
}

/** Target of a request, wherever its wire has it. */
export interface Routed {
  /** Below the base URL. */
  readonly path: string;
  /** May ask for a fault. */
  readonly model: string;
  readonly stream: boolean;
}

/** Dialect of a mock of one wire. */
export interface Dialect {
  /** Path below the base URL. */
  readonly path: string;
  /** Where the URL says what others say in the body; undefined for one that the provider does not have. */
  readonly route?: (url: URL) => Routed | undefined;
  /** Finds what the provider refuses in a request; undefined when it takes it. */
  readonly complaint: (body: Json, routed: Routed) => SchemaViolation | undefined;
  readonly plan: (body: Json) => Plan;
  readonly whole: (plan: Plan, body: Json, routed: Routed) => Json;
  /** Frames of the stream, each as it goes over the wire. */
  readonly frames: (plan: Plan, body: Json, routed: Routed) => readonly string[];
  /** A frame as bytes, and the stream's content type, where it is no text. */
  readonly binary?: { readonly type: string; readonly encode: (frame: string) => Uint8Array };
  /** The frame that tells of an error inside a stream. */
  readonly errorFrame: string;
  /** An error answer, where it is not written as OpenAI does. */
  readonly refusal?: (status: number, complaint?: SchemaViolation) => Response;
  /** Where tokens of a request are counted, where the provider does so. */
  readonly count?: {
    readonly path: string;
    readonly complaint: (body: Json) => SchemaViolation | undefined;
    readonly answer: (body: Json) => Json;
  };
  /** The key, where it is no bearer. */
  readonly keyIn?: (headers: Headers) => string | null;
}

const encoder = new TextEncoder();

const bearerIn = (headers: Headers) => headers.get("authorization")?.replace(/^Bearer /, "") ?? null;

/** Starts a mock on a free port. Closing it ends what still runs. */
export function startMock(dialect: Dialect, options: MockOptions = {}): Mock {
  const mock = new MockServer(dialect, options);
  return mock.facade();
}

interface Exchange {
  readonly body: Json;
  readonly routed: Routed;
  readonly fault: Fault;
  readonly finish: (hungUp: boolean) => void;
}

interface Counted {
  readonly body: Json;
  readonly count: NonNullable<Dialect["count"]>;
}

class MockServer {
  readonly #requests: RecordedRequest[] = [];
  readonly #over = new AbortController();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  #open = 0;
  #aborted = 0;

  constructor(readonly dialect: Dialect, readonly options: MockOptions) {
    this.#server = Deno.serve(
      {
        port: 0,
        hostname: "127.0.0.1",
        onListen: () => {},
        onError: () => new Response(null, { status: 500 }),
      },
      (request) => this.#handle(request),
    );
  }

  facade(): Mock {
    return {
      url: `http://127.0.0.1:${this.#server.addr.port}/v1`,
      requests: this.#requests,
      open: () => this.#open,
      aborted: () => this.#aborted,
      close: async () => {
        this.#over.abort();
        await this.#server.shutdown();
      },
    };
  }

  async #handle(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname.replace(/^\/v1/, "");
    const body = await bodyOf(request);
    this.#requests.push({ method: request.method, path, headers: Object.fromEntries(request.headers), body });
    if (path === this.dialect.count?.path) return this.#count(request, { body, count: this.dialect.count });
    const routed = this.dialect.route ? this.dialect.route(new URL(request.url)) : routeOf(path, body);
    const refused = this.#refusal(request, { body, routed });
    if (refused !== undefined || routed === undefined) return refused ?? this.#error(404);
    return await this.#answer(request, { body, routed });
  }

  #count(request: Request, { body, count }: Counted): Response {
    const { apiKey } = this.options;
    if (apiKey !== undefined && (this.dialect.keyIn ?? bearerIn)(request.headers) !== apiKey) {
      return this.#error(401);
    }
    const fault = faultIn(body.model);
    if (fault.kind === "status") return this.#error(fault.status);
    const error = count.complaint(body);
    return error === undefined ? Response.json(count.answer(body)) : this.#error(400, error);
  }

  #error(status: number, complaint?: SchemaViolation): Response {
    if (this.dialect.refusal !== undefined) return this.dialect.refusal(status, complaint);
    return complaint === undefined ? errorAnswer(status) : Response.json({ error: complaint }, { status });
  }

  #refusal(
    request: Request,
    { body, routed }: { readonly body: Json; readonly routed: Routed | undefined },
  ): Response | undefined {
    const { apiKey } = this.options;
    const key = (this.dialect.keyIn ?? bearerIn)(request.headers);
    if (apiKey !== undefined && key !== apiKey) return this.#error(401);
    if (request.method !== "POST" || routed?.path !== this.dialect.path) return this.#error(404);
    const error = this.dialect.complaint(body, routed) ?? this.options.refuses?.(body);
    return error && this.#error(400, error);
  }

  async #answer(request: Request, { body, routed }: Pick<Exchange, "body" | "routed">): Promise<Response> {
    const fault = faultIn(routed.model);
    if (fault.kind === "status") return this.#error(fault.status);
    const finish = this.#begin();
    const hungUp = () => finish(true);
    request.signal.addEventListener("abort", hungUp, { once: true });
    if (fault.kind === "hang") await this.#wait(Infinity, request.signal);
    if (fault.kind === "slow") await this.#wait(fault.ms, request.signal);
    if (request.signal.aborted || this.#over.signal.aborted) return this.#error(500);
    if (fault.kind === "html") {
      return done(finish, ["<html><title>Welcome to nginx!</title></html>", "text/html"]);
    }
    if (fault.kind === "empty") return done(finish, ["", routed.stream ? "text/event-stream" : json]);
    return routed.stream
      ? this.#stream({ body, routed, fault, finish })
      : this.#whole({ body, routed, fault, finish });
  }

  /** Counts an answer as open until it is finished, once. */
  #begin(): Exchange["finish"] {
    this.#open++;
    let open = true;
    return (hungUp) => {
      if (!open) return;
      open = false;
      this.#open--;
      if (hungUp) this.#aborted++;
    };
  }

  #whole({ body, routed, fault, finish }: Exchange): Response {
    const plan = this.#plan(body, fault);
    if (fault.kind === "error-before" || fault.kind === "error-after") {
      finish(false);
      return this.#error(500);
    }
    const text = JSON.stringify(this.dialect.whole(plan, body, routed));
    const half = text.slice(0, text.length / 2);
    if (fault.kind === "end" || fault.kind === "malformed") return done(finish, [half, json]);
    if (fault.kind !== "cut" && fault.kind !== "stall") return done(finish, [text, json]);
    return this.#send([half], { body, routed, fault, finish });
  }

  #stream(exchange: Exchange): Response {
    const { body, routed, fault } = exchange;
    const frames = this.dialect.frames(this.#plan(body, fault), body, routed);
    return this.#send(broken(frames, { fault, dialect: this.dialect }), exchange);
  }

  #plan(body: Json, fault: Fault): Plan {
    const plan = (this.options.answer ?? this.dialect.plan)(body);
    if (fault.kind === "no-usage") return { ...plan, counts: undefined };
    if (fault.kind !== "wrong-usage") return plan;
    return { ...plan, counts: { input: -5, output: 1e18, cached: 9, reasoning: -1 } };
  }

  /** Sends chunk after chunk, then ends, breaks off or falls silent. */
  #send(chunks: readonly string[], { routed, fault, finish }: Exchange): Response {
    const waiting = new AbortController();
    const gap = fault.kind === "drip" ? fault.ms : this.options.gapMs ?? 0;
    let next = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const chunk = chunks[next++];
        if (chunk !== undefined) {
          if (gap > 0) await this.#wait(gap, waiting.signal);
          const { binary } = this.dialect;
          return controller.enqueue(routed.stream && binary ? binary.encode(chunk) : encoder.encode(chunk));
        }
        if (fault.kind === "stall") await this.#wait(Infinity, waiting.signal);
        finish(waiting.signal.aborted);
        if (fault.kind === "cut") return controller.error(new Error("cut"));
        if (!waiting.signal.aborted) controller.close();
      },
      cancel: () => {
        waiting.abort();
        finish(true);
      },
    }, { highWaterMark: 0 });
    return new Response(stream, {
      headers: { "content-type": routed.stream ? this.dialect.binary?.type ?? events : json },
    });
  }

  /** Resolves after the time, when the caller leaves, or when the mock closes. */
  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        this.#over.signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = ms === Infinity ? undefined : setTimeout(end, ms);
      signal.addEventListener("abort", end);
      this.#over.signal.addEventListener("abort", end);
      if (signal.aborted || this.#over.signal.aborted) end();
    });
  }
}

const json = "application/json";
const events = "text/event-stream; charset=utf-8";

function done(finish: Exchange["finish"], [body, type]: readonly [string, string]): Response {
  finish(false);
  return new Response(body, { headers: { "content-type": type } });
}

const routeOf = (path: string, body: Json): Routed => ({
  path,
  model: String(body.model),
  stream: body.stream === true,
});

async function bodyOf(request: Request): Promise<Json> {
  const text = await request.text();
  if (text === "") return {};
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}

interface Breaking {
  readonly fault: Fault;
  readonly dialect: Dialect;
}

/** The frames as the fault lets them through. */
function broken(frames: readonly string[], { fault, dialect }: Breaking): readonly string[] {
  const half = frames.slice(0, Math.ceil(frames.length / 2));
  switch (fault.kind) {
    case "error-before":
      return [dialect.errorFrame];
    case "error-after":
      return [...half, dialect.errorFrame];
    case "malformed":
      return [...half, 'data: {"type":"response.output_text.delta","delta":\n\n'];
    case "cut":
      return [...half, (frames.at(-1) ?? "").slice(0, 20)];
    case "end":
    case "stall":
      return half;
    case "late":
      return [...frames, ...half];
    default:
      return frames;
  }
}

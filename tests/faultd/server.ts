/**
 * A scripted upstream over raw TCP, for faults that no HTTP library would make (server/README.md). The model's name
 * chooses the fault (faults.ts); both wires, streamed and not; loopback only. Connections are never kept alive, so
 * an open socket is a call that is still running.
 */

import { createServer, type Server, type Socket } from "node:net";
import { type Call, faultOf } from "./faults.ts";
import { type FaultdRequest, parseRequest } from "./request.ts";
import { answer, type Step } from "./steps.ts";
import type { Wire } from "./wires.ts";

export interface FaultdOptions {
  /** Milliseconds since the epoch, for the dates of `Retry-After`. */
  readonly now?: () => number;
}

export interface Faultd {
  /** Base URL without a trailing slash; `/responses` and `/chat/completions` are below it. */
  readonly url: string;
  readonly port: number;
  /** Requests so far, the last thousand of them. */
  readonly requests: readonly FaultdRequest[];
  /** Sockets that are open now. */
  open(): number;
  /** Calls whose caller left before the script was over. */
  aborted(): number;
  /** Ends every connection. */
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 256;
const MAX_REQUESTS = 1_000;
const MAX_REQUEST_BYTES = 64 * 1024 * 1024;

export async function startFaultd({ now = Date.now }: FaultdOptions = {}): Promise<Faultd> {
  const live = new Map<Socket, Promise<void>>();
  const requests: FaultdRequest[] = [];
  let aborted = 0;
  const handle = async (socket: Socket) => {
    const left = await serve(socket, { now, seen: (request) => remember(requests, request) });
    if (left) aborted += 1;
    live.delete(socket);
  };
  const server = createServer((socket) => {
    if (live.size >= MAX_CONNECTIONS) socket.destroy();
    else live.set(socket, handle(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = portOf(server);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    open: () => live.size,
    aborted: () => aborted,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of live.keys()) socket.destroy();
      await Promise.all([closed, ...live.values()]);
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function remember(requests: FaultdRequest[], request: FaultdRequest): void {
  requests.push(request);
  if (requests.length > MAX_REQUESTS) requests.shift();
}

interface Serving {
  readonly now: () => number;
  readonly seen: (request: FaultdRequest) => void;
}

/** True when the caller left before its script was over. Resolves when the socket is closed. */
async function serve(socket: Socket, { now, seen }: Serving): Promise<boolean> {
  const left = new AbortController();
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  for (const event of ["end", "close", "error"]) socket.once(event, () => left.abort());
  const request = await readRequest(socket, left.signal);
  if (request !== undefined) seen(request);
  const over = request === undefined ||
    await play(socket, { steps: scriptOf(request, now()), left: left.signal });
  if (over) socket.end(() => socket.destroy());
  else socket.destroy();
  await closed;
  return !over;
}

/** Undefined when the caller leaves first. What comes after the request is read, and ignored. */
function readRequest(socket: Socket, left: AbortSignal): Promise<FaultdRequest | undefined> {
  return new Promise((resolve) => {
    let text = "";
    socket.on("data", (bytes) => {
      if (text.length > MAX_REQUEST_BYTES) return;
      text += bytes.toString("latin1");
      const request = parseRequest(text);
      if (request !== undefined) resolve(request);
    });
    left.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

function scriptOf({ method, path, body }: FaultdRequest, now: number): Iterable<Step> {
  const wire = wireOf(path);
  const requested = isObject(body) ? body : {};
  const chosen = faultOf(String(requested.model ?? ""));
  if (method === "POST" && wire !== undefined && chosen !== undefined) {
    const call: Call = { wire, stream: requested.stream === true, arg: chosen.arg, now };
    return chosen.fault(call);
  }
  const message = `Nothing at ${method} ${path} for ${String(requested.model)}`;
  return answer(JSON.stringify({ error: { message } }), { status: 404 });
}

function wireOf(path: string): Wire | undefined {
  if (path.endsWith("/chat/completions")) return "chat";
  return path.endsWith("/responses") ? "responses" : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

interface Playing {
  readonly steps: Iterable<Step>;
  readonly left: AbortSignal;
}

/** True when the script came to its end, false when the caller left before. */
async function play(socket: Socket, { steps, left }: Playing): Promise<boolean> {
  for (const step of steps) {
    if (left.aborted) return false;
    if (step.type === "close") return true;
    if (step.type === "reset") {
      socket.resetAndDestroy();
      return true;
    }
    if (step.type === "send" && !await write(socket, { bytes: step.bytes, left })) return false;
    if (step.type === "wait") await silence(left, step.ms);
    if (step.type === "stall") await silence(left);
  }
  return !left.aborted;
}

interface Writing {
  readonly bytes: Uint8Array;
  readonly left: AbortSignal;
}

/** Resolves when the system has taken the bytes; false when the caller left before. */
function write(socket: Socket, { bytes, left }: Writing): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = () => resolve(false);
    left.addEventListener("abort", leave, { once: true });
    socket.write(bytes, (error) => {
      left.removeEventListener("abort", leave);
      resolve(!error);
    });
  });
}

/** So many milliseconds, or until the caller leaves. */
function silence(left: AbortSignal, ms?: number): Promise<void> {
  return new Promise((resolve) => {
    if (left.aborted) return resolve();
    const timer = ms === undefined ? undefined : setTimeout(over, ms);
    left.addEventListener("abort", over, { once: true });
    function over() {
      clearTimeout(timer);
      left.removeEventListener("abort", over);
      resolve();
    }
  });
}

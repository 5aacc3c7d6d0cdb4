/** Servers of the Model Context Protocol that requests name: what they list is kept for a while, and nothing else. */

import { createHash } from "node:crypto";
import { isRecord } from "../../../shared/util/json.ts";
import { SharedWork } from "../../../shared/util/memo.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { Clock } from "../../runtime.ts";
import { type FetchPolicy, isPublicUrl } from "../fetch/fetch_target.ts";
import type { GuardedRequest } from "../fetch/guarded_request.ts";
import { targetFault } from "../fetch/target_fault.ts";
import { connectMcp, type McpConnection, type McpServer, type McpVerdict } from "./mcp_connection.ts";
import { McpError, protocolError } from "./mcp_error.ts";
import { errorWithoutCredentials, withoutCredentials } from "./without_credentials.ts";

/** A tool as its server describes it. */
export interface McpTool {
  readonly name: string;
  readonly description: string | undefined;
  readonly inputSchema: JsonObject;
  readonly annotations: JsonObject | undefined;
}

interface McpAccessDeps {
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly request: GuardedRequest;
  readonly policy: FetchPolicy;
}

/** The servers of one request. */
export interface McpSession {
  /** Tools by their names. Rejects with an McpError, or with the signal's reason. */
  readonly list: (server: McpServer, signal: AbortSignal) => Promise<readonly McpTool[]>;
  /** Calls a tool: its whole result. Rejects as `list` does. */
  readonly call: (server: McpServer, call: McpToolCall) => Promise<JsonObject>;
  /** Lets go of every connection. Never rejects. */
  readonly close: () => Promise<void>;
}

interface McpToolCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly signal: AbortSignal;
}

export interface McpAccess {
  readonly open: () => McpSession;
  /** Asks no server: it knows the listings that are kept, and rejects for all others. */
  readonly openKept: () => McpSession;
  /** Whether a provider could reach the server as well as this gateway. */
  readonly isPublic: (url: string) => boolean;
}

/** Milliseconds: to connect and list; for which a listing is kept where nobody says, and at most; to take leave. */
const LIST_MS = 20_000;
const KEPT_MS = 10 * 60 * 1_000;
const MOST_KEPT_MS = 24 * 60 * 60 * 1_000;
const LEAVE_MS = 2_000;
/** Listings that are kept, and pages and tools of one. */
const MOST_KEPT = 100;
const MOST_PAGES = 50;
const MOST_TOOLS = 20_000;

interface KeptListing {
  readonly verdict: McpVerdict;
  readonly tools: readonly McpTool[];
  /** Monotonic ms until which the one and the other hold. */
  readonly verdictUntil: number;
  readonly toolsUntil: number;
}

export function createMcpAccess(deps: McpAccessDeps): McpAccess {
  const kept = new Map<string, KeptListing>();
  const { clock } = deps;
  return {
    open: () => new Session(deps, kept),
    openKept: () => ({
      list: (server) => Promise.try(() => keptTools(kept, { server, clock }) ?? notListed()),
      call: () => Promise.try(notListed),
      close: () => Promise.resolve(),
    }),
    isPublic: (url) => isPublicUrl(url, deps.policy),
  };
}

interface Keeping extends Pick<McpAccessDeps, "clock"> {
  readonly server: McpServer;
}

/** Undefined where the listing is not kept, or too old. */
function keptTools(kept: ReadonlyMap<string, KeptListing>, { server, clock }: Keeping) {
  const found = kept.get(keyOf(server));
  return found !== undefined && found.toolsUntil > clock.monotonic() ? found.tools : undefined;
}

function notListed(): never {
  throw protocolError("The server has not been listed yet.");
}

/** The servers that a request names, each with one connection at most. */
class Session implements McpSession {
  readonly #deps: McpAccessDeps;
  readonly #kept: Map<string, KeptListing>;
  readonly #connections = new Map<string, McpConnection>();
  readonly #connecting = new SharedWork<string, McpConnection>();
  #closed = false;

  constructor(deps: McpAccessDeps, kept: Map<string, KeptListing>) {
    this.#deps = deps;
    this.#kept = kept;
  }

  list(server: McpServer, signal: AbortSignal): Promise<readonly McpTool[]> {
    return cleaned(server, () => this.#list(server, signal));
  }

  call(server: McpServer, { signal, ...call }: McpToolCall): Promise<JsonObject> {
    return cleaned(server, async () => {
      const connection = await this.#limited(signal, (until) => this.#connect(server, until));
      return await connection.callTool(call, signal);
    });
  }

  async #list(server: McpServer, signal: AbortSignal): Promise<readonly McpTool[]> {
    const key = keyOf(server);
    const kept = keptTools(this.#kept, { server, ...this.#deps });
    if (kept !== undefined) return kept;
    const { tools, ttlMs, verdict } = await this.#limited(signal, (until) => this.#listAll(server, until));
    const now = this.#deps.clock.monotonic();
    const toolsUntil = now + Math.min(ttlMs ?? KEPT_MS, MOST_KEPT_MS);
    this.#kept.delete(key);
    this.#kept.set(key, { verdict, tools, verdictUntil: now + KEPT_MS, toolsUntil });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    return tools;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const leave = new AbortController();
    const cancel = this.#deps.clock.after(
      LEAVE_MS,
      () => leave.abort(new Error("The server does not answer")),
    );
    await Promise.all([...this.#connections.values()].map((one) => one.close(leave.signal)));
    cancel();
  }

  #verdictOf(key: string): McpVerdict | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && kept.verdictUntil > this.#deps.clock.monotonic() ? kept.verdict : undefined;
  }

  /** Within the time that a server has to connect and list. */
  async #limited<T>(signal: AbortSignal, work: (until: AbortSignal) => Promise<T>): Promise<T> {
    const late = new AbortController();
    const cancel = this.#deps.clock.after(LIST_MS, () => {
      const message = `The server did not connect and list its tools within ${LIST_MS / 1_000} s.`;
      late.abort(new McpError({ type: "http_error", code: 0, message }));
    });
    try {
      return await work(AbortSignal.any([signal, late.signal]));
    } finally {
      cancel();
    }
  }

  async #listAll(server: McpServer, signal: AbortSignal) {
    const { listPage, verdict } = await this.#connect(server, signal);
    const tools = new Map<string, McpTool>();
    let cursor: string | undefined;
    let ttlMs: number | undefined;
    for (let pages = 0; pages === 0 || cursor !== undefined; pages++) {
      if (pages === MOST_PAGES) {
        throw protocolError(`The server lists more than ${MOST_PAGES} pages of tools.`);
      }
      const page = await listPage(cursor, signal);
      for (const tool of page.tools.flatMap(toTool)) tools.set(tool.name, tool);
      if (tools.size > MOST_TOOLS) throw protocolError(`The server lists more than ${MOST_TOOLS} tools.`);
      ttlMs ??= page.ttlMs;
      cursor = page.nextCursor;
    }
    return { tools: [...tools.values()].toSorted(byName), ttlMs, verdict };
  }

  /** Throws an McpError that names the setting which would allow the address, for those who run the gateway. */
  #checkAddress({ url }: McpServer): void {
    const fault = targetFault(url, this.#deps.policy);
    if (fault === undefined) return;
    const message = `The server ${fault.replace(/\.$/, "")}.`;
    throw new McpError({ type: "http_error", code: 0, message });
  }

  #connect(server: McpServer, signal: AbortSignal): Promise<McpConnection> {
    const key = keyOf(server);
    const open = this.#connections.get(key);
    if (open !== undefined) return Promise.resolve(open);
    return this.#connecting.run(key, async () => {
      this.#checkAddress(server);
      const verdict = this.#verdictOf(key);
      const connection = await connectMcp({ ...this.#deps, server, verdict, signal })
        .catch((error: unknown) => {
          // It may have become another server since: the next request finds out.
          if (verdict !== undefined && error instanceof McpError) this.#kept.delete(key);
          throw error;
        });
      if (this.#closed) {
        await connection.close(AbortSignal.abort());
        throw new Error("The request is over");
      }
      this.#connections.set(key, connection);
      return connection;
    });
  }
}

/** The result or the error of a server, without the credentials that it was sent. */
async function cleaned<T>(server: McpServer, work: () => Promise<T>): Promise<T> {
  try {
    return withoutCredentials(await work(), server);
  } catch (error) {
    throw errorWithoutCredentials(error, server);
  }
}

const byName = (one: McpTool, other: McpTool): number => one.name < other.name ? -1 : 1;

/** A caller's listing is nobody else's: servers may list by who asks. */
const keyOf = ({ url, headers }: McpServer): string =>
  createHash("sha256").update(JSON.stringify([url, Object.entries(headers).toSorted()])).digest("base64url");

function toTool(value: unknown): readonly McpTool[] {
  if (!isRecord(value)) return [];
  const { name, description, inputSchema, annotations } = value;
  if (typeof name !== "string" || name === "") return [];
  return [{
    name,
    description: typeof description === "string" ? description : undefined,
    inputSchema: isRecord(inputSchema) ? inputSchema : { type: "object" },
    annotations: isRecord(annotations) ? annotations : undefined,
  }];
}

/** The server of the gateway: it holds the port from the start on and drains what is under way at a stop. */

import { endsWithin } from "../../shared/util/within.ts";
import type { App } from "./app.ts";
import { type Config, ConfigError } from "../config/config.ts";
import { type HttpServerOptions, listen, type ListeningServer } from "../http/http_server/http_server.ts";
import { listenWithDenoServe } from "../http/http_server/deno_serve.ts";
import { httpServerOptions } from "../http/http_server/default_options.ts";
import { OneShotSignal } from "../one_shot_signal.ts";
import type { Cancel, Runtime } from "../runtime.ts";

/**
 * Milliseconds in which kept connections serve a request more at a stop, and say that it was the last: one that is on
 * its way when an idle connection is closed is lost to its client.
 */
const LAST_REQUESTS_MS = 250;
/** Time to tell the clients of answers that were ended. */
const STREAM_END_GRACE_MS = 2_000;
/** Time to cut what even that has not ended. */
const CUT_MS = 500;

/** How long the end of the server may take. */
export function serverEndMs({ drainMs }: Pick<Config["limits"], "drainMs">): number {
  return drainMs + STREAM_END_GRACE_MS + CUT_MS;
}

/** The listening server. It holds the port from the beginning and lets requests in once there is an app. */
export class GatewayServer {
  readonly #server: ListeningServer;
  readonly #runtime: Runtime;
  readonly #drainMs: number;
  /** Ends the answers that outlast the drain. */
  readonly stop = new OneShotSignal();
  #app: App | undefined;
  #stopping = false;

  constructor(config: Config, runtime: Runtime) {
    this.#runtime = runtime;
    this.#drainMs = config.limits.drainMs;
    this.#server = openServer(config, {
      ...httpServerOptions(runtime, config.limits),
      lastRequestsMs: LAST_REQUESTS_MS,
      openSpare: () => openSpare(config.dataFolder),
      handle: (request, peer) => this.#app?.handle(request, peer) ?? startingReply(),
      protocolError: (problem) => this.#app?.renderProtocolError(problem) ?? startingReply(),
    });
  }

  get address(): { readonly hostname: string; readonly port: number } {
    const { hostname, port } = this.#server.addr;
    return { hostname, port };
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  open(app: App): void {
    this.#app = app;
  }

  /**
   * Takes no more connections and waits for those in use, but not for ever: answers that outlast the drain end
   * in a failure that says why, and what does not even take that is cut (faults P3).
   */
  async close(): Promise<void> {
    this.#stopping = true;
    const closed = this.#server.shutdown();
    const { clock } = this.#runtime;
    if (await endsWithin(closed, { clock, ms: this.#drainMs })) return;
    this.stop.fire();
    if (await endsWithin(closed, { clock, ms: STREAM_END_GRACE_MS })) return;
    this.#server.abort();
  }
}

function startingReply(): Response {
  return new Response("Tollgate is starting.\n", { status: 503, headers: { "retry-after": "1" } });
}

/** The data folder, which can be opened like a file; undefined where the system or a permission forbids that. */
function openSpare(dataFolder: string): Cancel | undefined {
  try {
    const file = Deno.openSync(dataFolder);
    return () => file.close();
  } catch (_error) {
    // Without a spare file a client waits where it would be refused.
    return undefined;
  }
}

/** A platform listens itself and hands requests in; everywhere else we do. */
function openServer({ host, port, deploy }: Config, behind: HttpServerOptions): ListeningServer {
  const options = { ...behind, hostname: host, port };
  try {
    return deploy ? listenWithDenoServe(options) : listen(options);
  } catch (cause) {
    if (cause instanceof Deno.errors.AddrInUse) {
      throw new ConfigError(
        `PORT is ${port}, which another program uses on ${host}: stop that one or choose another`,
        { cause },
      );
    }
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`Cannot listen on HOST ${host}, PORT ${port}: ${why}`, { cause });
  }
}

/**
 * Providers at the gateway's own address. Clients read `OPENAI_BASE_URL` and `OPENAI_API_KEY`, too: a gateway that is
 * started in their shell would call itself, and each of these calls would do so again, without end.
 */

import { type Config, ConfigError } from "../config/config.ts";
import type { Provider } from "../providers/endpoint.ts";

const everywhere = ["0.0.0.0", "[::]"];
const thisMachine: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]", ...everywhere]);

type Listening = Pick<Config, "host" | "port">;

/** Throws a ConfigError where a provider is to be called at the address on which the gateway listens. */
export function assertOtherAddresses(listening: Listening, providers: readonly Provider[]): void {
  const own = providers.find(({ baseUrl, builtIn }) =>
    builtIn !== true && isOwn(new URL(baseUrl), listening)
  );
  if (own === undefined) return;
  throw new ConfigError(
    `${own.name} is to be called at this gateway's own address (HOST and PORT), so each call would make another one: ` +
      "name the provider's address, or take the setting out",
  );
}

/** A port of 0 is any free one, which no setting can name. */
function isOwn({ protocol, hostname, port }: URL, { host, port: ownPort }: Listening): boolean {
  if (protocol !== "http:" || Number(port || 80) !== ownPort) return false;
  const ownName = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host.toLowerCase();
  return hostname === ownName || thisMachine.has(hostname) && thisMachine.has(ownName);
}

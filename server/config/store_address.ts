/** `TOLLGATE_STORE`: the address of a shared store. */

import type { SettingResult } from "./config_error.ts";

interface StoreHost {
  readonly host: string;
  readonly port: number;
}

/** Parts of a `postgres://` address. */
export interface PostgresAddress {
  /** Tried in this order until one takes writes: a primary and its standbys. */
  readonly hosts: readonly StoreHost[];
  readonly database: string;
  readonly user: string;
  /** Secret; empty when there is none. */
  readonly password: string;
  /** libpq's word. `require` encrypts without a look at the certificate, `verify-full` looks. */
  readonly tls: TlsMode;
}

type TlsMode = "disable" | "prefer" | "require" | "verify-full";

const tlsModes: readonly string[] = ["disable", "prefer", "require", "verify-full"] satisfies TlsMode[];
const DEFAULT_PORT = 5432;
/** User, password, hosts, database and query; everything up to the last `@` belongs to the user. */
const form = /^postgres(?:ql)?:\/\/(?:([^:/?#]*)(?::([^/?#]*))?@)([^@/?#]+)\/([^/?#]+)(?:\?([^#]*))?$/;

const allowed = "an address such as postgres://user:password@host:5432/database, with special characters " +
  "percent-encoded, several hosts separated by commas, and no option but " +
  "?sslmode=disable, prefer, require or verify-full";

/** The parts of the address; its text is a secret and is never quoted. */
export function parseStoreAddress(input: string): SettingResult<PostgresAddress> {
  const [match, user = "", password = "", places = "", database = "", query = ""] = form.exec(input) ?? [];
  if (match === undefined) return { allowed };
  const hosts = places.split(",").map(parseHost).filter((host) => host !== undefined);
  const tls = parseTlsMode(query);
  const words = [user, password, database].map(decoded);
  const [userName, secret, name] = words;
  if (hosts.length !== places.split(",").length || tls === undefined) return { allowed };
  if (!userName || secret === undefined || !name) return { allowed };
  return { value: { hosts, database: name, user: userName, password: secret, tls } };
}

function parseHost(text: string): StoreHost | undefined {
  const [match, bracketed, plain, digits] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ??
      [];
  const host = decoded(bracketed ?? plain ?? "");
  const port = digits === undefined ? DEFAULT_PORT : Number(digits);
  // A path would be a socket of this machine, which the gateway has no permission to open.
  if (match === undefined || !host || host.includes("/") || port < 1 || port > 65_535) return undefined;
  return { host, port };
}

function parseTlsMode(query: string): TlsMode | undefined {
  const options = new URLSearchParams(query);
  if ([...options.keys()].some((name) => name !== "sslmode")) return undefined;
  const mode = options.get("sslmode") ?? "prefer";
  return isTlsMode(mode) ? mode : undefined;
}

function isTlsMode(word: string): word is TlsMode {
  return tlsModes.includes(word);
}

/** Undefined for a malformed percent sign. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // The caller says what is allowed instead.
    return undefined;
  }
}

/** Takes a caller's credentials out of what its server sends back: servers that echo requests exist. */

import { secretCutter } from "../../../shared/util/cut_secrets.ts";
import { isRecord } from "../../../shared/util/json.ts";
import { truncateStart } from "../../../shared/util/text.ts";
import { McpError, protocolError } from "./mcp_error.ts";

const SHOWN = "[credential]";
/** Levels of an answer. */
const DEEPEST = 500;
/** UTF-16 units of a server's own words in an error. */
const LONGEST = 1_000;

interface Sender {
  readonly headers: Readonly<Record<string, string>>;
}

/** The values of the headers, whole and without their scheme. */
const secretsOf = ({ headers }: Sender): readonly string[] =>
  Object.values(headers).flatMap((value) => [value, value.replace(/^[A-Za-z]+ +/, "")]);

/** The same without the credentials. Throws an McpError for what is nested too deep to be looked through. */
export function withoutCredentials<T>(value: T, server: Sender): T {
  const secrets = secretsOf(server);
  if (secrets.length === 0) return value;
  return toSameShape<T>(cleanedValue(value, { cut: secretCutter(secrets, SHOWN), levels: DEEPEST }));
}

/** Casts a copy that differs from its original in texts only. */
const toSameShape = <T>(copy: unknown): T => copy as T;

interface CleanOptions {
  /** Cuts the secrets out of a text. */
  readonly cut: (text: string) => string;
  /** Levels that may follow. */
  readonly levels: number;
}

function cleanedValue(value: unknown, { cut, levels }: CleanOptions): unknown {
  if (typeof value === "string") return cut(value);
  if (typeof value === "number") return cut(String(value)) === SHOWN ? SHOWN : value;
  if (!Array.isArray(value) && !isRecord(value)) return value;
  if (levels === 0) throw protocolError(`The server's answer is nested more than ${DEEPEST} levels deep.`);
  const inner = { cut, levels: levels - 1 };
  if (Array.isArray(value)) return value.map((one) => cleanedValue(one, inner));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [cut(name), cleanedValue(one, inner)]),
  );
}

/** The error with a message that tells none; it is cut last, so that no part of one is left. */
export function errorWithoutCredentials(error: unknown, server: Sender): unknown {
  if (!(error instanceof McpError)) return error;
  const { fields, cause } = error;
  const message = truncateStart(secretCutter(secretsOf(server), SHOWN)(fields.message), LONGEST);
  return message === fields.message ? error : new McpError({ ...fields, message }, { cause });
}

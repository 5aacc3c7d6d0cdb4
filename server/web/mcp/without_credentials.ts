/** Takes a caller's credentials out of what its server sends back: servers that echo requests exist. */

import { isRecord } from "../../../shared/util/json.ts";
import { truncateStart } from "../../../shared/util/text.ts";
import { McpError, protocolError } from "./mcp_error.ts";

/** Shorter texts stand in ordinary words as well. */
const SHORTEST = 8;
const SHOWN = "[credential]";
/** Levels of an answer. */
const DEEPEST = 500;
/** UTF-16 units of a server's own words in an error. */
const LONGEST = 1_000;

interface Sender {
  readonly headers: Readonly<Record<string, string>>;
}

/** The values of the headers, whole and without their scheme, as servers write them. */
function secretsOf({ headers }: Sender): readonly string[] {
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^[A-Za-z]+ +/, "")]);
  const spelled = values.filter(({ length }) => length >= SHORTEST).flatMap(spellingsOf);
  return [...new Set(spelled)].toSorted((one, other) => other.length - one.length);
}

/** A text as it is, in JSON, in JSON of programs that escape slashes, and in an address. */
function spellingsOf(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  return [text, json, json.replaceAll("/", "\\/"), encodeURIComponent(text.toWellFormed())];
}

/** The same without the credentials. Throws an McpError for what is nested too deep to be looked through. */
export function withoutCredentials<T>(value: T, server: Sender): T {
  const secrets = secretsOf(server);
  return secrets.length === 0 ? value : toSameShape<T>(cleanedValue(value, { secrets, levels: DEEPEST }));
}

/** Casts a copy that differs from its original in texts only. */
const toSameShape = <T>(copy: unknown): T => copy as T;

interface CleanOptions {
  readonly secrets: readonly string[];
  /** Levels that may follow. */
  readonly levels: number;
}

function cleanedValue(value: unknown, { secrets, levels }: CleanOptions): unknown {
  if (typeof value === "string") return cleanedText(value, secrets);
  if (typeof value === "number") return secrets.includes(String(value)) ? SHOWN : value;
  if (!Array.isArray(value) && !isRecord(value)) return value;
  if (levels === 0) throw protocolError(`The server's answer is nested more than ${DEEPEST} levels deep.`);
  const inner = { secrets, levels: levels - 1 };
  if (Array.isArray(value)) return value.map((one) => cleanedValue(one, inner));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [cleanedText(name, secrets), cleanedValue(one, inner)]),
  );
}

const cleanedText = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((left, secret) => left.replaceAll(secret, SHOWN), text);

/** The error with a message that tells none; it is cut last, so that no part of one is left. */
export function errorWithoutCredentials(error: unknown, server: Sender): unknown {
  if (!(error instanceof McpError)) return error;
  const { fields, cause } = error;
  const message = truncateStart(cleanedText(fields.message, secretsOf(server)), LONGEST);
  return message === fields.message ? error : new McpError({ ...fields, message }, { cause });
}

/** Takes a caller's credentials out of what its server sends back: servers that echo requests exist. */

import { McpError } from "./mcp_error.ts";

/** Shorter texts stand in ordinary words as well. */
const SHORTEST = 8;
const SHOWN = "[credential]";

interface Sender {
  readonly headers: Readonly<Record<string, string>>;
}

/** The values of the headers, whole and without their scheme, as they stand in JSON. */
function secretsOf({ headers }: Sender): readonly string[] {
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^[A-Za-z]+ +/, "")]);
  return [...new Set(values)].filter((value) => value.length >= SHORTEST)
    .map((value) => JSON.stringify(value).slice(1, -1)).toSorted((one, other) => other.length - one.length);
}

function cleanedText(text: string, server: Sender): string {
  return secretsOf(server).reduce((left, secret) => left.replaceAll(secret, SHOWN), text);
}

/** The same value where nothing of the kind stands in it. */
export function withoutCredentials<T>(value: T, server: Sender): T {
  const text = JSON.stringify(value);
  const cleaned = cleanedText(text, server);
  return cleaned === text ? value : JSON.parse(cleaned);
}

/** The error with a message that tells none. */
export function errorWithoutCredentials(error: unknown, server: Sender): unknown {
  if (!(error instanceof McpError)) return error;
  const fields = withoutCredentials(error.fields, server);
  return fields === error.fields ? error : new McpError(fields, { cause: error.cause });
}

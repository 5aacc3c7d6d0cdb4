/** JSON texts and values whose shape is not known. */

/** The value of a JSON text; undefined for what is not JSON, which no JSON text stands for. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The error is dropped: its message quotes the text, which may hold a secret.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether a value is an object with names, and no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields whose value is not undefined. */
export function omitUndefined<T extends object>(fields: T): Partial<T> {
  const kept: Partial<T> = {};
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept;
}

/** An escape of a JSON text: of a backslash, or of half a surrogate pair, since whole ones are written as they are. */
const HALF_PAIR = /\\(?:\\|ud[89a-f][0-9a-f]{2})/g;

/**
 * The JSON text of a body that goes to somebody else. Half a surrogate pair becomes U+FFFD, as everywhere where text is
 * written as bytes: most readers of JSON refuse the escape that would stand for it.
 */
export function writeJson(value: object): string {
  return withWholePairs(JSON.stringify(value));
}

/** The same of a text that `JSON.stringify` has written. */
export const withWholePairs = (json: string): string =>
  json.includes("\\ud") ? json.replace(HALF_PAIR, (escape) => escape === "\\\\" ? escape : "\ufffd") : json;

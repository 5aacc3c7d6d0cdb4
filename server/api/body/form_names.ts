/** Names in multipart forms, as clients escape them. */

const escapes: Readonly<Record<"%22" | "%0D" | "%0A", string>> = { "%22": '"', "%0D": "\r", "%0A": "\n" };

/**
 * The name that was meant. Browsers, and the forms of Node, Python and Java, write these three characters so and leave
 * every other `%` as it is (HTML, "multipart/form-data encoding algorithm"); the parser has undone backslashes.
 */
export function decodeFormName(name: string): string {
  return name.replaceAll(/%(?:22|0D|0A)/gi, (escape) => escapes[toEscape(escape)]);
}

/** One that the pattern has found. */
const toEscape = (text: string) => text.toUpperCase() as keyof typeof escapes;

/** How the name of one model may be written: with dots or hyphens, with a date or a mark of agents behind it. */

/** The mark that agents put behind a name: Claude Code asks for a context of a million tokens so. */
const CONTEXT_MARK = /\[1m\]$/i;
/** The day of a version, as OpenAI, Anthropic, Vertex AI and Bedrock write it, or the newest one. */
const VERSION = /(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2})(?:-v\d{1,3}:\d{1,3})?|-latest|@default)$/;

/** One form of every spelling: small letters, hyphens and no mark. The author writes `claude-opus-4-8`, catalogs `4.8`. */
export const plainSpelling = (name: string): string =>
  name.trim().replace(CONTEXT_MARK, "").toLowerCase().replaceAll(".", "-");

/** The same without the version; as it is where there is none. */
export const versionless = (name: string): string => plainSpelling(name).replace(VERSION, "");

/** The version at the end of a name, `-2026-04-23`; empty where there is none. */
export const versionOf = (name: string): string => VERSION.exec(plainSpelling(name))?.[0] ?? "";

/** The name without its version, otherwise as it is written. */
export const withoutVersion = (name: string): string => {
  const written = name.trim().replace(CONTEXT_MARK, "");
  return written.slice(0, written.length - versionOf(name).length);
};

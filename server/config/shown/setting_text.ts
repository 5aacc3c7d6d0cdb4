/** Texts of settings as managers may read them: addresses without what they may hold of secrets. */

const HIDDEN = "[redacted]";

/** Shorter values are words, such as the `ollama` that Ollama takes as a key. */
const MIN_SECRET_CHARS = 8;

/** Cuts out of texts what settings hold in secret, in case another one repeats it. */
export function createScrubber(secrets: Iterable<string>): (text: string) => string {
  const long = [...new Set(secrets)].filter(({ length }) => length >= MIN_SECRET_CHARS)
    .toSorted((a, b) => b.length - a.length);
  return (text) => long.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
}

/** User, query and fragment of an address may be secrets, wherever in a text it stands. */
export const withoutAddressSecrets = (text: string): string =>
  text.replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)([^\s/?#@]*@)/gi, `$1${HIDDEN}@`)
    .replaceAll(/(:\/\/[^\s?#"]*)[?#][^\s"]*/g, `$1?${HIDDEN}`);

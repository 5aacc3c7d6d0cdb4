/** Texts of settings as managers may read them: addresses without what they may hold of secrets. */

const HIDDEN = "[redacted]";

/** User, query and fragment of an address may be secrets, wherever in a text it stands. */
export const withoutAddressSecrets = (text: string): string =>
  text.replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)([^\s/?#@]*@)/gi, `$1${HIDDEN}@`)
    .replaceAll(/(:\/\/[^\s?#"]*)[?#][^\s"]*/g, `$1?${HIDDEN}`);

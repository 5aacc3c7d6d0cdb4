/** Tells a client that a plugin did not act, by the header of notes. */

/** `message` goes on behind "it": "needs a search engine". In ASCII. */
export const pluginNote = (id: string, message: string): string =>
  `The plugin ${id} did not act: it ${message}`;

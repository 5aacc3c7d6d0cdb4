/** Instructions in the middle of a conversation, for wires that have a place for them at its beginning only. */

/**
 * A part of the user's message, in the documented form for models without system messages there: so they stay where
 * they are, and everything before them stays the cached and sealed prefix that it was. Blank for blank ones.
 */
export const systemReminder = (text: string): string =>
  text.trim() === "" ? "" : `<system-reminder>\n${text}\n</system-reminder>`;

/** Texts that several pages share. */

export const commonText = {
  actions: "Actions",
  atField: "What is wrong stands at its field.",
  cancel: "Cancel",
  client: "Client",
  close: "Close",
  columns: "Columns",
  copied: "Copied",
  copy: "Copy",
  copyFailed: (why: string) =>
    `The browser did not let us copy it. Select the text and copy it by hand. ${why}`.trim(),
  dismiss: "Dismiss",
  discard: "Discard",
  goneText:
    "What is typed here cannot be saved any more. It stays until the panel is closed, so that it can be copied.",
  itIs: (what: string) => `It ${what}.`,
  missing: "This has to be filled in.",
  next: "Next",
  period: "Period (UTC)",
  previous: "Previous",
  readAgain: "Read again",
  reload: "Reload",
  request: "Request",
  save: "Save changes",
  saved: "Saved.",
  saveRateLimits: "Save rate limits",
  select: (name: string) => `Select ${name}`,
  selectAll: "Select all on this page",
  becomes: "becomes",
  readOnly: "This session may only look: it was signed in with a read-only key.",
  showRequests: "Show these requests",
  shownOf: (shown: number, all: number) => shown === all ? "all" : `${shown} of ${all}`,
  tooLong: (has: number, most: number) => `It has ${has} characters; at most ${most} are allowed.`,
} as const;

export const secretText = {
  once: "This is the only time its text is shown. Copy it now; afterwards it can be replaced, never read.",
  stored: "I have stored it",
  done: "Done",
} as const;

export const searchChoiceText = { none: "Nothing here has that in its name." } as const;

export const exportText = {
  title: "Export",
  formats: { csv: "CSV", excel: "Excel", jsonl: "JSON lines" },
  part: (part: string, format: string) => `${part}, ${format}`,
  hint: "What is filtered, at most 100,000 rows",
  failed: (why: string) => `It could not be exported. ${why}`,
} as const;

export const unsavedText = {
  title: "Discard what you changed?",
  text: "It is not saved yet.",
  keep: "Keep editing",
  discard: "Discard changes",
} as const;

interface MeterWords {
  readonly name: string;
  readonly spent: string;
  readonly reserved: string;
  readonly limit: string;
}

/** Text of a meter. */
export function meterText({ name, spent, reserved, limit }: MeterWords): string {
  return `${name}: ${spent} spent, ${reserved} reserved, limit ${limit}`;
}

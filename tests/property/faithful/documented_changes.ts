/** The documented changes of every wire, and their table for docs/clients.md. */

import { chatChanges } from "./chat_changes.ts";
import type { DocumentedChange } from "./changes.ts";
import { messagesChanges } from "./messages_changes.ts";
import { responsesChanges } from "./responses_changes.ts";

export const documentedChanges: readonly DocumentedChange[] = [
  ...messagesChanges,
  ...chatChanges,
  ...responsesChanges,
];

const names = { messages: "Messages", chat: "Chat Completions", responses: "Responses" } as const;

export function documentedChangesTable(): string {
  const rows = documentedChanges.map(({ wire, what, why }) => `| ${names[wire]} | ${what} | ${why} |`);
  return ["| wire | what changes | why |", "|---|---|---|", ...rows].join("\n");
}

/** Texts of the page of the API. */

import { formatCount } from "../../format.ts";

export const apiText = {
  title: "API",
  caption: "Operations of the API",
  unreadable: "The description of the API could not be read",
  search: "Search operations",
  searchHint: "Path, name or words",
  columns: { operation: "Operation", family: "Family" },
  none: "No operation found",
  noneText: "No operation has all of these words.",
  showAll: "Show all operations",
  download: "Download as OpenAPI",
  count: (found: number) => `${formatCount(found)} operations`,
} as const;

export const apiPanelText = {
  names: { previous: "Previous operation", next: "Next operation" },
  parameters: "Request",
  required: "needed",
  body: "Body",
  badBody: "This is no JSON.",
  schema: "Schema of the body",
  answerSchema: "Schema of the answer",
  replies: "Answers",
  send: (method: string) => `Send ${method}`,
  asSession: "It is sent by the key that you are signed in with, and acts on this gateway.",
  asPlayground: "It is sent by the playground's key, and costs what the model costs.",
  untried: "This one cannot be tried here: a session cannot call it, or its answer is no text.",
  failed: "The request could not be sent",
  confirm: (method: string, path: string) => `Send ${method} ${path}?`,
  deletes: "What it deletes is gone.",
  replaces: "What it ends or replaces is not brought back by a second request.",
  answer: (status: number) => `Answer with status ${status}`,
  more: (chars: number) => `${formatCount(chars)} more characters are not shown.`,
} as const;

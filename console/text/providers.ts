/** Texts of the providers. */

import { countOf } from "../format.ts";

export const modelTabNames = { models: "Models", providers: "Providers", route: "Explain a route" } as const;

export const providersText = {
  caption: "Providers, those that fail first",
  columns: {
    provider: "Provider",
    standing: "Standing",
    switchedBy: "Switched on by",
    endpoints: "Endpoints",
    p50: "p50",
    failed: "Failed, 5 min",
    requests: "Requests, 24 h",
  },
  some: (name: string, count: string) => `${name}: ${count}`,
  ownKey: "a workspace's own key",
  inFile: "configuration file",
  count: (count: number) => countOf(count, ["provider", "providers"]),
  test: "Test",
  testNamed: (name: string) => `Test ${name}`,
} as const;

export const testText = {
  title: (name: string) => `Test ${name}`,
  text: (tokens: number, workspace: string) =>
    `Calls one model there once, for at most ${tokens} output tokens, as key Provider tests of ${workspace}. It costs what it costs, and has a receipt.`,
  model: "Model",
  submit: "Test",
  testing: "Testing …",
  close: "Close",
  failed: "It was not tested",
  answered: (model: string) => `${model} answered`,
  refused: (model: string) => `${model} did not answer`,
  status: "Status",
  noStatus: "none",
  latency: "First answer after",
  total: "In all",
  words: "Its words",
  receipt: "Receipt",
  showReceipt: "Show the request",
  nothing: "nothing",
} as const;

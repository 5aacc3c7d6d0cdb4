/** Texts of the page of models and providers. */

import { countOf, formatCount } from "../format.ts";

export const modelsText = {
  title: "Models and providers",
  unreadable: "The models could not be read",
  search: "Search models",
  searchHint: "Model or provider",
  caption: (workspace: string) => `Models of ${workspace}, prices in USD a million tokens`,
  columns: {
    model: "Model",
    context: "Context",
    input: "Input",
    output: "Output",
    endpoints: "Endpoints",
    p50: "p50",
    speed: "Tokens/s",
    uptime: "Uptime, 24 h",
    requests: "Requests, 24 h",
  },
  unpriced: "Unpriced",
  out: (usd: string) => `${usd} out`,
  ready: (ready: number, all: number) => `${formatCount(ready)} of ${formatCount(all)}`,
  shutOut: "Not allowed",
  count: ({ first, last, all }: { readonly first: number; readonly last: number; readonly all: number }) =>
    all === 0
      ? "No models"
      : `Models ${formatCount(first)} to ${formatCount(last)} of ${
        formatCount(all)
      } · prices in USD a million tokens`,
  forWorkspace: (workspace: string) => `as keys of ${workspace} may use them`,
  notFound: "No model found",
  notFoundText: "No model has what the filters ask for.",
  removeAll: "Remove all filters",
  none: "No models yet",
  noneText:
    "No provider is switched on. Set a provider's key in the environment and start the gateway again.",
} as const;

/** Names of the filters, and of the choice that filters nothing. */
export const catalogChipText = {
  writes: { label: "Writes", any: "anything" },
  takes: { label: "Takes", any: "anything" },
  context: { label: "Context", any: "any" },
  can: { label: "Can", any: "anything" },
  price: { label: "Price", any: "any" },
} as const;

const choiceTexts: ReadonlyMap<string, string> = new Map(Object.entries({
  "32000": "32 k and more",
  "128000": "128 k and more",
  "200000": "200 k and more",
  "1000000": "1 M and more",
  structured_outputs: "structured outputs",
  priced: "known",
  unpriced: "unpriced",
  "1": "input up to $1",
  "5": "input up to $5",
  "20": "input up to $20",
}));

export const choiceText = (choice: string): string => choiceTexts.get(choice) ?? choice;

export const modelPanelText = {
  tryIt: "Try in playground",
  previous: "Previous model",
  next: "Next model",
  gone: "This model is not here",
  goneText: "No provider serves it now, or its id has changed.",
  about: "About",
  id: "Model id",
  context: "Context",
  tokens: (count: number) => countOf(count, ["token", "tokens"]),
  unknown: "not known",
  takes: "Takes",
  writes: "Writes",
  parameters: "Parameters",
  created: "Since",
  prices: "Prices",
  input: "Input",
  output: "Output",
  aMillion: (usd: string) => `${usd} a million tokens`,
  each: (usd: string) => `${usd} each`,
  otherwise: "Else",
  source: "Source",
  sourceOf: (name: string, day: string) => `${name}, ${day}`,
  ownSource: "stated by this version or by the configuration",
  /** `where min prompt tokens 272000`. */
  where: (conditions: readonly (readonly [name: string, value: string])[]) =>
    `where ${conditions.map(([name, value]) => `${name.replaceAll("_", " ")} is ${value}`).join(", ")}`,
  unpricedText: "Nobody states a price. Keys with a limit cannot use it until the configuration states one.",
  endpoints: "Endpoints",
  provider: "Provider",
  p50: "p50",
  speed: "Tokens/s",
  uptime: "24 h",
  byok: "own key",
  endpointPrice: (input: string, output: string) => `${input} in, ${output} out`,
  notAllowed: (reason: string) => `Not allowed: it ${reason}`,
  who: "Who may use it",
  everything: "All endpoints",
  some: (allowed: number, all: number) => `${formatCount(allowed)} of ${formatCount(all)} endpoints`,
  nobody: "Not allowed",
  accessUnreadable: "The workspaces could not be read",
  more: (count: number) => `Show ${formatCount(count)} more`,
  requests: "Requests of 24 h",
} as const;

export const standingText = {
  well: "Well",
  probe: "To be tried with the next request",
  cooling_down: "Cooling down",
  misconfigured: "Refuses the key",
  left: (span: string) => `${span} left`,
} as const;

export const compareText = {
  chosen: (count: number) => countOf(count, ["model chosen", "models chosen"]),
  most: (most: number) => `At most ${most} models stand beside each other.`,
  compare: "Compare",
  clear: "Choose none",
  title: "Models side by side",
  fact: "Fact",
  none: "None of the chosen models is here any more.",
  remove: (id: string) => `Leave out ${id}`,
} as const;

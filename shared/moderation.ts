/** Words of the setting `moderation`: how services are asked, and which categories they tell apart. */

/**
 * `openai` and `mistral`: `POST /moderations` of these. `llama-guard`: chat completions of a Llama Guard. `policy`:
 * chat completions of a model that judges by a policy in its own words, such as gpt-oss-safeguard.
 */
export const moderationWires = ["openai", "mistral", "llama-guard", "policy"] as const;
export type ModerationWireId = typeof moderationWires[number];

/** The categories of a wire; undefined where its models have some of their own. */
export const moderationCategories: { readonly [W in ModerationWireId]: readonly string[] | undefined } = {
  openai: [
    "harassment",
    "harassment/threatening",
    "hate",
    "hate/threatening",
    "illicit",
    "illicit/violent",
    "self-harm",
    "self-harm/instructions",
    "self-harm/intent",
    "sexual",
    "sexual/minors",
    "violence",
    "violence/graphic",
  ],
  mistral: undefined,
  "llama-guard": Array.from({ length: 14 }, (_, number) => `S${number + 1}`),
  policy: undefined,
};

/** Whether a service of the wire gives scores, which a threshold is compared with. */
export const hasModerationScores = (wire: ModerationWireId): boolean =>
  wire === "openai" || wire === "mistral";

/** The simulated service of the built-in provider. */
export const SIMULATED_MODERATOR = "local/moderator";

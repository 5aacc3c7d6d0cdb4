/** Limits of families of models, by the models' names: what they take less than the wires that serve them. */

import type { HostTrait } from "../protocols/canonical/endpoint_words.ts";
import type { WireId } from "../protocols/canonical/item.ts";
import type { Endpoint } from "./endpoint.ts";

export interface FamilyTraits {
  /** As the documents call it. */
  readonly name: string;
  /** Pattern for the model's name at the provider, in small letters. */
  readonly model: RegExp;
  /** Names that are meant. */
  readonly examples: readonly string[];
  /** Absent: on every wire. */
  readonly wires?: readonly WireId[];
  readonly traits: readonly HostTrait[];
}

/** Families and their traits, which hold at every host, and for models that no row lists. */
export const familyTraits: readonly FamilyTraits[] = [
  {
    name: "OpenAI's reasoning models (o1 and later, GPT-5 and later)",
    model: /(^|[/.])(o[1-9](-|$)|gpt-[5-9](?!.*chat))/,
    examples: ["o3", "o4-mini-2025-04-16", "gpt-5-mini", "openai/gpt-6-sol"],
    traits: ["fixed_sampling"],
  },
  {
    name: "Grok 4 and later, where it reasons",
    model: /(^|[/.])grok-([4-9]|\d\d)(?!.*non-reasoning)/,
    examples: ["grok-4-fast", "x-ai/grok-4.7"],
    traits: ["no_penalties"],
  },
  {
    name: "Gemini behind other servers",
    model: /(^|[/.~])gemini-/,
    examples: ["google/gemini-3.5-flash", "gemini-2.5-pro"],
    wires: ["chat"],
    traits: ["letter_names"],
  },
  {
    name: "Llama, Command, Jamba, Titan and Palmyra at Bedrock",
    model: /(^|[/.:])(meta|cohere|ai21|amazon\.titan|writer)\./,
    examples: ["us.meta.llama3-3-70b-instruct-v1:0", "cohere.command-r-plus-v1:0"],
    wires: ["bedrock"],
    traits: ["auto_choice_only"],
  },
  {
    name: "Mistral and DeepSeek at Bedrock",
    model: /(^|[/.:])(mistral|deepseek)\./,
    examples: ["mistral.mistral-large-2407-v1:0", "us.deepseek.v3-v1:0"],
    wires: ["bedrock"],
    traits: ["no_named_choice"],
  },
];

const none: readonly HostTrait[] = [];

export function familyTraitsOf(upstreamModel: string, wire: WireId): readonly HostTrait[] {
  const name = upstreamModel.toLowerCase();
  const family = familyTraits.find(({ model, wires }) => wires?.includes(wire) !== false && model.test(name));
  return family?.traits ?? none;
}

/** By the endpoint itself: every call asks for them, for its request and for its answer. */
const known = new WeakMap<Endpoint, readonly HostTrait[]>();

/** Traits of the endpoint's host, of its model, and of the model's family. */
export function traitsOf(endpoint: Endpoint): readonly HostTrait[] {
  const before = known.get(endpoint);
  if (before !== undefined) return before;
  const { provider: { quirks, wire }, upstreamModel, traits: own = none } = endpoint;
  const traits = [...new Set([...quirks.traits ?? none, ...own, ...familyTraitsOf(upstreamModel, wire)])];
  known.set(endpoint, traits);
  return traits;
}

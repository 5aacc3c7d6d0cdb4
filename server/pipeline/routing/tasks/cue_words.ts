/**
 * Words that say what is asked for, in English, German, French, Spanish and Chinese, by what they mean: the five languages
 * share what training learns of a group. `begin*` stands for all words that begin so; case and accents do not matter.
 */

import { agentCues } from "./cues/agent_cues.ts";
import { codeCues } from "./cues/code_cues.ts";
import { contextCues } from "./cues/context_cues.ts";
import { dataCues } from "./cues/data_cues.ts";
import { generalCues } from "./cues/general_cues.ts";
import { languageCues } from "./cues/language_cues.ts";
import { topicCues } from "./cues/topic_cues.ts";

const listed: Readonly<Record<string, string>> = {
  ...codeCues,
  ...dataCues,
  ...agentCues,
  ...languageCues,
  ...generalCues,
  ...topicCues,
  ...contextCues,
};

export const cueGroups: readonly string[] = Object.keys(listed);

/** The cues of each group, in the order of the groups. */
export const cueWords: readonly (readonly string[])[] = Object.values(listed).map((cues) =>
  cues.split(",").map((cue) => cue.trim())
);

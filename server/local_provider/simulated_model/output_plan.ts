/** Decides what to answer: a pure function of the request, so the same request always gets the same answer. */

import { type ImageOptions, parseImageOptions } from "../images/image_options.ts";
import { generateValue } from "../json_schema/generate_value.ts";
import { extractPromptWords } from "../json_schema/prompt_words.ts";
import type { SimulatorRequest } from "./parse_request.ts";
import type { RequestAnalysis } from "./analyze_request.ts";
import { type PlannedReasoning, planReasoning } from "./reasoning_text.ts";
import { planToolCalls } from "./choose_tool_calls.ts";
import type { CallableTool } from "./tool_instructions.ts";

/** An item of the answer before its length is settled. */
export type PlannedItem =
  | { readonly type: "reasoning"; readonly text: string; readonly thought: PlannedReasoning }
  | { readonly type: "text" | "refusal"; readonly text: string }
  | { readonly type: "call"; readonly text: string; readonly tool: CallableTool }
  | { readonly type: "picture"; readonly text: string; readonly imageOptions: ImageOptions };

/** A user who says this is refused: for trying out how a client shows refusals. */
const REFUSAL_TRIGGER = "please refuse";
const REFUSAL = "I'm sorry, but I can't help with that.";

export function planOutput(requested: SimulatorRequest, survey: RequestAnalysis): readonly PlannedItem[] {
  const refused = survey.text.toLowerCase().includes(REFUSAL_TRIGGER);
  const imageOptions = refused ? undefined : parseImageOptions(requested);
  const calls = refused || imageOptions !== undefined
    ? []
    : planToolCalls(requested, { text: survey.text, answered: survey.answers.length > 0 });
  const thought = planReasoning(requested, {
    turns: survey.turns,
    text: survey.text,
    calls: calls.map(({ tool }) => tool.name),
    attachments: survey.attachments.length,
  });
  const drafts: PlannedItem[] = thought === undefined
    ? []
    : [{ type: "reasoning", text: thought.text, thought }];
  if (refused) return [...drafts, { type: "refusal", text: REFUSAL }];
  if (imageOptions !== undefined) {
    return [...drafts, ...planImage(requested, { survey, imageOptions })];
  }
  if (calls.length === 0) return [...drafts, { type: "text", text: textFor(requested, survey) }];
  return [...drafts, ...calls.map(({ tool, input }): PlannedItem => ({ type: "call", text: input, tool }))];
}

interface ImagePlanInput {
  readonly survey: RequestAnalysis;
  readonly imageOptions: ImageOptions;
}

/** The image, and a word about it unless nothing but images is wanted. */
function planImage(
  requested: SimulatorRequest,
  { survey, imageOptions }: ImagePlanInput,
): readonly PlannedItem[] {
  const image: PlannedItem = { type: "picture", text: survey.text, imageOptions };
  if (requested.modalities?.includes("text") === false) return [image];
  const about = `This is a simulated picture of ${imageOptions.width}×${imageOptions.height} pixels.`;
  return [image, { type: "text", text: `${about}\n\n${textFor(requested, survey)}` }];
}

function textFor(requested: SimulatorRequest, survey: RequestAnalysis): string {
  const { type = "text", schema = {} } = requested.text?.format ?? {};
  if (type === "json_schema") return JSON.stringify(generateValue(schema, extractPromptWords(survey.text)));
  const text = plainText(survey);
  return type === "json_object" ? JSON.stringify({ answer: text, turn: survey.turns }) : text;
}

/** The user's words as they are, and what else was in the request. */
function plainText({ turns, text, answers, attachments }: RequestAnalysis): string {
  const paragraphs = answers.map((answer) => `${answer.name} returned: ${answer.text}`);
  if (answers.length === 0) paragraphs.push(text === "" ? "You sent no text." : `You said: ${text}`);
  if (turns > 1) paragraphs.push(`This is turn ${turns} of our conversation.`);
  if (attachments.length > 0) {
    paragraphs.push(`With it came ${attachments.map(({ description }) => description).join("; ")}.`);
  }
  return paragraphs.join("\n\n");
}

/** Decides what to answer: a pure function of the request, so the same request always gets the same answer. */

import { type PictureWish, wishOf } from "../images/image_options.ts";
import { instanceOf } from "../json_schema/generate_value.ts";
import { wordsOf } from "../json_schema/prompt_words.ts";
import type { Asked } from "./parse_request.ts";
import type { Survey } from "./analyze_request.ts";
import { type Thought, thoughtOf } from "./reasoning_text.ts";
import { type Callable, callsOf } from "./choose_tool_calls.ts";

/** An item of the answer before its length is settled. */
export type Draft =
  | { readonly type: "reasoning"; readonly text: string; readonly thought: Thought }
  | { readonly type: "text" | "refusal"; readonly text: string }
  | { readonly type: "call"; readonly text: string; readonly tool: Callable }
  | { readonly type: "picture"; readonly text: string; readonly wish: PictureWish };

/** A user who says this is refused: for trying out how a client shows refusals. */
export const REFUSAL_TRIGGER = "please refuse";
const REFUSAL = "I'm sorry, but I can't help with that.";

export function planOf(asked: Asked, survey: Survey): readonly Draft[] {
  const refused = survey.text.toLowerCase().includes(REFUSAL_TRIGGER);
  const wish = refused ? undefined : wishOf(asked);
  const calls = refused || wish !== undefined
    ? []
    : callsOf(asked, { text: survey.text, answered: survey.answers.length > 0 });
  const thought = thoughtOf(asked, {
    turns: survey.turns,
    text: survey.text,
    calls: calls.map(({ tool }) => tool.name),
    attachments: survey.seen.length,
  });
  const drafts: Draft[] = thought === undefined ? [] : [{ type: "reasoning", text: thought.text, thought }];
  if (refused) return [...drafts, { type: "refusal", text: REFUSAL }];
  if (wish !== undefined) return [...drafts, ...pictureOf(asked, { survey, wish })];
  if (calls.length === 0) return [...drafts, { type: "text", text: textFor(asked, survey) }];
  return [...drafts, ...calls.map(({ tool, input }): Draft => ({ type: "call", text: input, tool }))];
}

interface Painting {
  readonly survey: Survey;
  readonly wish: PictureWish;
}

/** The picture, and a word about it unless nothing but pictures is wanted. */
function pictureOf(asked: Asked, { survey, wish }: Painting): readonly Draft[] {
  const picture: Draft = { type: "picture", text: survey.text, wish };
  if (asked.modalities?.includes("text") === false) return [picture];
  const about = `This is a simulated picture of ${wish.width}×${wish.height} pixels.`;
  return [picture, { type: "text", text: `${about}\n\n${textFor(asked, survey)}` }];
}

function textFor(asked: Asked, survey: Survey): string {
  const { type = "text", schema = {} } = asked.text?.format ?? {};
  if (type === "json_schema") return JSON.stringify(instanceOf(schema, wordsOf(survey.text)));
  const text = plainText(survey);
  return type === "json_object" ? JSON.stringify({ answer: text, turn: survey.turns }) : text;
}

/** The user's words as they are, and what else was in the request. */
function plainText({ turns, text, answers, seen }: Survey): string {
  const paragraphs = answers.map((answer) => `${answer.name} returned: ${answer.text}`);
  if (answers.length === 0) paragraphs.push(text === "" ? "You sent no text." : `You said: ${text}`);
  if (turns > 1) paragraphs.push(`This is turn ${turns} of our conversation.`);
  if (seen.length > 0) paragraphs.push(`With it came ${seen.map(({ told }) => told).join("; ")}.`);
  return paragraphs.join("\n\n");
}

/** Chat completions of a model that judges one text a call. */

import * as z from "zod";
import type { JsonObject } from "../../../../protocols/canonical/item.ts";
import type { ModerationCall } from "../moderation_service.ts";
import type { ModerationInput } from "./wire.ts";

interface ChatJudging {
  readonly model: string;
  readonly system?: string;
  readonly maxTokens: number;
}

export function renderChatCall(
  [input]: readonly ModerationInput[],
  { model, system, maxTokens }: ChatJudging,
): ModerationCall {
  const content = input?.type === "text" ? input.text : "";
  const instructions: readonly JsonObject[] = system === undefined
    ? []
    : [{ role: "system", content: system }];
  return {
    path: "/chat/completions",
    body: {
      model,
      messages: [...instructions, { role: "user", content }],
      temperature: 0,
      max_tokens: maxTokens,
      stream: false,
    },
  };
}

const reply = z.object({
  choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]),
});

/** The answer's text, without space around it. Throws for any other form. */
export function parseChatText(value: unknown): string {
  const { choices: [{ message: { content } }] } = reply.parse(value);
  return content.trim();
}

/**
 * A simulated moderation service, `local/moderator`, in the form of `POST /moderations`: it flags planted words and
 * judges nothing. `planted-violence` has the score 0.9 for violence, `planted-violence:0.4` the one that it says.
 */

import * as z from "zod";
import { moderationCategories, SIMULATED_MODERATOR } from "../../shared/moderation.ts";
import type { Runtime } from "../runtime.ts";
import { newId } from "./new_id.ts";
import { invalidRequest, parseJsonBody, WireError } from "./wire_error.ts";

const PLANTED = "planted-";
const SCORE = 0.9;
/** Score from which it flags. */
const FLAGGED = 0.5;

const part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string() }) }),
]);
const requestSchema = z.object({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string()).min(1), z.array(part).min(1)]),
});

const names: ReadonlySet<string> = new Set(["moderator", SIMULATED_MODERATOR]);
const categories = moderationCategories.openai ?? [];

export function moderate(text: string, runtime: Pick<Runtime, "randomToken">): Response {
  const parsed = requestSchema.safeParse(parseJsonBody(text));
  if (!parsed.success) throw invalidRequest("Invalid value for 'input'.", "invalid_type", { param: "input" });
  const { model, input } = parsed.data;
  if (!names.has(model)) {
    const message = `The model '${model}' does not exist.`;
    throw new WireError(404, { message, type: "invalid_request_error", code: "model_not_found" });
  }
  const results = textsOf(input).map(resultOf);
  return Response.json({ id: newId("modr", runtime), model: SIMULATED_MODERATOR, simulated: true, results });
}

/** Parts are judged together. */
function textsOf(input: z.infer<typeof requestSchema>["input"]): readonly string[] {
  if (typeof input === "string") return [input];
  const texts: string[] = [];
  const parts: string[] = [];
  for (const one of input) {
    if (typeof one === "string") texts.push(one);
    else parts.push(one.type === "text" ? one.text : one.image_url.url);
  }
  return parts.length === 0 ? texts : [parts.join(" ")];
}

function resultOf(text: string) {
  const planted = plantedScores(text);
  const scores = categories.map((name) => [name, planted.get(name) ?? 0] as const);
  return {
    flagged: scores.some(([, score]) => score >= FLAGGED),
    categories: Object.fromEntries(scores.map(([name, score]) => [name, score >= FLAGGED])),
    category_scores: Object.fromEntries(scores),
  };
}

/** The highest score of each category whose word is planted. */
function plantedScores(text: string): ReadonlyMap<string, number> {
  const scores = new Map<string, number>();
  for (let at = text.indexOf(PLANTED); at >= 0; at = text.indexOf(PLANTED, at + PLANTED.length)) {
    const [, name = "", score = ""] = /^([a-z/-]{1,40})(?::(0\.\d{1,4}|1))?/.exec(
      text.slice(at + PLANTED.length, at + PLANTED.length + 50),
    ) ?? [];
    const given = score === "" ? SCORE : Number(score);
    scores.set(name, Math.max(given, scores.get(name) ?? 0));
  }
  return scores;
}

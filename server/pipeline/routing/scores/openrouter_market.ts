/** OpenRouter's shares of its traffic by task (`GET /classifications/task`) → a market file. */

import * as z from "zod";
import type { MarketFile } from "../../../../shared/routing/scores.ts";
import { isTaskType, type TaskMacro, taskMacros, type TaskType } from "../../../../shared/task_types.ts";

const share = z.number().min(0).max(1);
const licence = z.string().optional();
const notice = { license: licence, licence };

const classification = z.object({
  tag: z.string().min(1).max(200),
  macro_category: z.string(),
  /** Part of the tokens of its macro category. */
  category_token_share: share,
  models: z.array(z.object({ id: z.string().max(256).regex(/^[^\s/]+\/\S+$/), tag_token_share: share })).max(
    1_000,
  ),
});

const answerSchema = z.object({
  ...notice,
  meta: z.object(notice).optional(),
  data: z.object({
    ...notice,
    as_of: z.iso.date(),
    classifications: z.array(classification).min(1).max(1_000),
  }),
});
type Answer = z.output<typeof answerSchema>;

const LICENCE = "CC BY 4.0";
const SAME_LICENCE = /^(?:cc[ -]by[ -]4\.0|https?:\/\/creativecommons\.org\/licenses\/by\/4\.0\/?)$/i;

/** The answer cannot be kept; the message says why in one sentence. */
export class MarketError extends Error {}

/** Throws a MarketError for an answer that is not understood, or that has come under another licence. */
export function marketOfOpenRouter(json: unknown): MarketFile {
  const { data: answer, error } = answerSchema.safeParse(json);
  if (answer === undefined) {
    const [issue] = error.issues;
    const place = issue?.path.map(String).join(" → ") || "all of it";
    throw new MarketError(`The answer is not what was expected: ${place} is wrong (${issue?.message ?? ""})`);
  }
  assertLicence(answer);
  const { as_of, classifications } = answer.data;
  return {
    source: "OpenRouter (openrouter.ai/rankings)",
    attribution: `Source: OpenRouter (openrouter.ai/rankings), as of ${as_of}.`,
    licence: LICENCE,
    as_of,
    shares: sharesOf(classifications),
  };
}

/** It says under which licence it may be kept: the one that the file names. */
function assertLicence({ data, meta, ...top }: Answer): void {
  const named = [top, data, meta ?? {}].flatMap(({ license, licence }) =>
    [license ?? [], licence ?? []].flat()
  );
  const other = named.find((text) => !SAME_LICENCE.test(text.trim()));
  if (other === undefined) return;
  throw new MarketError(
    `The answer comes under the licence ${JSON.stringify(other)}, not ${LICENCE}: it is not kept`,
  );
}

type Classification = Answer["data"]["classifications"][number];

/** By tag, where it is one of ours, and by macro category: its tags by their part of its tokens. */
function sharesOf(rows: readonly Classification[]): MarketFile["shares"] {
  const sums = new Map<string, Map<string, number>>();
  const add = (task: TaskType | TaskMacro, { id, part }: { readonly id: string; readonly part: number }) => {
    const models = sums.get(task) ?? new Map<string, number>();
    sums.set(task, models.set(id, (models.get(id) ?? 0) + part));
  };
  for (const { tag, macro_category, category_token_share: weight, models } of rows) {
    const macro = taskMacros.find((one) => one === macro_category);
    for (const { id, tag_token_share: part } of models) {
      if (isTaskType(tag)) add(tag, { id, part });
      if (macro !== undefined) add(macro, { id, part: part * weight });
    }
  }
  const found = [...sums].map(([task, models]) => [task, Object.fromEntries(roundedOf(models))] as const);
  if (found.length > 0) return Object.fromEntries(found);
  throw new MarketError("The answer has no task that is known here");
}

/** The largest first. Sums of rounded parts may be a little above 1. */
const roundedOf = (models: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...models].map(([id, part]) => [id, Math.min(1, Number(part.toFixed(6)))] as const)
    .filter(([, part]) => part > 0)
    .toSorted(([, one], [, other]) => other - one);

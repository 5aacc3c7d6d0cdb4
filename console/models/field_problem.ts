/** Finds problems of what was typed, by the schemas that the gateway itself uses. */

import type * as z from "zod";
import { nameSchema } from "../../shared/keys.ts";
import { usdLimitSchema } from "../../shared/usd_limit.ts";
import { commonText } from "../text/common.ts";
import { parseUsd } from "./money_input.ts";

interface FieldTexts {
  /** Shown for an empty field that has to be filled in. */
  readonly missing?: string;
  /** Shown for what does not have the form of such a value. */
  readonly format?: string;
}

/** A sentence for the first thing that is wrong; undefined where nothing is. */
export function fieldProblem(
  schema: z.ZodType,
  value: unknown,
  texts: FieldTexts = {},
): string | undefined {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue && issueText(issue, { value, ...texts });
}

/** A sentence for one thing that is wrong with a value. */
export function issueText(
  issue: z.core.$ZodIssue,
  { value, missing, format }: FieldTexts & { readonly value: unknown },
): string {
  if (issue.code === "too_small" && value === "") return missing ?? commonText.missing;
  if (issue.code === "too_big" && typeof value === "string") {
    return commonText.tooLong(value.length, Number(issue.maximum));
  }
  if (issue.code === "custom") return commonText.itIs(issue.message);
  return format ?? commonText.itIs(issue.message);
}

/** Problem of a key's name. */
export function keyNameProblem(name: string, missing: string): string | undefined {
  return fieldProblem(nameSchema, name.trim(), { missing });
}

/** Problem of a limit; an empty field stands for none. */
export function limitProblem(text: string, bad: string): string | undefined {
  const usd = parseUsd(text);
  if (usd === null) return undefined;
  return usd === undefined ? `${text} ${bad}` : fieldProblem(usdLimitSchema, usd);
}

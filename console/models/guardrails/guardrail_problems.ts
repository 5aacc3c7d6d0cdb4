/** Finds problems of a guardrail as it is typed, by the path of the field in the body: `content_filters.0.pattern`. */

import * as z from "zod";
import { guardrailNameSchema, type GuardrailRecord, guardrailSettings } from "../../../shared/guardrails.ts";
import { usdLimitSchema } from "../../../shared/usd_limit.ts";
import { builtinNames } from "../../text/builtin_filters.ts";
import { externalText, filtersText, guardrailPanelText } from "../../text/guardrails.ts";
import { issueText } from "../field_problem.ts";
import { bodyOf, type GuardrailDraft } from "./guardrail_draft.ts";

export interface FieldIssue {
  readonly path: string;
  readonly message: string;
  /** The field is empty: said only once somebody has tried to save. */
  readonly isMissing: boolean;
}

/** Where a field stands in the panel. */
export type FieldView = "rules" | "filters";

const filterFields = [
  "content_filters",
  "content_filter_builtins",
  "words",
  "words_action",
  "except",
  "external",
  "unreadable",
] as const;

const schema = z.object({
  name: guardrailNameSchema,
  limit_usd: z.union([z.nan(), usdLimitSchema.nullable()]),
  ...guardrailSettings,
});

const texts: ReadonlyMap<string, string> = new Map([
  ["name", guardrailPanelText.nameMissing],
  ["pattern", filtersText.patternMissing],
]);

/** Fields whose values have a form of their own. */
const forms: ReadonlyMap<string, string> = new Map([
  ["external.url", externalText.urlBad],
  ["external.timeout_ms", externalText.timeoutBad],
  ["external.on", externalText.onMissing],
]);

const externalLabels: ReadonlyMap<string, string> = new Map([
  ["url", externalText.url],
  ["header_env", externalText.header],
  ["timeout_ms", externalText.timeout],
  ["fail", externalText.fail],
  ["on", externalText.on],
]);

function fieldIssue(issue: z.core.$ZodIssue): FieldIssue {
  const path = issue.path.map(String);
  const last = path.at(-1) ?? "";
  const message = issueText(issue, {
    value: issue.input,
    missing: texts.get(last),
    format: forms.get(path.join(".")),
  });
  const isLine = path.length === 2 && /^\d+$/.test(last) && path[0] !== "content_filters";
  return {
    path: path.join("."),
    message: isLine ? guardrailPanelText.line(Number(last) + 1, message) : message,
    isMissing: issue.input === "",
  };
}

/** The gateway's own schemas judge, before anything is sent. */
export function draftIssues(draft: GuardrailDraft): readonly FieldIssue[] {
  const body = bodyOf(draft);
  const { error } = schema.safeParse(body, { reportInput: true });
  const issues = (error?.issues ?? []).map(fieldIssue);
  if (!Number.isNaN(body.limit_usd)) return issues;
  const message = `${draft.limit} ${guardrailPanelText.limitBad}`;
  return [...issues, { path: "limit_usd", message, isMissing: false }];
}

/** The gateway writes `content_filters[0].pattern`. */
export const dottedPath = (path: string): string => path.replaceAll(/\[(\d+)\]/g, ".$1");

/** Undefined for a path that no field of the panel has. */
export function viewOf(path: string): FieldView | undefined {
  const [field = ""] = path.split(".");
  if (filterFields.some((name) => name === field)) return "filters";
  return Object.hasOwn(schema.shape, field) ? "rules" : undefined;
}

/** The first problem at a path or below it. */
export function problemAt(issues: readonly FieldIssue[], path: string): string | undefined {
  return issues.find((issue) => issue.path === path || issue.path.startsWith(`${path}.`))?.message;
}

/** Names a path of a saved guardrail: `Pattern 1`, `Names of people`; the path where it has no name. */
export function fieldName(path: string, { content_filter_builtins: builtins }: GuardrailRecord): string {
  const [field = "", place = ""] = dottedPath(path).split(".");
  const at = Number(place || Number.NaN);
  if (field === "content_filters" && Number.isInteger(at)) return filtersText.pattern(at + 1);
  if (field === "external") return externalLabels.get(place) ?? externalText.title;
  const slug = field === "content_filter_builtins" ? builtins?.[at]?.slug : undefined;
  return slug === undefined ? path : builtinNames[slug];
}

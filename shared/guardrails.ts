/** Guardrails and their assignments as they go over the wire (specification, Guardrails). */

import * as z from "zod";
import { countCodePoints } from "./validation/validate.ts";
import { externalGuardrailSchema, guardedSides } from "./external_guardrail.ts";
import { keyHashSchema, limitResetSchema, timestampSchema } from "./keys.ts";

/** Model and provider names may be patterns: `*` stands for any text. */
const names = z.array(z.string().min(1).max(1_024)).min(1).max(1_024).nullable();

/** Characters of a pattern; what it says is judged when it is saved. */
export const MAX_PATTERN_CHARS = 100_000;

const patternSchema = z.string().min(1).superRefine((pattern, context) => {
  const length = countCodePoints(pattern);
  if (length <= MAX_PATTERN_CHARS) return;
  const message = `is ${length} characters long; at most ${MAX_PATTERN_CHARS} are allowed`;
  context.addIssue({ code: "custom", message });
});

/** Text in brackets that takes the place of a match. */
const labelSchema = z.string().max(100).superRefine((label, context) => {
  const inside = label.startsWith("[") && label.endsWith("]") ? label.slice(1, -1) : label;
  if (!/[\]\p{Cc}\u2028\u2029]/u.test(inside)) return;
  const message = "has a ], a line end or another control character, which would end the placeholder";
  context.addIssue({ code: "custom", message });
});

/** Action on what a filter finds. What is masked comes back to the client; what is redacted does not. */
export const filterActionSchema = z.enum(["redact", "mask", "block", "flag"]);

/** Fields that a client may send back because a record has them; they are computed anew. */
const computed = {
  /** The most characters that a match of the pattern can have; null for a pattern without a bound. */
  max_match: z.int().nonnegative().nullable().optional(),
  /** The filter is measured to miss more, or to be wrong more often, than the others. */
  experimental: z.boolean().optional(),
  /** Why the pattern would be refused if it were saved now; it acts as it did before. */
  fault: z.string().optional(),
} as const;

const contentFilterSchema = z.strictObject({
  pattern: patternSchema,
  action: filterActionSchema,
  label: labelSchema.nullable().optional(),
  max_match: computed.max_match,
  fault: computed.fault,
});

/** Identity, tax and account numbers that their check digits make certain, by country. */
export const nationalIdSlugs = [
  "iban",
  "in-aadhaar",
  "uk-nhs",
  "br-cpf",
  "br-cnpj",
  "pl-pesel",
  "pl-nip",
  "ca-sin",
  "nl-bsn",
  "es-dni",
  "it-codice-fiscale",
  "fr-nir",
  "be-national-number",
  "se-personnummer",
  "fi-hetu",
  "tr-tckn",
  "au-tfn",
  "au-abn",
  "au-medicare",
  "sg-nric",
] as const;
export type NationalIdSlug = typeof nationalIdSlugs[number];

/** The filters that the gateway brings along. */
export const builtinSlugs = [
  "email",
  "phone",
  "ssn",
  "credit-card",
  "ip-address",
  "secrets",
  "person-name",
  "address",
  "regex-prompt-injection",
  ...nationalIdSlugs,
] as const;
export type BuiltinSlug = typeof builtinSlugs[number];

/**
 * Filters that find less than 0.7 of what they look for in texts that nobody of this project wrote
 * (docs/guardrails.md).
 */
const experimentalSlugs: ReadonlySet<BuiltinSlug> = new Set(["person-name", "address"]);
export const isExperimental = (slug: BuiltinSlug): boolean => experimentalSlugs.has(slug);

const builtinFilterSchema = z.strictObject({
  slug: z.enum(builtinSlugs),
  action: filterActionSchema,
  label: labelSchema.optional(),
  /** `user_only` reads the messages of users, `all_messages` everything, the response too. */
  scan_scope: z.enum(["user_only", "all_messages"]).optional(),
  experimental: computed.experimental,
});

interface SecondAction<Field extends string> {
  readonly field: Field;
  readonly context: z.RefinementCtx;
}

/** One filter of a guardrail does one thing with what it finds. */
function refuseSecond<Field extends string>(
  filters: readonly ({ readonly [F in Field]: string } & { readonly action: string })[],
  { field, context }: SecondAction<Field>,
): void {
  const actions = new Map<string, string>();
  for (const [position, filter] of filters.entries()) {
    const first = actions.get(filter[field]);
    if (first === undefined) actions.set(filter[field], filter.action);
    else if (first !== filter.action) {
      const message = `stands here a second time, with the action ${filter.action}; the first has ${first}`;
      context.addIssue({ code: "custom", path: [position, field], message });
    }
  }
}

/** Entries of a list of words, and of one of exceptions. */
export const MAX_WORDS = 1_000;

const wordSchema = z.string().min(1).max(100).superRefine((word, context) => {
  const fault = word.trim() !== word
    ? "begins or ends with white space"
    : /[\p{Cc}]/u.test(word) || !word.isWellFormed()
    ? "has a control character or half a character"
    : undefined;
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
});

/** Its matches have a bound. */
const exceptPattern = z.strictObject({ pattern: z.string().min(1).max(1_000) });

const flag = z.boolean().nullable();

/** `global` is the whole world. */
export const dataRegions = ["global", "europe", "us"] as const;
export type DataRegion = typeof dataRegions[number];

/** Settings of a guardrail; null sets nothing. */
export const guardrailSettings = {
  description: z.string().max(1_000).nullable(),
  reset_interval: limitResetSchema.nullable(),
  allowed_models: names,
  ignored_models: names,
  allowed_providers: names,
  ignored_providers: names,
  /** Zero data retention for all models; the settings below are for one author's. */
  enforce_zdr: flag,
  enforce_zdr_anthropic: flag,
  enforce_zdr_openai: flag,
  enforce_zdr_google: flag,
  enforce_zdr_xai: flag,
  enforce_zdr_other: flag,
  enable_paid_model_training: flag,
  enable_free_model_training: flag,
  enable_free_model_publication: flag,
  allowed_data_regions: z.array(z.enum(dataRegions)).min(1).max(3).nullable(),
  content_filters: z.array(contentFilterSchema).max(200)
    .superRefine((filters, context) => refuseSecond(filters, { field: "pattern", context })).nullable(),
  content_filter_builtins: z.array(builtinFilterSchema).max(50)
    .superRefine((filters, context) => refuseSecond(filters, { field: "slug", context })).nullable(),
  /** Whole words and texts that are looked for in any case; which of them matched is not told. */
  words: z.array(wordSchema).min(1).max(MAX_WORDS).nullable(),
  words_action: filterActionSchema,
  /** A match of this guardrail's filters that lies wholly in one of these does not count. */
  except: z.array(z.union([wordSchema, exceptPattern])).min(1).max(MAX_WORDS).nullable(),
  /** A service that judges texts, after the filters. */
  external: externalGuardrailSchema.nullable(),
  /** Whether images, sounds, videos and files may pass that no content filter can read. */
  unreadable: z.enum(["allow", "block"]),
} as const;

export const guardrailNameSchema = z.string().min(1).max(200);

const storedLabel = z.string().nullable().optional();

export const guardrailRecordSchema = z.object({
  id: z.uuid(),
  name: guardrailNameSchema,
  /** Null: not of one workspace. */
  workspace_id: z.uuid().nullable(),
  limit_usd: z.number().nullable(),
  include_byok_in_budgets: z.boolean(),
  ...guardrailSettings,
  // Filters were judged when they came in, by the rules of then.
  content_filters: z.array(contentFilterSchema.extend({ pattern: z.string(), label: storedLabel }))
    .nullable(),
  content_filter_builtins: z.array(builtinFilterSchema.extend({ label: z.string().optional() })).nullable(),
  created_at: timestampSchema,
  updated_at: timestampSchema.nullable(),
});
export type GuardrailRecord = z.infer<typeof guardrailRecordSchema>;

const assignment = {
  id: z.uuid(),
  guardrail_id: z.uuid(),
  assigned_by: z.string().nullable(),
  created_at: timestampSchema,
} as const;

export const keyAssignmentSchema = z.object({
  ...assignment,
  key_hash: keyHashSchema,
  key_label: z.string(),
  key_name: z.string(),
});
export type KeyAssignment = z.infer<typeof keyAssignmentSchema>;

export const memberAssignmentSchema = z.object({
  ...assignment,
  user_id: z.string(),
  /** There is one organization: this gateway's. */
  organization_id: z.string(),
});
export type MemberAssignment = z.infer<typeof memberAssignmentSchema>;

/** Outcomes of a match: the strongest of the actions where several filters match. */
export const filterOutcomes = ["blocked", "redacted", "masked", "flagged"] as const;
export type FilterOutcome = typeof filterOutcomes[number];

/** Side that wrote the text of a guardrail test. */
export const testDirections = ["input", "output"] as const;
export type TestDirection = typeof testDirections[number];

/** Result of one filter of a guardrail for a request; holds no matched text. */
export const filterResultSchema = z.object({
  /** Id of the guardrail. */
  id: z.uuid(),
  action: z.enum(filterOutcomes),
  /** Slug of a built-in filter. */
  slug: z.enum(builtinSlugs).optional(),
  /** Label of a pattern, else the pattern itself, at most 256 characters. */
  label: z.string().optional(),
  side: z.enum(guardedSides),
  /** Matches. */
  count: z.int().positive(),
});
export type FilterResult = z.infer<typeof filterResultSchema>;

/** A match that a test of a guardrail found, by its place in the text: UTF-16 code units, the end not included. */
const filterMatchSchema = z.object({
  start: z.int().nonnegative(),
  end: z.int().nonnegative(),
  action: z.enum(filterOutcomes),
  slug: filterResultSchema.shape.slug,
  label: filterResultSchema.shape.label,
});

/** Result of testing a guardrail with a text or a request. */
export const guardrailTestSchema = z.object({
  /** Null where nothing matches. */
  action: z.enum(filterOutcomes).nullable(),
  /** Where something matches; for a text always the text itself. */
  places: z.array(z.object({
    /** `text`, or where in the request: `instructions`, `message 2 (user)`. */
    place: z.string(),
    /** As it would go on; null where it is blocked. */
    text: z.string().nullable(),
    /** The first 1,000. */
    matches: z.array(filterMatchSchema),
    /** Number of all matches. */
    match_count: z.int().nonnegative(),
  })),
  /** Bytes of text that were read, and parts that cannot be: images, audio, files, encrypted reasoning. */
  scanned_bytes: z.int().nonnegative(),
  unscanned_parts: z.int().nonnegative(),
  /** The service of the guardrail is not asked: what it would judge is not in the answer. Null where there is none. */
  external: z.literal("not_asked").nullable(),
});
export type GuardrailTest = z.infer<typeof guardrailTestSchema>;

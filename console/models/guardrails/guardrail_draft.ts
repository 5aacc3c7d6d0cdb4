/** A guardrail as it is typed, and the body of an operation that it makes. */

import {
  type BuiltinSlug,
  builtinSlugs,
  type DataRegion,
  dataRegions,
  type GuardrailRecord,
  isExperimental,
} from "../../../shared/guardrails.ts";
import { externalBody, type ExternalDraft, externalDraftOf } from "./external_draft.ts";
import { parseUsd, usdText } from "../money_input.ts";

/** Null in the record is `unset`. */
export type Flag = "unset" | "on" | "off";
type FilterAction = "redact" | "mask" | "block" | "flag";
export type ScanScope = "unset" | "user_only" | "all_messages";
type ResetInterval = "daily" | "weekly" | "monthly";

export const listNames = [
  "allowed_models",
  "ignored_models",
  "allowed_providers",
  "ignored_providers",
] as const;
export type ListName = typeof listNames[number];

export const zdrNames = [
  "enforce_zdr",
  "enforce_zdr_anthropic",
  "enforce_zdr_openai",
  "enforce_zdr_google",
  "enforce_zdr_xai",
  "enforce_zdr_other",
] as const;
export const trainingNames = [
  "enable_paid_model_training",
  "enable_free_model_training",
  "enable_free_model_publication",
] as const;
export const flagNames = [...zdrNames, ...trainingNames] as const;
export type FlagName = typeof flagNames[number];

export interface PatternDraft {
  /** Tells rows apart while they come and go. */
  readonly row: number;
  readonly pattern: string;
  readonly action: FilterAction;
  readonly label: string;
}

export interface BuiltinDraft {
  readonly slug: BuiltinSlug;
  readonly action: FilterAction | "off";
  readonly scope: ScanScope;
  readonly label: string;
  readonly experimental: boolean;
}

export interface GuardrailDraft {
  readonly name: string;
  readonly description: string;
  /** USD; empty for no limit, whose interval does not matter then. */
  readonly limit: string;
  readonly reset: ResetInterval;
  readonly byok: boolean;
  /** One name a line. */
  readonly lists: { readonly [N in ListName]: string };
  readonly flags: { readonly [N in FlagName]: Flag };
  readonly regions: readonly DataRegion[];
  /** Every slug at least once, in the order of the slugs. */
  readonly builtins: readonly BuiltinDraft[];
  readonly patterns: readonly PatternDraft[];
  /** One a line. */
  readonly words: string;
  readonly wordsAction: FilterAction;
  /** One a line; patterns stand between slashes. */
  readonly except: string;
  /** Null for none. */
  readonly external: ExternalDraft | null;
  /** Parts that no filter can read. */
  readonly unreadable: GuardrailRecord["unreadable"];
}

/** Settings of a guardrail; the rest of the record stands apart from them. */
export type GuardrailSettings = Omit<GuardrailRecord, "id" | "workspace_id" | "created_at" | "updated_at">;

const flagOf = (value: boolean | null): Flag => value === null ? "unset" : value ? "on" : "off";
const valueOf = (flag: Flag): boolean | null => flag === "unset" ? null : flag === "on";

const offBuiltin = (slug: BuiltinSlug): BuiltinDraft => ({
  slug,
  action: "off",
  scope: "unset",
  label: "",
  experimental: isExperimental(slug),
});

function builtinsOf({ content_filter_builtins: stored }: GuardrailSettings): readonly BuiltinDraft[] {
  return builtinSlugs.flatMap((slug): readonly BuiltinDraft[] => {
    const own = (stored ?? []).filter((filter) => filter.slug === slug);
    return own.length === 0 ? [offBuiltin(slug)] : own.map((filter) => ({
      slug,
      action: filter.action,
      scope: filter.scan_scope ?? "unset",
      label: filter.label ?? "",
      experimental: isExperimental(slug),
    }));
  });
}

const textOf = (names: readonly string[] | null) => (names ?? []).join("\n");

export function draftOf(settings: GuardrailSettings): GuardrailDraft {
  return {
    name: settings.name,
    description: settings.description ?? "",
    limit: usdText(settings.limit_usd),
    reset: settings.reset_interval ?? "monthly",
    byok: settings.include_byok_in_budgets,
    lists: {
      allowed_models: textOf(settings.allowed_models),
      ignored_models: textOf(settings.ignored_models),
      allowed_providers: textOf(settings.allowed_providers),
      ignored_providers: textOf(settings.ignored_providers),
    },
    flags: flagsOf(settings),
    regions: settings.allowed_data_regions ?? [],
    builtins: builtinsOf(settings),
    patterns: (settings.content_filters ?? []).map(({ pattern, action, label }, row) => ({
      row,
      pattern,
      action,
      label: label ?? "",
    })),
    words: textOf(settings.words),
    wordsAction: settings.words_action,
    except: textOf(settings.except?.map((one) => typeof one === "string" ? one : `/${one.pattern}/`) ?? null),
    external: externalDraftOf(settings.external),
    unreadable: settings.unreadable,
  };
}

function flagsOf(settings: GuardrailSettings): GuardrailDraft["flags"] {
  return {
    enforce_zdr: flagOf(settings.enforce_zdr),
    enforce_zdr_anthropic: flagOf(settings.enforce_zdr_anthropic),
    enforce_zdr_openai: flagOf(settings.enforce_zdr_openai),
    enforce_zdr_google: flagOf(settings.enforce_zdr_google),
    enforce_zdr_xai: flagOf(settings.enforce_zdr_xai),
    enforce_zdr_other: flagOf(settings.enforce_zdr_other),
    enable_paid_model_training: flagOf(settings.enable_paid_model_training),
    enable_free_model_training: flagOf(settings.enable_free_model_training),
    enable_free_model_publication: flagOf(settings.enable_free_model_publication),
  };
}

/** Draft of a guardrail that sets nothing. */
export const emptyDraft: GuardrailDraft = {
  name: "",
  description: "",
  limit: "",
  reset: "monthly",
  byok: false,
  lists: { allowed_models: "", ignored_models: "", allowed_providers: "", ignored_providers: "" },
  flags: {
    enforce_zdr: "unset",
    enforce_zdr_anthropic: "unset",
    enforce_zdr_openai: "unset",
    enforce_zdr_google: "unset",
    enforce_zdr_xai: "unset",
    enforce_zdr_other: "unset",
    enable_paid_model_training: "unset",
    enable_free_model_training: "unset",
    enable_free_model_publication: "unset",
  },
  regions: [],
  builtins: builtinSlugs.map(offBuiltin),
  patterns: [],
  words: "",
  wordsAction: "block",
  except: "",
  external: null,
  unreadable: "allow",
};

/** The lines of a list that hold something; null for none. */
function namesOf(text: string): string[] | null {
  const names = text.split("\n").map((name) => name.trim()).filter(Boolean);
  return names.length === 0 ? null : names;
}

function exceptionOf(line: string) {
  const isPattern = line.length > 2 && line.startsWith("/") && line.endsWith("/");
  return isPattern ? { pattern: line.slice(1, -1) } : line;
}

const orNull = (text: string): string | null => text.trim() === "" ? null : text.trim();
const listOrNull = <T>(list: T[]): T[] | null => list.length === 0 ? null : list;

/** The rows of built-in filters that are sent, in their order. */
export function sentBuiltins({ builtins }: Pick<GuardrailDraft, "builtins">): readonly BuiltinDraft[] {
  return builtins.filter(({ action }) => action !== "off");
}

function builtinBody({ slug, action, scope, label }: BuiltinDraft) {
  return action === "off" ? [] : [{
    slug,
    action,
    ...(scope === "unset" ? {} : { scan_scope: scope }),
    ...(orNull(label) === null ? {} : { label: label.trim() }),
  }];
}

/** All settings as an operation takes them. A limit that is no amount becomes NaN, which no schema takes. */
export function bodyOf(draft: GuardrailDraft) {
  const { lists, flags } = draft;
  const usd = parseUsd(draft.limit);
  return {
    name: draft.name.trim(),
    description: orNull(draft.description),
    limit_usd: usd === undefined ? Number.NaN : usd,
    reset_interval: usd === null ? null : draft.reset,
    include_byok_in_budgets: draft.byok,
    allowed_models: namesOf(lists.allowed_models),
    ignored_models: namesOf(lists.ignored_models),
    allowed_providers: namesOf(lists.allowed_providers),
    ignored_providers: namesOf(lists.ignored_providers),
    enforce_zdr: valueOf(flags.enforce_zdr),
    enforce_zdr_anthropic: valueOf(flags.enforce_zdr_anthropic),
    enforce_zdr_openai: valueOf(flags.enforce_zdr_openai),
    enforce_zdr_google: valueOf(flags.enforce_zdr_google),
    enforce_zdr_xai: valueOf(flags.enforce_zdr_xai),
    enforce_zdr_other: valueOf(flags.enforce_zdr_other),
    enable_paid_model_training: valueOf(flags.enable_paid_model_training),
    enable_free_model_training: valueOf(flags.enable_free_model_training),
    enable_free_model_publication: valueOf(flags.enable_free_model_publication),
    allowed_data_regions: listOrNull(dataRegions.filter((region) => draft.regions.includes(region))),
    content_filters: listOrNull(
      draft.patterns.map(({ pattern, action, label }) => ({ pattern, action, label: orNull(label) })),
    ),
    content_filter_builtins: listOrNull(sentBuiltins(draft).flatMap(builtinBody)),
    words: namesOf(draft.words),
    words_action: draft.wordsAction,
    except: namesOf(draft.except)?.map(exceptionOf) ?? null,
    external: externalBody(draft.external),
    unreadable: draft.unreadable,
  };
}
type GuardrailBody = ReturnType<typeof bodyOf>;

/** The fields that differ. */
export function changedFields(before: GuardrailBody, after: GuardrailBody): Partial<GuardrailBody> {
  const old = new Map<string, unknown>(Object.entries(before));
  const differs = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(old.get(name));
  return Object.fromEntries(Object.entries(after).filter(differs));
}

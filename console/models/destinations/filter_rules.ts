/** Filter rules of a destination as they are typed: groups of rules, of which each has to pass. */

import {
  filterFields,
  filterOperators,
  type FilterRule,
  type FilterRules,
} from "../../../shared/observability/records.ts";
import { numberFields } from "../../../shared/observability/tag_rule_fields.ts";
import { truncate } from "../../../shared/util/text.ts";
import { filterText } from "../../text/gateway/destinations.ts";

/** Groups, and rules of one group, that the operation takes at most. */
export const MOST_GROUPS = 10;
export const MOST_RULES = 20;

export interface RuleDraft {
  /** Tells rows apart while they are typed. */
  readonly row: number;
  readonly field: FilterRule["field"];
  readonly operator: FilterRule["operator"];
  readonly value: string;
}

type GroupLogic = FilterRules["groups"][number]["logic"];

export interface GroupDraft {
  readonly row: number;
  readonly logic: GroupLogic;
  readonly rules: readonly RuleDraft[];
}

export interface FilterDraft {
  readonly on: boolean;
  readonly groups: readonly GroupDraft[];
}

export const noFilter: FilterDraft = { on: true, groups: [] };

export const toField = (text: string): RuleDraft["field"] =>
  filterFields.find((one) => one === text) ?? "model";

export const toOperator = (text: string): RuleDraft["operator"] =>
  filterOperators.find((one) => one === text) ?? "equals";

const ofNumbers: ReadonlySet<RuleDraft["operator"]> = new Set(["gt", "lt", "gte", "lte"]);
const numberFacts: ReadonlySet<string> = new Set(numberFields);
const withoutValue: ReadonlySet<RuleDraft["operator"]> = new Set(["exists", "not_exists"]);

export const needsValue = ({ operator }: Pick<RuleDraft, "operator">): boolean => !withoutValue.has(operator);

export function filterDraftOf(rules: FilterRules | null): FilterDraft {
  if (rules === null) return noFilter;
  return {
    on: rules.enabled,
    groups: rules.groups.map((group, row) => ({
      row,
      logic: group.logic,
      rules: group.rules.map(({ field, operator, value }, place) => ({
        row: place,
        field,
        operator,
        value: String(value ?? ""),
      })),
    })),
  };
}

function ruleOf(rule: RuleDraft): FilterRule {
  const { field, operator, value } = rule;
  if (!needsValue(rule)) return { field, operator };
  return { field, operator, value: ofNumbers.has(operator) ? Number(value) : value };
}

/** As the operations take it; null where there is no rule. */
export function filterRulesOf({ on, groups }: FilterDraft): FilterRules | null {
  if (groups.length === 0) return null;
  return { enabled: on, groups: groups.map(({ logic, rules }) => ({ logic, rules: rules.map(ruleOf) })) };
}

function ruleProblem(rule: RuleDraft): string | undefined {
  if (!needsValue(rule)) return undefined;
  if (rule.value === "") return filterText.valueMissing;
  const isOfNumber = numberFacts.has(rule.field);
  if (ofNumbers.has(rule.operator) && !isOfNumber) return filterText.noNumberField;
  const isNumber = rule.value.trim() !== "" && Number.isFinite(Number(rule.value));
  return isOfNumber && rule.operator !== "regex" && !isNumber ? filterText.noNumber : undefined;
}

/** The first rule that means nothing, and why. */
export function filterProblem({ groups }: FilterDraft): string | undefined {
  const all = groups.flatMap(({ rules }, at) =>
    rules.map((rule, place) => ({ name: filterText.rule(place + 1, at + 1), problem: ruleProblem(rule) }))
  );
  const first = all.find(({ problem }) => problem !== undefined);
  return first && `${first.name} ${first.problem}`;
}

/** The rule that a path of the wire names: `filter_rules.groups[0].rules[1]`; undefined for another path. */
export function ruleAt(path: string): string | undefined {
  const [, group, rule] = /^filter_rules\.groups[[.](\d+)\]?\.rules[[.](\d+)/.exec(path) ?? [];
  if (group === undefined || rule === undefined) return undefined;
  return filterText.rule(Number(rule) + 1, Number(group) + 1);
}

/** Characters of a value that are shown. */
const SHOWN = 40;

/** In words, with nothing left out but long values. */
export function shownFilter({ on, groups }: FilterDraft): string {
  if (groups.length === 0) return filterText.none;
  const shown = groups.map(({ logic, rules }) =>
    rules.map((rule) => {
      const value = needsValue(rule) ? ` ${truncate(rule.value, SHOWN)}` : "";
      return `${filterText.fields[rule.field]} ${filterText.operators[rule.operator]}${value}`;
    }).join(filterText.joints[logic])
  ).join("; ");
  return on ? shown : `${shown} (${filterText.off})`;
}

const nextRow = (rows: readonly { readonly row: number }[]): number =>
  Math.max(-1, ...rows.map(({ row }) => row)) + 1;

const newRule = (rules: readonly RuleDraft[]): RuleDraft => ({
  row: nextRow(rules),
  field: "model",
  operator: "equals",
  value: "",
});

export const addGroup = (filter: FilterDraft): FilterDraft => ({
  ...filter,
  groups: [...filter.groups, { row: nextRow(filter.groups), logic: "and", rules: [newRule([])] }],
});

export function changeGroup(filter: FilterDraft, changed: GroupDraft): FilterDraft {
  const groups = filter.groups.map((group) => group.row === changed.row ? changed : group);
  return { ...filter, groups: groups.filter(({ rules }) => rules.length > 0) };
}

export const addRule = (group: GroupDraft): GroupDraft => ({
  ...group,
  rules: [...group.rules, newRule(group.rules)],
});

export const changeRule = (group: GroupDraft, changed: RuleDraft): GroupDraft => ({
  ...group,
  rules: group.rules.map((rule) => rule.row === changed.row ? changed : rule),
});

export const removeRule = (group: GroupDraft, row: number): GroupDraft => ({
  ...group,
  rules: group.rules.filter((rule) => rule.row !== row),
});

/** Texts of the page of tag rules. */

import type { TagRuleOperator } from "../../../shared/observability/tag_rule_fields.ts";
import { countOf } from "../../format.ts";

export const tagsText = {
  title: "Tag rules",
  newRule: "New tag rule",
  caption: "Tag rules, oldest first",
  search: "Search tag rules",
  searchHint: "Name or tag",
  unreadable: "The tag rules could not be read",
  columns: { name: "Name", workspace: "Workspace", conditions: "Conditions", state: "State" },
  on: "On",
  off: "Off",
  none: "No tag rule yet",
  noneText:
    "A tag rule looks at the fields of a receipt when it is written, such as its cost, model or user, and puts a tag on it. Requests and analytics can be narrowed to a tag.",
  notFound: "No tag rule found",
  notFoundText: "No tag rule has this search and these filters.",
  showAll: "Remove all filters",
  requests: (tag: string) => `Requests with ${tag}`,
  count: (shown: number, all: number) =>
    shown === all
      ? countOf(all, ["tag rule", "tag rules"])
      : `${shown} of ${countOf(all, ["tag rule", "tag rules"])}`,
} as const;

export const tagRuleFieldsText = {
  name: "Name",
  nameMissing: "A tag rule needs a name.",
  tag: "Tag",
  tagHint: "Up to 50 of a-z, 0-9, . _ : and -, the first of them a letter or a digit.",
  tagMissing: "A tag is needed: up to 50 of a-z, 0-9, . _ : and -, the first of them a letter or a digit.",
  workspace: "Workspace",
  enabled: "Rule is on",
  enabledHint: "A rule that is off puts no tag on the receipts that come.",
  conditions: "Conditions",
  conditionsHint: "All of them have to hold.",
  field: (number: number) => `Field ${number}`,
  operator: (number: number) => `Comparison ${number}`,
  value: (number: number) => `Value ${number}`,
  listHint: "Values with commas between them",
  add: "Add condition",
  remove: (number: number) => `Remove condition ${number}`,
  operators: {
    equals: "is",
    not_equals: "is not",
    in: "is one of",
    not_in: "is none of",
    contains: "contains",
    not_contains: "does not contain",
    starts_with: "begins with",
    ends_with: "ends with",
    gt: "is more than",
    lt: "is less than",
    gte: "is at least",
    lte: "is at most",
    exists: "is there",
    not_exists: "is missing",
  } satisfies { readonly [O in TagRuleOperator]: string },
} as const;

export const tagPanelText = {
  previous: "Previous tag rule",
  next: "Next tag rule",
  about: "Rule",
  unreadable: "The tag rule could not be read",
  notSaved: "The tag rule was not saved",
  gone: "Somebody has deleted this tag rule",
  saved: "The tag rule was saved.",
  delete: "Delete tag rule",
  title: "New tag rule",
  create: "Create tag rule",
  creating: "Creating …",
  notCreated: "The tag rule was not created",
  created: (name: string) => `Tag rule ${name} was created.`,
} as const;

export const deleteTagText = {
  title: (name: string) => `Delete tag rule ${name}`,
  text: "Receipts that are written keep their tags. It cannot be undone.",
  delete: (name: string) => `Delete tag rule ${name}`,
  deleted: (name: string) => `Tag rule ${name} was deleted.`,
  failed: "The tag rule was not deleted",
} as const;

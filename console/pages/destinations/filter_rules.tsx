/** Filter rules of a destination: groups of rules, of which each has to pass. */

import { filterFields, filterOperators } from "../../../shared/observability/records.ts";
import { SelectField, SwitchRow, TextField } from "../../components/forms/field.tsx";
import { Icon } from "../../components/icon.tsx";
import {
  addGroup,
  addRule,
  changeGroup,
  changeRule,
  type GroupDraft,
  MOST_GROUPS,
  MOST_RULES,
  needsValue,
  removeRule,
  type RuleDraft,
  toField,
  toOperator,
} from "../../models/destinations/filter_rules.ts";
import { filterText } from "../../text/gateway/destinations.ts";
import type { DestinationFieldsProps } from "./config_fields.tsx";

const fieldChoices = filterFields.map((value) => ({ value, text: filterText.fields[value] }));
const operatorChoices = filterOperators.map((value) => ({ value, text: filterText.operators[value] }));
const logicChoices = (["and", "or"] as const).map((value) => ({ value, text: filterText.logics[value] }));

interface RuleFieldsProps {
  readonly rule: RuleDraft;
  /** For screen readers: its number and that of its group. */
  readonly name: string;
  readonly disabled: boolean;
  readonly onChange: (rule: RuleDraft) => void;
  readonly onRemove: () => void;
}

function AddButton({ text, onClick }: { readonly text: string; readonly onClick: () => void }) {
  return (
    <div>
      <button type="button" class="button" onClick={onClick}>
        <Icon name="plus" />
        {text}
      </button>
    </div>
  );
}

function RuleFields({ rule, name, disabled, onChange, onRemove }: RuleFieldsProps) {
  return (
    <div class="stack-small">
      <div class="grid-2 keep">
        <SelectField
          label={filterText.field}
          ariaLabel={filterText.of(filterText.field, name)}
          choices={fieldChoices}
          value={rule.field}
          disabled={disabled}
          onChange={(field) => onChange({ ...rule, field: toField(field) })}
        />
        <SelectField
          label={filterText.operator}
          ariaLabel={filterText.of(filterText.operator, name)}
          choices={operatorChoices}
          value={rule.operator}
          disabled={disabled}
          onChange={(operator) => onChange({ ...rule, operator: toOperator(operator) })}
        />
      </div>
      <div class="with-button">
        <TextField
          label={filterText.value}
          ariaLabel={filterText.of(filterText.value, name)}
          mono
          placeholder={needsValue(rule) ? undefined : filterText.noValue}
          value={needsValue(rule) ? rule.value : ""}
          disabled={disabled || !needsValue(rule)}
          onInput={(value) => onChange({ ...rule, value })}
        />
        {!disabled && (
          <button
            type="button"
            class="button button-icon button-plain"
            aria-label={filterText.remove(name)}
            title={filterText.remove(name)}
            onClick={onRemove}
          >
            <Icon name="trash" />
          </button>
        )}
      </div>
    </div>
  );
}

function Group({ group, number, disabled, onChange }: {
  readonly group: GroupDraft;
  /** From 1. */
  readonly number: number;
  readonly disabled: boolean;
  readonly onChange: (group: GroupDraft) => void;
}) {
  return (
    <li class="stack-small">
      <SelectField
        label={filterText.group(number)}
        choices={logicChoices}
        value={group.logic}
        disabled={disabled}
        onChange={(logic) => onChange({ ...group, logic: logic === "or" ? "or" : "and" })}
      />
      {group.rules.map((rule, at) => (
        <RuleFields
          key={rule.row}
          rule={rule}
          name={filterText.rule(at + 1, number)}
          disabled={disabled}
          onChange={(changed) => onChange(changeRule(group, changed))}
          onRemove={() => onChange(removeRule(group, rule.row))}
        />
      ))}
      {!disabled && group.rules.length < MOST_RULES && (
        <AddButton
          text={filterText.addRule(number)}
          onClick={() => onChange(addRule(group))}
        />
      )}
    </li>
  );
}

export function FilterRuleFields({ draft, problems, disabled, onType }: DestinationFieldsProps) {
  const { filter } = draft;
  const hasGroups = filter.groups.length > 0;
  return (
    <fieldset class="field">
      <legend class="label">{filterText.title}</legend>
      <p class="hint">{hasGroups ? filterText.hint : filterText.noRules}</p>
      {hasGroups && (
        <SwitchRow
          label={filterText.on}
          hint={filterText.onHint}
          checked={filter.on}
          disabled={disabled}
          onChange={(on) => onType({ filter: { ...filter, on } })}
        />
      )}
      <ul class="filter-list" aria-label={filterText.title}>
        {filter.groups.map((group, at) => (
          <Group
            key={group.row}
            group={group}
            number={at + 1}
            disabled={disabled}
            onChange={(changed) => onType({ filter: changeGroup(filter, changed) })}
          />
        ))}
      </ul>
      {problems.filter !== undefined && <p class="hint hint-bad" role="alert">{problems.filter}</p>}
      {!disabled && filter.groups.length < MOST_GROUPS && (
        <AddButton
          text={filterText.addGroup}
          onClick={() => onType({ filter: addGroup(filter) })}
        />
      )}
    </fieldset>
  );
}

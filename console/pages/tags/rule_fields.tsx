/** The fields of a tag rule, in its panel and in the dialog of a new one. */

import { tagRuleFields, tagRuleOperators } from "../../../shared/observability/tag_rule_fields.ts";
import { SelectField, SwitchRow, TextField } from "../../components/forms/field.tsx";
import { Icon } from "../../components/icon.tsx";
import {
  type ConditionDraft,
  newCondition,
  type TagDraft,
  takesList,
  takesValue,
  toField,
  toOperator,
} from "../../models/tags/tag_draft.ts";
import { tagRuleFieldsText as text } from "../../text/gateway/tags.ts";

interface RuleFieldsProps {
  readonly draft: TagDraft;
  readonly problems: { readonly name?: string | undefined; readonly tag?: string | undefined };
  readonly disabled?: boolean;
  readonly type: (changes: Partial<TagDraft>) => void;
}

interface ConditionProps {
  readonly condition: ConditionDraft;
  /** From 1. */
  readonly number: number;
  readonly disabled: boolean;
  readonly change: (changes: Partial<ConditionDraft>) => void;
}

const fieldChoices = tagRuleFields.map((value) => ({ value, text: value.replaceAll("_", " ") }));
const operatorChoices = tagRuleOperators.map((value) => ({ value, text: text.operators[value] }));

function Condition({ condition, number, disabled, change }: ConditionProps) {
  return (
    <>
      <div class="grid-2 keep">
        <SelectField
          label={text.field(number)}
          choices={fieldChoices}
          value={condition.field}
          disabled={disabled}
          onChange={(field) => change({ field: toField(field) })}
        />
        <SelectField
          label={text.operator(number)}
          choices={operatorChoices}
          value={condition.operator}
          disabled={disabled}
          onChange={(operator) => change({ operator: toOperator(operator) })}
        />
      </div>
      {takesValue(condition) && (
        <TextField
          label={text.value(number)}
          hint={takesList(condition) ? text.listHint : undefined}
          value={condition.value}
          disabled={disabled}
          mono
          onInput={(value) => change({ value })}
        />
      )}
    </>
  );
}

function Conditions({ draft: { conditions }, disabled = false, type }: RuleFieldsProps) {
  const remove = (at: number) => type({ conditions: conditions.filter((_, place) => place !== at) });
  return (
    <section aria-label={text.conditions}>
      <h3>{text.conditions}</h3>
      <p class="hint">{text.conditionsHint}</p>
      {conditions.map((condition, at) => (
        <>
          <Condition
            condition={condition}
            number={at + 1}
            disabled={disabled}
            change={(changes) => type({ conditions: conditions.with(at, { ...condition, ...changes }) })}
          />
          {conditions.length > 1 && !disabled && (
            <div>
              <button type="button" class="button button-plain" onClick={() => remove(at)}>
                {text.remove(at + 1)}
              </button>
            </div>
          )}
        </>
      ))}
      {!disabled && (
        <div>
          <button
            type="button"
            class="button"
            onClick={() => type({ conditions: [...conditions, newCondition] })}
          >
            <Icon name="plus" />
            {text.add}
          </button>
        </div>
      )}
    </section>
  );
}

export function RuleFields(props: RuleFieldsProps) {
  const { draft, problems, disabled, type } = props;
  return (
    <>
      <TextField
        label={text.name}
        problem={problems.name}
        value={draft.name}
        disabled={disabled}
        onInput={(name) => type({ name })}
      />
      <TextField
        label={text.tag}
        hint={text.tagHint}
        problem={problems.tag}
        value={draft.tag}
        disabled={disabled}
        mono
        onInput={(tag) => type({ tag })}
      />
      <SwitchRow
        label={text.enabled}
        hint={text.enabledHint}
        checked={draft.enabled}
        disabled={disabled}
        onChange={(enabled) => type({ enabled })}
      />
      <Conditions {...props} />
    </>
  );
}

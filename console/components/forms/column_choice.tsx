/** A menu of a table's columns; those that have to stay are not in it. */

import type { ShownColumns } from "../../models/shown_columns.ts";
import { commonText } from "../../text/common.ts";
import { ChipMenu } from "../chip_menu.tsx";
import { Icon } from "../icon.tsx";

interface ColumnChoiceProps {
  readonly columns: readonly { readonly id: string; readonly head: string }[];
  readonly shown: ShownColumns;
}

export function ColumnChoice({ columns, shown }: ColumnChoiceProps) {
  const count = columns.filter(({ id }) => shown.isShown(id)).length;
  return (
    <ChipMenu
      label={commonText.columns}
      className={count < columns.length ? "chip-on" : undefined}
      summary={
        <>
          {commonText.columns} <b>{commonText.shownOf(count, columns.length)}</b>
          <Icon name="arrow_down" />
        </>
      }
    >
      {columns.map(({ id, head }) => (
        <label key={id}>
          <input
            class="check"
            type="checkbox"
            checked={shown.isShown(id)}
            onChange={(event) => shown.show(id, event.currentTarget.checked)}
          />
          {head}
        </label>
      ))}
    </ChipMenu>
  );
}

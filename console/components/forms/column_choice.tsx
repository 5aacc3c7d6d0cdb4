/** A menu of a table's columns; those that have to stay are not in it. */

import { useRef } from "preact/hooks";
import type { ShownColumns } from "../../models/shown_columns.ts";
import { commonText } from "../../text/common.ts";
import { Icon } from "../icon.tsx";

interface ColumnChoiceProps {
  readonly columns: readonly { readonly id: string; readonly head: string }[];
  readonly shown: ShownColumns;
}

export function ColumnChoice({ columns, shown }: ColumnChoiceProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => menu.current?.removeAttribute("open");
  const count = columns.filter(({ id }) => shown.isShown(id)).length;
  return (
    <details
      ref={menu}
      class="chip-menu"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || menu.current?.open !== true) return;
        event.stopPropagation();
        close();
        menu.current.querySelector("summary")?.focus();
      }}
      onFocusOut={(event) => {
        if (event.relatedTarget instanceof Node && !menu.current?.contains(event.relatedTarget)) close();
      }}
    >
      <summary class={`chip${count < columns.length ? " chip-on" : ""}`}>
        {commonText.columns} <b>{commonText.shownOf(count, columns.length)}</b>
        <Icon name="arrow_down" />
      </summary>
      <div class="chip-menu-list" role="group" aria-label={commonText.columns}>
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
      </div>
    </details>
  );
}

/** A menu below a chip, which Esc and a click elsewhere close. */

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

interface ChipMenuProps {
  readonly label: string;
  readonly summary: ComponentChildren;
  /** Class of the chip, beside its own. */
  readonly className?: string;
  /** A choice in the menu closes it. */
  readonly closes?: boolean;
  readonly children: ComponentChildren;
}

export function ChipMenu({ label, summary, className, closes = false, children }: ChipMenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => menu.current?.removeAttribute("open");
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
      <summary class={className === undefined ? "chip" : `chip ${className}`}>{summary}</summary>
      <div class="chip-menu-list" role="group" aria-label={label} onClick={closes ? close : undefined}>
        {children}
      </div>
    </details>
  );
}

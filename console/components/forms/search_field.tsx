/** The search box of a list: `/` puts the cursor there. */

import { useRef } from "preact/hooks";
import { Icon } from "../icon.tsx";
import { useKeys } from "../use_keys.ts";

/** True where a key types into a field. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

export function SearchField({ label, placeholder, value, onInput }: {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  useKeys((event) => {
    if (event.key !== "/" || isTyping(event.target) || document.querySelector("dialog[open]") !== null) {
      return;
    }
    event.preventDefault();
    input.current?.focus();
  });
  return (
    <div class="with">
      <Icon name="search" />
      <input
        ref={input}
        class="input"
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}

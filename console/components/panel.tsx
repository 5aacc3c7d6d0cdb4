/** Detail beside the list: docked from 1,200 px, over it below, the whole screen under 720 px. Esc closes it. */

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { commonText } from "../text/common.ts";
import { Icon } from "./icon.tsx";
import { useKeys } from "./use_keys.ts";

interface PanelProps {
  readonly title: string;
  /** Below the title: state, owner, id. */
  readonly about?: ComponentChildren;
  /** Buttons of the head, before the one that closes. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly foot?: ComponentChildren;
  readonly wide?: boolean;
  /** The rows before and behind, where there are any: buttons, and Alt with the arrow keys. */
  readonly onPrevious?: () => void;
  readonly onNext?: () => void;
  readonly names: { readonly previous: string; readonly next: string };
  readonly onClose: () => void;
}

function usePanelKeys({ onPrevious, onNext, onClose }: PanelProps): void {
  const press = (event: KeyboardEvent) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]") !== null) return;
    if (event.key === "Escape") onClose();
    else if (event.altKey && event.key === "ArrowUp") onPrevious?.();
    else if (event.altKey && event.key === "ArrowDown") onNext?.();
    else return;
    event.preventDefault();
  };
  useKeys(press, [onPrevious, onNext, onClose]);
}

export function Panel(props: PanelProps) {
  const { title, about, actions, children, foot, wide = false, onPrevious, onNext, names, onClose } = props;
  const id = useId();
  const head = useRef<HTMLHeadingElement>(null);
  usePanelKeys(props);
  useLayoutEffect(() => head.current?.focus(), [title]);
  return (
    <aside class={`panel${wide ? " panel-wide" : ""}`} aria-labelledby={id}>
      <header class="panel-head">
        <div class="row">
          <h2 id={id} ref={head} tabIndex={-1}>{title}</h2>
          <span class="push row">
            <PanelButton icon="arrow_up" label={names.previous} onClick={onPrevious} />
            <PanelButton icon="arrow_down" label={names.next} onClick={onNext} />
            {actions}
            <PanelButton icon="close" label={commonText.close} onClick={onClose} />
          </span>
        </div>
        {about !== undefined && <div class="row row-wrap small">{about}</div>}
      </header>
      {/* What only shows texts and locked fields is scrolled by keyboard, too. */}
      <div class="panel-body" tabIndex={0}>{children}</div>
      {foot !== undefined && <footer class="panel-foot">{foot}</footer>}
    </aside>
  );
}

function PanelButton({ icon, label, onClick }: {
  readonly icon: "arrow_up" | "arrow_down" | "close";
  readonly label: string;
  readonly onClick: (() => void) | undefined;
}) {
  return (
    <button
      type="button"
      class="button button-icon button-plain"
      aria-label={label}
      title={label}
      disabled={onClick === undefined}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

/** A remark inside a dialog, a panel or a form. */

import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

const signs = { good: "good", warn: "alert", bad: "stop", plain: "clock" } as const satisfies Record<
  string,
  IconName
>;

interface CalloutProps {
  readonly tone: keyof typeof signs;
  readonly icon?: IconName;
  /** Read out as soon as it appears. */
  readonly live?: "status" | "alert";
  readonly children: ComponentChildren;
}

export function Callout({ tone, icon = signs[tone], live, children }: CalloutProps) {
  return (
    <div class={`callout${tone === "plain" ? "" : ` callout-${tone}`}`} role={live}>
      <Icon name={icon} />
      <div>{children}</div>
    </div>
  );
}

/** Shows what the gateway has refused, and why; nothing where it has not. */
export function Refusal({ title, error }: { readonly title: string; readonly error: Error | undefined }) {
  if (error === undefined) return null;
  return (
    <Callout tone="bad" live="alert">
      <b>{title}</b>
      <p class="soft">{error.message}</p>
    </Callout>
  );
}

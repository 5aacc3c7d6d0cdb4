/** How something stands: sign and word together, so that colour is never the only sign. */

import { Icon, type IconName, type Tone } from "./icon.tsx";

const signs: { readonly [T in Tone]: IconName } = {
  good: "good",
  warn: "alert",
  bad: "stop",
  off: "disabled",
};

interface StatusProps {
  readonly tone: Tone;
  readonly text: string;
  /** Another sign than that of the tone. */
  readonly icon?: IconName;
}

export function Status({ tone, text, icon = signs[tone] }: StatusProps) {
  return (
    <span class={`status is-${tone}`}>
      <Icon name={icon} />
      <span>{text}</span>
    </span>
  );
}

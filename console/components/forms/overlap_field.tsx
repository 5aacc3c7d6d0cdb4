/** How long the old text of a key works beside the new one. */

import { rotateText } from "../../text/keys.ts";
import { SelectField } from "./field.tsx";

const choices = (["0", "3600", "86400", "604800"] as const).map((value) => ({
  value: String(value),
  text: rotateText.choices[value],
}));

/** Seconds that are chosen at first. */
export const USUAL_OVERLAP = "3600";

export function OverlapField({ value, onChange }: {
  /** Seconds. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <SelectField
      label={rotateText.overlap}
      hint={rotateText.overlapHint}
      choices={choices}
      value={value}
      onChange={onChange}
    />
  );
}

/** Borders of texts that are read as one, and what is found over them. */

import { MAX_ESCAPE } from "../../../guardrails/builtins/json_escapes.ts";
import type { ReplacedMatch } from "../../../guardrails/replaced_matches.ts";
import type { TextMatch } from "../../../guardrails/text_filter.ts";

export interface Border {
  readonly at: number;
  /** An escape may go on behind it: what follows is read with other characters before it than alone. */
  readonly isCut: boolean;
}

export const borderBehind = (text: string): Border => ({
  at: text.length,
  isCut: /\\(?:u[\dA-Fa-f]{0,3})?$/.test(text.slice(-8)),
});

export const isOver = ({ at, isCut }: Border, { start, end }: TextMatch): boolean =>
  start < at ? at < end : isCut && start < at + MAX_ESCAPE;

export const movedBy = (offset: number, match: ReplacedMatch): ReplacedMatch => ({
  ...match,
  start: match.start + offset,
  end: match.end + offset,
});

/** Behind it, nothing is found over the border. */
export const reachOf = (border: Border | undefined): number =>
  border === undefined ? 0 : border.at + (border.isCut ? MAX_ESCAPE : 0);

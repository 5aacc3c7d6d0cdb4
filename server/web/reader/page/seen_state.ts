/** Whether the text of an element is seen, by the element's own attributes and those of the elements around it. */

import { isUnseen } from "./element_kinds.ts";
import { areTooSmall, ownStyleOf, USUAL_LETTERS } from "./hiding_styles.ts";
import type { StartTag } from "./page_tokens.ts";

export interface SeenState {
  /** Nothing of it is seen, whatever the elements within say. */
  readonly isUnseen: boolean;
  /** The same, because the page hides it. */
  readonly isHidden: boolean;
  /** Elements within can undo it, as they can the color and the pixels of letters. */
  readonly isInvisible: boolean;
  readonly isTransparent: boolean;
  readonly letters: number;
}

export const fullySeen: SeenState = {
  isUnseen: false,
  isHidden: false,
  isInvisible: false,
  isTransparent: false,
  letters: USUAL_LETTERS,
};

/** Makes the state of an element within another. A page that is hidden as a whole waits for its scripts: it is read. */
export function seenWithin(around: SeenState, tag: StartTag): SeenState {
  const { name, attributes } = tag;
  if (name === "html" || name === "body") return around;
  const written = attributes.get("style");
  const own = written === undefined ? undefined : ownStyleOf(written);
  const isGone = own?.isGone === true || attributes.has("hidden") && own?.isDisplayed !== true;
  return {
    isUnseen: around.isUnseen || isGone || isUnseen(tag),
    isHidden: around.isHidden || isGone,
    isInvisible: own?.isInvisible ?? around.isInvisible,
    isTransparent: own?.isTransparent ?? around.isTransparent,
    letters: own?.letters?.(around.letters) ?? around.letters,
  };
}

/** Whether a picture is seen there. */
export const isPictureSeen = (state: SeenState): boolean => !state.isUnseen && !state.isInvisible;

export const isTextSeen = (state: SeenState): boolean =>
  isPictureSeen(state) && !state.isTransparent && !areTooSmall(state.letters);

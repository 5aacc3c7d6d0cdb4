/** Keeps the end of a conversation in sight while it grows, unless somebody has gone back in it. */

import { type RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Pixels from the end that still count as being there. */
const NEAR = 120;

const beyond = (talk: HTMLElement): number => talk.getBoundingClientRect().bottom - innerHeight;

/** `isNew` changes with every message that is sent: then the end is shown in any case. */
export function useFollow(isNew: number): RefObject<HTMLDivElement | null> {
  const talk = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const shown = talk.current;
    if (shown === null) return;
    const note = () => {
      isAtEnd.current = beyond(shown) < NEAR;
    };
    const follow = () => {
      if (isAtEnd.current && beyond(shown) > 0) scrollBy(0, beyond(shown));
    };
    const growth = new ResizeObserver(follow);
    growth.observe(shown);
    addEventListener("scroll", note, { passive: true });
    return () => {
      growth.disconnect();
      removeEventListener("scroll", note);
    };
  }, []);
  useEffect(() => {
    if (isNew > 0) isAtEnd.current = true;
  }, [isNew]);
  return talk;
}

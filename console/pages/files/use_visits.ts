/** How often a part of a page was opened: a list that was left begins anew when it is opened again. */

import { useRef } from "preact/hooks";

export function useVisits(isShown: boolean): number {
  const state = useRef({ isShown: false, visits: 0 });
  if (isShown && !state.current.isShown) state.current.visits++;
  state.current.isShown = isShown;
  return state.current.visits;
}

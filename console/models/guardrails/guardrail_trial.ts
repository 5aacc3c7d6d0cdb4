/** Tests a guardrail on a text, and marks where in the text its filters match. */

import { signal } from "@preact/signals";
import type { GuardrailTest, TestDirection } from "../../../shared/guardrails.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import { toError } from "../../resource.ts";

const testGuardrail = operation<"guardrails.test">("POST", "/guardrails/:id/test");

export type FilterMatch = GuardrailTest["places"][number]["matches"][number];

/** A stretch of a text with the matches that cover it; none for what lies between them. */
export interface TextSegment {
  readonly text: string;
  readonly matches: readonly FilterMatch[];
  /** Matches that end with it. */
  readonly ending: readonly FilterMatch[];
}

/** Cuts a text where matches begin and end, so that each stretch has one set of matches. */
export function segmentsOf(text: string, matches: readonly FilterMatch[]): readonly TextSegment[] {
  const inside = (at: number) => Math.min(Math.max(0, at), text.length);
  const cuts = new Set([
    0,
    text.length,
    ...matches.flatMap(({ start, end }) => [inside(start), inside(end)]),
  ]);
  const places = [...cuts].sort((one, other) => one - other);
  const sorted = matches.toSorted((one, other) => one.start - other.start);
  let begun = 0;
  let open: readonly FilterMatch[] = [];
  return places.slice(0, -1).map((from, at): TextSegment => {
    const to = places[at + 1] ?? text.length;
    const first = begun;
    while ((sorted[begun]?.start ?? Infinity) <= from) begun++;
    open = [...open, ...sorted.slice(first, begun)].filter(({ end }) => end > from);
    const ending = open.filter(({ end }) => inside(end) === to);
    return { text: text.slice(from, to), matches: open, ending };
  });
}

interface Tested {
  /** The text that the places of the matches are in, whatever was typed since. */
  readonly text: string;
  readonly result: GuardrailTest;
}

export class GuardrailTrialModel {
  readonly #deps: { readonly api: Pick<ConsoleApi, "call">; readonly id: string };
  readonly text = signal("");
  readonly direction = signal<TestDirection>("input");
  readonly running = signal(false);
  readonly tested = signal<Tested | undefined>(undefined);
  readonly refusal = signal<Error | undefined>(undefined);

  constructor(deps: { readonly api: Pick<ConsoleApi, "call">; readonly id: string }) {
    this.#deps = deps;
  }

  async run(): Promise<void> {
    const { api, id } = this.#deps;
    const [text, direction] = [this.text.value, this.direction.value];
    if (text === "" || this.running.value) return;
    this.running.value = true;
    this.refusal.value = undefined;
    try {
      const { data } = await api.call(testGuardrail, { params: { id }, body: { text, direction } });
      this.tested.value = { text, result: data };
    } catch (error) {
      this.tested.value = undefined;
      this.refusal.value = toError(error);
    } finally {
      this.running.value = false;
    }
  }
}

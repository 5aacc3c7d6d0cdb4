/** Has the inputs of a request judged: in calls of a bounded size, some at a time, all within one time. */

import type { ModerationService } from "./moderation_service.ts";
import type { ModerationInput } from "./wires/wire.ts";
import { moderationWire } from "./wires/mod.ts";
import type { AbortSignalLike } from "../../../providers/upstream/call_abort.ts";

/** Calls under way at the same time. */
const CALLS_AT_ONCE = 4;
/** UTF-16 units of the texts of one call; a longer text goes alone. */
const CHARS_AT_ONCE = 64_000;

export type Judgement =
  | { readonly type: "passed" }
  | { readonly type: "flagged"; readonly input: ModerationInput; readonly reasons: readonly string[] }
  /** Some input has no verdict, and none was flagged. */
  | { readonly type: "failed"; readonly error: unknown };

interface Judging {
  readonly service: ModerationService;
  /** Fires when the time is over, or the client has gone. */
  readonly signal: AbortSignalLike;
  /** The service has answered a call. */
  readonly onAnswer: () => void;
  /** Told of every input that may go on. */
  readonly onPassed: (input: ModerationInput) => void;
}

/** The inputs of each call. */
export function moderationCalls(
  inputs: readonly ModerationInput[],
  { textsAtOnce }: { readonly textsAtOnce: number },
): readonly (readonly ModerationInput[])[] {
  const calls: ModerationInput[][] = [];
  let open: { readonly inputs: ModerationInput[]; chars: number } | undefined;
  for (const input of inputs) {
    if (input.type === "image") {
      calls.push([input]);
      continue;
    }
    const { length } = input.text;
    if (open === undefined || open.inputs.length >= textsAtOnce || open.chars + length > CHARS_AT_ONCE) {
      open = { inputs: [], chars: 0 };
      calls.push(open.inputs);
    }
    open.inputs.push(input);
    open.chars += length;
  }
  return calls;
}

/** Makes every call, so that what is flagged is told also where another call fails. */
export async function judgeInputs(
  calls: readonly (readonly ModerationInput[])[],
  judging: Judging,
): Promise<Judgement> {
  const left = calls.values();
  const found: Judgement[] = [];
  const work = async () => {
    for (const inputs of left) {
      const judgement = await judgeCall(inputs, judging);
      if (judgement.type === "passed") continue;
      found.push(judgement);
      if (judgement.type === "flagged" || judging.signal.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(CALLS_AT_ONCE, calls.length) }, work));
  return found.find(({ type }) => type === "flagged") ?? found[0] ?? { type: "passed" };
}

async function judgeCall(
  inputs: readonly ModerationInput[],
  { service, signal, onAnswer, onPassed }: Judging,
): Promise<Judgement> {
  const { renderCall, parseReply } = moderationWire(service.wire);
  try {
    const reply = await service.ask(renderCall(inputs, service), signal);
    onAnswer();
    const verdicts = parseReply(reply, { count: inputs.length, settings: service });
    for (const [at, input] of inputs.entries()) {
      const reasons = verdicts[at];
      if (reasons !== undefined && reasons.length > 0) return { type: "flagged", input, reasons };
    }
    if (inputs.some((_, at) => verdicts[at] === undefined)) throw new Error("An input has no verdict");
    inputs.forEach(onPassed);
    return { type: "passed" };
  } catch (error) {
    return { type: "failed", error };
  }
}

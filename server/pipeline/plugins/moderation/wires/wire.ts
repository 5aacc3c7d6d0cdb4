/** The interface of a way to ask for verdicts. Types only. */

import type { JudgeSettings, ModerationCall } from "../moderation_service.ts";

/** One text, or one image by its address, which may be a data URL. */
export type ModerationInput =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly url: string };

/** Categories for which an input is flagged, by the service's names; empty: it may go on. */
export type Verdict = readonly string[];

export interface ModerationWire {
  readonly readsImages: boolean;
  /** Texts that one call judges; an image goes alone. */
  readonly textsAtOnce: number;
  renderCall(inputs: readonly ModerationInput[], settings: JudgeSettings): ModerationCall;
  /**
   * One verdict for each input. Throws for everything that is no verdict, but where an input is flagged; then undefined
   * stands for those without one.
   */
  parseReply(reply: unknown, input: ReplyInput): readonly (Verdict | undefined)[];
}

export interface ReplyInput {
  /** Inputs of the call. */
  readonly count: number;
  readonly settings: JudgeSettings;
}

/** `moderation`: has what a request sends judged before the first model call, and blocks what is flagged. */

import { ApiError } from "../../../../shared/errors.ts";
import type { RequestContext } from "../../request_context.ts";
import type { PluginDefinition, PluginDeps, PluginFault } from "../plugin.ts";
import { callForPlugin } from "../plugin_call.ts";
import { pluginNote } from "../plugin_note.ts";
import type { PluginOptions } from "../plugin_use.ts";
import type { Judgement } from "./judge_inputs.ts";
import type { ModeratedInputs, Moderator } from "./moderator.ts";
import type { ModerationService } from "./moderation_service.ts";

const ID = "moderation";
/** All calls of a request. */
export const TIME_MS = 5_000;
export const SHOWN_CHARACTERS = 100;
const SHOWN_REASONS = 50;

const missing = "needs a moderation service: set moderation in the configuration file";

export const moderation: PluginDefinition<PluginOptions<typeof ID>> = {
  check: ({ locked }, { deps: { moderator } }): PluginFault | undefined => {
    if (moderator !== undefined) return undefined;
    return locked ? { message: missing, kind: "unavailable" } : { message: missing };
  },
  stage: (_use, deps) => (next) => async (context) => {
    const { moderator } = deps;
    if (moderator !== undefined) await moderate(context, { deps, moderator });
    return await next(context);
  },
  purchases: async (_use, { request, deps: { moderator, clock } }) => {
    if (moderator === undefined) return undefined;
    return { cost: moderator.costOf(await moderator.read(request, clock)), isOptional: false };
  },
  explain: (_use, { deps: { moderator } }) =>
    moderator === undefined
      ? missing
      : `ask ${moderator.service.name} (${moderator.service.model}) whether the input may go on`,
};

interface Moderating {
  readonly deps: PluginDeps;
  readonly moderator: Moderator;
}

/** Rejects with an ApiError where the request may not go on. */
async function moderate(context: RequestContext, { deps, moderator }: Moderating): Promise<void> {
  const inputs = await moderator.read(context.request, deps.clock);
  if (inputs.unread > 0) {
    context.record.addNote(
      "The plugin moderation did not judge all: images, sounds and files were left out.",
    );
  }
  if (inputs.calls.length === 0) return;
  const judgement = await judged(context, { deps, moderator, inputs });
  if (judgement.type === "flagged") throw flaggedError(context, { judgement, service: moderator.service });
  if (judgement.type === "passed") return;
  moderator.logFailure(judgement.error, deps);
  const message = "got no verdict of its service";
  if (moderator.service.fail === "closed") throw new ApiError("unavailable", `The plugin ${ID} ${message}.`);
  context.record.addNote(pluginNote(ID, message));
}

/** Time that is over is no verdict; that the client has gone, or the gateway stops, ends the request. */
async function judged(
  context: RequestContext,
  { deps, moderator, inputs }: Moderating & { readonly inputs: ModeratedInputs },
): Promise<Judgement> {
  try {
    return await callForPlugin(context, {
      deps,
      id: ID,
      ms: TIME_MS,
      isFailed: ({ type }) => type === "failed",
      work: async (call) => {
        const judgement = await moderator.judge(inputs, call);
        if (judgement.type === "failed") call.signal.throwIfAborted();
        return judgement;
      },
    });
  } catch (error) {
    const isOver = context.clientDisconnect.fired || deps.stop.fired;
    if (isOver || !(error instanceof ApiError) || error.kind !== "timeout") throw error;
    return { type: "failed", error };
  }
}

interface Flagged {
  readonly judgement: Extract<Judgement, { type: "flagged" }>;
  readonly service: ModerationService;
}

function flaggedError(
  { record }: RequestContext,
  { judgement: { input, reasons: all }, service: { name, model } }: Flagged,
): ApiError {
  const reasons = all.slice(0, SHOWN_REASONS);
  record.addStage({
    type: "guardrail",
    name: ID,
    summary: `${name} flagged the input.`,
    data: { flagged: true, reasons, provider_name: name, model_slug: model },
  });
  return new ApiError("blocked", `The plugin ${ID} blocked the request: ${name} flagged its input.`, {
    metadata: {
      reasons,
      flagged_input: cutInMiddle(input.type === "text" ? input.text : input.url),
      provider_name: name,
      model_slug: model,
    },
  });
}

/** At most so many characters: the beginning and the end. */
function cutInMiddle(text: string): string {
  const characters = [...text];
  if (characters.length <= SHOWN_CHARACTERS) return text;
  const half = Math.floor((SHOWN_CHARACTERS - 1) / 2);
  return [...characters.slice(0, half), "…", ...characters.slice(-half)].join("");
}

/** Runs one call of a server tool: whatever goes wrong is a result that the model can read. */

import { ApiError } from "../../../shared/errors.ts";
import { cutMiddleBytes, truncateStart } from "../../../shared/util/text.ts";
import { isDeepJson, MOST_LEVELS, parseCallArguments } from "../../protocols/canonical/call_arguments.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import { failedCall, type ToolDefinition, type ToolInput, type ToolOutcome } from "./tool_definition.ts";

export interface ToolRunOptions extends Omit<ToolInput, "args"> {
  /** JSON text, as the model wrote it. */
  readonly text: string;
  /** Resolves, with the reason for the model, when the tool has to end. */
  readonly ended: Promise<string>;
}

/** Bytes of UTF-8 that the model is given. */
const MOST = 64 * 1024;
/** Result of a faulty tool for the model; the error itself is for the log. */
const FAULT = "The tool failed.";

interface ToolRun {
  readonly outcome: ToolOutcome;
  /** Error of a tool that failed by a fault of the gateway's. */
  readonly fault?: unknown;
}

/** Bytes of UTF-8 that the arguments of a call may have. */
const MOST_ARGUMENTS = 1024 * 1024;
/** UTF-16 units of arguments that nobody can read, as the model is shown them. */
const SHOWN_ARGUMENTS = 1_000;

/** The arguments of a call; a string says what is wrong with them. */
export function parseArguments(definition: ToolDefinition, text: string): JsonObject | string {
  const args = readArguments(text);
  return typeof args === "string" ? args : definition.check?.(args) ?? args;
}

function readArguments(text: string): JsonObject | string {
  if (isLongerThan(text, MOST_ARGUMENTS)) return "The arguments have more than 1 MiB.";
  return parseCallArguments(text) ??
    (isDeepJson(text)
      ? `The arguments are nested more than ${MOST_LEVELS} levels deep.`
      : "The arguments are not a JSON object.");
}

const isLongerThan = (text: string, bytes: number): boolean =>
  text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);

/** Result for arguments that nobody can read: providers get them back as an object with the text in it. */
function unreadableCall(reason: string, { definition, text, settings }: Unreadable): ToolOutcome {
  const shown = truncateStart(text, SHOWN_ARGUMENTS);
  return {
    ...failedCall(reason, { ...definition.itemFields({}, settings), ...definition.failedFields?.(reason) }),
    output: JSON.stringify({ error: reason, arguments: shown }),
  };
}

interface Unreadable {
  readonly definition: ToolDefinition;
  readonly settings: JsonObject;
  readonly text: string;
}

/** Never rejects. The output is within its limit. */
export async function runTool(definition: ToolDefinition, options: ToolRunOptions): Promise<ToolRun> {
  const { text, ended, ...input } = options;
  const read = readArguments(text);
  if (typeof read === "string") {
    return { outcome: unreadableCall(read, { definition, text, settings: input.settings }) };
  }
  const args = parseArguments(definition, text);
  if (typeof args === "string") {
    const fields = { ...definition.itemFields({}, input.settings), ...definition.failedFields?.(args) };
    return { outcome: failedCall(args, fields) };
  }
  const fields = definition.itemFields(args, input.settings);
  const failed = (reason: string): ToolOutcome =>
    failedCall(reason, { ...fields, error: reason, ...definition.failedFields?.(reason) });
  try {
    const running = Promise.try(() => definition.run?.({ ...input, args }));
    const cut = (reason: string): ToolOutcome =>
      failedCall(reason, { ...failed(reason).fields, ...definition.endedFields });
    const outcome = await Promise.race([running, ended.then(cut)]);
    if (outcome === undefined) return { outcome: failed(FAULT) };
    return {
      outcome: {
        ...outcome,
        fields: { ...fields, ...outcome.fields },
        output: cutMiddleBytes(outcome.output, MOST),
      },
    };
  } catch (error) {
    if (error instanceof ApiError) return { outcome: failed(error.message) };
    return { outcome: failed(FAULT), fault: error };
  }
}

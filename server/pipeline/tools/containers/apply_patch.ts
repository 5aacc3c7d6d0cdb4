/**
 * Patches of files: the model writes them, the gateway checks their form, the client applies them and says what came of
 * it. With the engine `container` the gateway applies them, to the files of the container of the session.
 */

import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { HostedTool } from "../../../protocols/canonical/request.ts";
import {
  type ChangedFile,
  type Container,
  EditError,
  type FileTarget,
} from "../../../sandbox/containers/containers.ts";
import { citedFiles, openContainer, SWITCH_ON } from "./container_call.ts";
import { knowsOpenAiTools } from "./openai_models.ts";
import {
  failedCall,
  textOf,
  type ToolDefinition,
  type ToolInput,
  type ToolOutcome,
} from "../tool_definition.ts";
import { checkDiff, createByPatch, PatchError, updateByPatch } from "./v4a_patch.ts";

const types = ["create_file", "update_file", "delete_file"] as const;

const parameters = {
  type: "object",
  properties: {
    type: { type: "string", enum: types },
    path: { type: "string", description: "Path of the file." },
    diff: { type: "string", description: "A V4A diff. Left out to delete a file." },
  },
  required: ["type", "path"],
  additionalProperties: false,
} as const;

const native: HostedTool = {
  type: "hosted",
  wire: "responses",
  kind: "apply_patch",
  value: { type: "apply_patch" },
};

export const applyPatch: ToolDefinition = {
  kind: "apply_patch",
  hosted: { types: ["apply_patch"], itemType: "apply_patch_call" },
  whenKnown: ({ containers }) => containers.ready,
  describe: () => ({
    description:
      "Creates, changes or deletes one file. The diff is in the V4A format: lines that begin with " +
      "a space, + or -, in hunks that begin with @@.",
    parameters,
  }),
  nativeAt: ({ provider, upstreamModel }, { engine }) => {
    if (provider.wire !== "responses" || engine === "openrouter" || engine === "container") return undefined;
    return engine === "native" || (provider.builtIn !== true && knowsOpenAiTools(upstreamModel))
      ? native
      : undefined;
  },
  itemFields: (args) => {
    const operation = operationOf(args);
    return operation === undefined ? {} : { operation };
  },
  failedStatus: "incomplete",
  argumentsOf: ({ operation }) => isRecord(operation) ? operation : undefined,
  check: faultOf,
  isAvailable: ({ settings, deps: { containers } }) =>
    !runsHere(settings) || containers.unavailableReason === undefined,
  switchOn: SWITCH_ON,
  runsHere,
  run,
};

function runsHere({ engine }: JsonObject): boolean {
  return engine === "container";
}

async function run(input: ToolInput): Promise<ToolOutcome> {
  const { args, signal } = input;
  const { type, path, diff } = args;
  const [file, patch] = [textOf(path), typeof diff === "string" ? diff : ""];
  if (file === undefined) return failedCall("path: it is missing.");
  try {
    const container = await openContainer(input);
    const files = await applied(container, { type, target: { path: file, signal }, patch });
    const report = { status: "completed", container_id: container.id };
    return { output: JSON.stringify(report), fields: { files: citedFiles(container.id, files) } };
  } catch (error) {
    if (error instanceof PatchError) return failedCall(`diff: ${error.message}`);
    if (!(error instanceof EditError)) throw error;
    return failedCall(error.field === undefined ? error.message : `${error.field}: ${error.message}`);
  }
}

interface Patch {
  readonly type: unknown;
  readonly target: FileTarget;
  readonly patch: string;
}

/** Throws an EditError or a PatchError, and changes nothing then. */
async function applied(
  container: Container,
  { type, target, patch }: Patch,
): Promise<readonly ChangedFile[]> {
  if (type === "create_file") return await container.create({ ...target, text: createByPatch(patch) });
  if (type === "update_file") {
    return await container.update({ ...target, edit: (text) => updateByPatch(text, patch) });
  }
  await container.delete(target);
  return [];
}

/** Names the field that is wrong; undefined where none is. */
function faultOf(args: JsonObject): string | undefined {
  const { type, path, diff } = args;
  if (!types.some((known) => known === type)) return `type: it is not one of ${types.join(", ")}.`;
  if (textOf(path) === undefined) return "path: it is missing.";
  if (type === "delete_file") return undefined;
  if (typeof diff !== "string") return "diff: it is missing.";
  const fault = checkDiff(type === "create_file" ? "create_file" : "update_file", diff);
  return fault === undefined ? undefined : `diff: ${fault}`;
}

/** Undefined for arguments that say nothing that can be done. */
function operationOf({ type, path, diff }: JsonObject): JsonObject | undefined {
  const file = textOf(path);
  if (file === undefined) return undefined;
  if (type === "delete_file") return { type, path: file };
  if ((type !== "create_file" && type !== "update_file") || typeof diff !== "string") return undefined;
  return { type, path: file, diff };
}

/** The preset operations (docs/presets.md). */

import * as z from "zod";
import { chatRequest } from "../../chat/request.ts";
import { messagesRequest } from "../../messages/request.ts";
import { responseRequest } from "../../responses/request.ts";
import { presetCacheShape } from "../../presets/caching.ts";
import { presetSchema, presetStatuses, presetVersionSchema } from "../../presets/records.ts";
import { deletedSchema, type ManagementOperation, pageQuery, workspaceQuery } from "../operation.ts";

const requested = { who: ["management"], errors: "other" } as const;
const query = z.object({ workspace_id: workspaceQuery });
const one = z.object({ data: presetSchema.extend({ designated_version: presetVersionSchema }) });

/** Bodies of requests without what they need to be sent; what presets do not keep of it is not looked at. */
const anyList = z.unknown().optional();
const chatBody = chatRequest.extend({ messages: anyList, ...presetCacheShape });
const responsesBody = responseRequest.extend({ input: anyList, ...presetCacheShape });
const messagesBody = messagesRequest.extend({
  messages: anyList,
  max_tokens: messagesRequest.shape.max_tokens.nullish(),
  ...presetCacheShape,
});

const saved = { ...requested, method: "POST", verb: "save preset", query, output: one } as const;

export const presetApi = {
  "presets.list": {
    ...requested,
    method: "GET",
    path: "/presets",
    summary: "Lists the presets of all workspaces or of one, those changed last first.",
    verb: "list presets",
    query: z.object({ ...pageQuery, workspace_id: workspaceQuery }),
    output: z.object({ data: z.array(presetSchema), total_count: z.int() }),
  },
  "presets.get": {
    ...requested,
    method: "GET",
    path: "/presets/:slug",
    summary: "Shows a preset with its newest version.",
    verb: "show preset",
    query,
    output: one,
  },
  "presets.save.chat": {
    ...saved,
    path: "/presets/:slug/chat/completions",
    body: chatBody,
    summary: "Saves a preset, or a new version of one, from the body of a chat completion.",
  },
  "presets.save.responses": {
    ...saved,
    path: "/presets/:slug/responses",
    body: responsesBody,
    summary: "Saves a preset, or a new version of one, from the body of a response.",
  },
  "presets.save.messages": {
    ...saved,
    path: "/presets/:slug/messages",
    body: messagesBody,
    summary: "Saves a preset, or a new version of one, from the body of a message.",
  },
  "presets.update": {
    ...requested,
    method: "PATCH",
    path: "/presets/:slug",
    summary: "Changes the name, the description or the status of a preset.",
    verb: "update preset",
    query,
    body: z.strictObject({
      name: z.string().min(1).max(200).optional(),
      description: z.string().max(1_000).nullable().optional(),
      status: z.enum(presetStatuses).optional(),
    }),
    output: one,
  },
  "presets.delete": {
    ...requested,
    method: "DELETE",
    path: "/presets/:slug",
    summary: "Deletes a preset with all of its versions.",
    verb: "delete preset",
    query,
    output: deletedSchema,
  },
  "presets.versions.list": {
    ...requested,
    method: "GET",
    path: "/presets/:slug/versions",
    summary: "Lists the versions of a preset, oldest first.",
    verb: "list versions",
    query: z.object({ ...pageQuery, workspace_id: workspaceQuery }),
    output: z.object({ data: z.array(presetVersionSchema), total_count: z.int() }),
  },
  "presets.versions.get": {
    ...requested,
    method: "GET",
    path: "/presets/:slug/versions/:version",
    summary: "Shows one version of a preset.",
    verb: "show version",
    query,
    output: z.object({ data: presetVersionSchema }),
  },
} as const satisfies Record<string, ManagementOperation>;

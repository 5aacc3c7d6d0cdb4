/** Schemas that have a name of their own in the API document, so that clients made of it have types of these names. */

import * as z from "zod";
import { byokRecordSchema } from "../../../shared/byok.ts";
import { chatMessage } from "../../../shared/chat/messages.ts";
import { chatRequest } from "../../../shared/chat/request.ts";
import { chatTool } from "../../../shared/chat/tools.ts";
import { containerFileSchema } from "../../../shared/containers.ts";
import { providerPreferences, stopCondition, trace } from "../../../shared/fields/gateway_preferences.ts";
import { jsonObject } from "../../../shared/fields/primitives.ts";
import { fileSchema } from "../../../shared/files.ts";
import { guardrailRecordSchema } from "../../../shared/guardrails.ts";
import { keyDetailsSchema, keyRecordSchema } from "../../../shared/keys.ts";
import { analyticsQuerySchema } from "../../../shared/management/analytics.ts";
import { auditRowSchema } from "../../../shared/management/audit.ts";
import { connectClientSchema } from "../../../shared/management/clients.ts";
import { listedKeySchema } from "../../../shared/management/keys.ts";
import { managementKeySchema } from "../../../shared/management/management_keys.ts";
import { saveWarningsSchema } from "../../../shared/management/operation.ts";
import { receiptRecordSchema } from "../../../shared/management/receipts.ts";
import { blockSchema } from "../../../shared/messages/blocks.ts";
import { messagesRequest } from "../../../shared/messages/request.ts";
import { messagesTool } from "../../../shared/messages/tools.ts";
import { inputItem } from "../../../shared/responses/items.ts";
import { outputItem } from "../../../shared/responses/output_items.ts";
import { defaultPlugins, plugins } from "../../../shared/responses/plugins.ts";
import { metadata, responseRequest } from "../../../shared/responses/request.ts";
import { responseResult } from "../../../shared/responses/result.ts";
import { tool } from "../../../shared/responses/tools.ts";
import { chatResult } from "../../../shared/results/chat_result.ts";
import { messageResult } from "../../../shared/results/message_result.ts";
import { endpointResult, modelResult } from "../../../shared/results/model_lists.ts";
import { speechRequest } from "../../../shared/speech.ts";
import {
  budgetSchema,
  memberSchema,
  rateLimitsSchema,
  workspaceRecordSchema,
} from "../../../shared/workspaces.ts";

const requestNames = {
  AnalyticsQuery: analyticsQuerySchema,
  ChatMessage: chatMessage,
  ChatRequest: chatRequest,
  ChatTool: chatTool,
  DefaultPluginsInput: defaultPlugins,
  InputItem: inputItem,
  MessageBlock: blockSchema,
  MessagesRequest: messagesRequest,
  MessagesTool: messagesTool,
  Plugins: plugins,
  ProviderPreferences: providerPreferences,
  ResponseRequest: responseRequest,
  ResponseTool: tool,
  SpeechRequest: speechRequest,
  StopCondition: stopCondition,
  Trace: trace,
} as const;

const replyNames = {
  AuditEntry: auditRowSchema,
  Budget: budgetSchema,
  ByokKey: byokRecordSchema,
  ChatResult: chatResult,
  ConnectClient: connectClientSchema,
  ContainerFile: containerFileSchema,
  DefaultPlugins: defaultPlugins,
  Endpoint: endpointResult,
  File: fileSchema,
  Guardrail: guardrailRecordSchema,
  Key: keyRecordSchema,
  KeyDetails: keyDetailsSchema,
  ListedKey: listedKeySchema,
  ManagementKey: managementKeySchema,
  Member: memberSchema,
  MessageResult: messageResult,
  Model: modelResult,
  OutputItem: outputItem,
  RateLimits: rateLimitsSchema,
  Receipt: receiptRecordSchema,
  ResponseResult: responseResult,
  SaveWarnings: saveWarningsSchema,
  Workspace: workspaceRecordSchema,
} as const;

type Names = z.core.$ZodRegistry<{ readonly id: string }>;

function registryOf(named: Readonly<Record<string, z.ZodType>>): Names {
  const names: Names = z.registry();
  for (const [id, schema] of Object.entries(named)) names.add(schema, { id });
  return names;
}

/** Names by direction: what a client sends may lack what the gateway fills in, so both are different types. */
export const schemaNames = { input: registryOf(requestNames), output: registryOf(replyNames) } as const;

/** JSON Schema of those whose checks zod cannot tell. */
export const customSchemas: ReadonlyMap<unknown, Readonly<Record<string, unknown>>> = new Map([
  [jsonObject, { type: "object" }],
  [metadata, {
    type: "object",
    maxProperties: 16,
    propertyNames: { maxLength: 64, pattern: "^[^\\[\\]]*$" },
    additionalProperties: { type: "string", maxLength: 512 },
  }],
]);

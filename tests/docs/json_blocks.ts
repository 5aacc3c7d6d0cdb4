/** JSON blocks of the documents, each read by the schema of the product that reads such JSON. */

import assert from "node:assert/strict";
import * as z from "zod";
import { parseConfigFile } from "../../server/config/config_file.ts";
import { apiErrorKinds } from "../../shared/errors.ts";
import { externalReplySchema, type ExternalRequest, guardedSides } from "../../shared/external_guardrail.ts";
import { inputItem } from "../../shared/responses/items.ts";
import { marketFileSchema } from "../../shared/routing/scores.ts";

const errorReply = z.strictObject({
  error: z.strictObject({
    code: z.number(),
    message: z.string(),
    metadata: z.looseObject({ error_type: z.string() }),
  }).refine(
    ({ code, metadata }) => isErrorKind(code, metadata.error_type),
    "no error has this status and type",
  ),
  user_id: z.null(),
});

const isErrorKind = (code: number, type: string): boolean =>
  Object.values(apiErrorKinds).some(({ status, errorType }) => status === code && errorType === type);

/** Judged by the type of what a service is told; `external_test.ts` holds that it is told this and no more. */
const externalRequest: z.ZodType<ExternalRequest> = z.strictObject({
  version: z.literal(1),
  guardrail_id: z.string(),
  side: z.enum(guardedSides),
  model: z.string().nullable(),
  key_hash: z.string(),
  workspace_id: z.string(),
  texts: z.array(z.strictObject({ path: z.string(), text: z.string() })),
});

const blocked = z.strictObject({ patterns: z.array(z.string()), guardrail_id: z.string() });

const configuration = z.record(z.string(), z.unknown()).transform((file) =>
  parseConfigFile("tollgate.jsonc", JSON.stringify(file))
);

/** Readers by a field that their JSON has; the first that fits. */
const readers: readonly (readonly [field: string, schema: z.ZodType])[] = [
  ["type", inputItem],
  ["error", errorReply],
  ["texts", z.union([externalRequest, externalReplySchema])],
  ["action", externalReplySchema],
  ["patterns", blocked],
  ["shares", marketFileSchema],
];

/** Throws where the product would not read such JSON. */
export function readJsonBlock(json: unknown, place: string): void {
  const fields = Object.keys(z.looseObject({}).parse(json));
  const [, schema] = readers.find(([field]) => fields.includes(field)) ?? ["", configuration];
  const { error } = schema.safeParse(json);
  assert.equal(error, undefined, place);
}

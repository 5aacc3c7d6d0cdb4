/** The API as an OpenAPI document (3.1): one operation a row of the tables, schemas by zod, examples that run. */

import type { KeyKind } from "../../../shared/keys.ts";
import type { Work } from "../../../shared/util/run_work.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import { isOfAnthropic } from "../authenticate.ts";
import { addressOf, type ApiOperation, apiOperations } from "./api_operations.ts";
import { exampleOf } from "./examples.ts";
import { families, familyOf } from "./families.ts";
import { headerParameters, parametersOf } from "./parameters.ts";
import { errorReplies, errorSchemas, repliesOf, replyHeaders } from "./replies.ts";
import { SchemaComponents } from "./schema_components.ts";

const bearer = (description: string): JsonObject => ({ type: "http", scheme: "bearer", description });

const securitySchemes = {
  apiKey: bearer("An API key: calls models, and reads what belongs to it."),
  managementKey: bearer("A management key: manages the gateway and calls no model."),
  clientSecret: bearer("The secret of a Connect client: makes and changes keys of its own users."),
  anthropicKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "The same keys, as Anthropic's clients send them.",
  },
} as const satisfies Record<string, JsonObject>;

const schemeOf = {
  api: "apiKey",
  management: "managementKey",
  client: "clientSecret",
} as const satisfies Record<KeyKind, keyof typeof securitySchemes>;

const description = "Everything below `/v1` is also there below `/api/v1`. " +
  "Requests that are not HTTP, or too long a head of one, end in 400, 413, 414, 417, 431, 501 or 505 before any " +
  "operation looks at them.";

/** Makes the document. It takes a quarter of a second, with pauses, so it is made once. `version`: the product's. */
export function* describeApi(version: string): Work<JsonObject> {
  const schemas = new SchemaComponents();
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of apiOperations) {
    const methods = paths[addressOf(operation)] ??= {};
    methods[operation.method.toLowerCase()] = yield* describeOperation(operation, schemas);
    yield;
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Tollgate",
      version,
      description,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: families.map(([name, about]) => ({ name, description: about })),
    paths,
    components: {
      schemas: { ...schemas.all(), ...errorSchemas },
      responses: errorReplies(apiOperations),
      parameters: headerParameters,
      headers: replyHeaders,
      securitySchemes,
    },
  };
}

function* describeOperation(operation: ApiOperation, schemas: SchemaComponents): Work<JsonObject> {
  const { id, summary, who, errors, instead } = operation;
  const kinds = new Set([...who, ...instead?.who ?? []]);
  const keys = [...kinds].map((kind): JsonObject => ({ [schemeOf[kind]]: [] }));
  const body = bodyOf(operation, schemas);
  yield;
  return {
    operationId: id,
    tags: [familyOf(id)],
    summary,
    security: isOfAnthropic(errors) && keys.length > 0 ? [...keys, { anthropicKey: [] }] : keys,
    parameters: parametersOf(operation, schemas),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: repliesOf(operation, schemas),
  };
}

const form: JsonObject = {
  type: "object",
  required: ["file"],
  properties: { file: { type: "string", format: "binary" }, purpose: { type: "string" } },
};

function bodyOf(
  { id, body, bodyOptional, isUpload }: ApiOperation,
  schemas: SchemaComponents,
): JsonObject | undefined {
  if (isUpload) return { required: true, content: { "multipart/form-data": { schema: form } } };
  if (body === undefined) return undefined;
  const example = exampleOf(id);
  const media = {
    schema: schemas.add(body, "input"),
    ...(example === undefined ? {} : { example }),
  };
  return { required: bodyOptional !== true, content: { "application/json": media } };
}

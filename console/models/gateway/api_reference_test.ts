import assert from "node:assert/strict";
import { signal } from "@preact/signals";
import { ApiFailure } from "../../api.ts";
import { addressOf, ApiTrialModel, operationsOf } from "./api_reference.ts";

const document = {
  paths: {
    "/v1/keys/{hash}": {
      patch: {
        operationId: "keys.update",
        tags: ["keys"],
        summary: "Updates a key.",
        parameters: [
          { name: "hash", in: "path", required: true, schema: { type: "string" } },
          { name: "abort", in: "query", schema: { type: "string", enum: ["true", "false"] } },
          { $ref: "#/components/parameters/IfMatch" },
        ],
        requestBody: {
          content: { "application/json": { schema: { type: "object" }, example: { limit: 5 } } },
        },
        responses: {
          200: { description: "Done.", content: { "application/json": { schema: { type: "object" } } } },
          404: { $ref: "#/components/responses/Error404" },
        },
      },
    },
    "/v1/responses": { post: { operationId: "responses.create", responses: {} } },
    "/v1/route/explain": {
      post: {
        operationId: "route.explain",
        parameters: [{ name: "workspace_id", in: "query", schema: { type: "string" } }],
        responses: {},
      },
    },
  },
  components: {
    parameters: {
      IfMatch: { name: "If-Match", in: "header", description: "The ETag.", schema: { type: "string" } },
    },
    responses: { Error404: { description: "There is none." } },
  },
};

const [update, respond, explain] = operationsOf(document);
const found = <T>(value: T | undefined): T => value ?? assert.fail("it is in the document");

Deno.test("operationsOf reads operations with what their references name", () => {
  const { id, family, method, path, parameters, replies, body } = found(update);
  assert.deepEqual([id, family, method, path], ["keys.update", "keys", "PATCH", "/v1/keys/{hash}"]);
  assert.deepEqual(parameters.map(({ name, place, takes }) => [name, place, takes]), [
    ["hash", "path", "string"],
    ["abort", "query", "true, false"],
    ["If-Match", "header", "The ETag."],
  ]);
  assert.deepEqual(replies, [{ status: "200", about: "Done." }, { status: "404", about: "There is none." }]);
  assert.deepEqual(body?.example, { limit: 5 });
});

Deno.test("addressOf leads to the console's own routes, model calls to the playground's", () => {
  const values = new Map([["hash", "a/b"], ["abort", "true"]]);
  assert.equal(addressOf(found(update), values), "/console/api/keys/a%2Fb?abort=true");
  assert.equal(addressOf(found(respond), new Map()), "/console/api/playground/responses");
});

Deno.test("ApiTrialModel sends what the form has, and shows a refusal as an answer", async () => {
  const sent: unknown[] = [];
  const trial = new ApiTrialModel(found(update), {
    workspaceId: signal("w1"),
    api: {
      send: (...[method, address, options]) => {
        sent.push([method, address, options?.body, options?.headers]);
        if (sent.length === 1) return Promise.resolve(Response.json({ data: 1 }));
        const refused = Response.json({}, { status: 404 });
        return Promise.reject(new ApiFailure(refused, { error: { message: "There is no such key." } }));
      },
    },
  });
  assert.equal(trial.isComplete.value, false);
  trial.set("hash", "x");
  trial.set("If-Match", '"1"');
  assert.equal(trial.isComplete.value, true);
  await trial.send();
  assert.deepEqual(sent, [["PATCH", "/console/api/keys/x", { limit: 5 }, { "If-Match": '"1"' }]]);
  assert.deepEqual(trial.answer.value, { status: 200, text: '{\n  "data": 1\n}', more: 0 });
  await trial.send();
  assert.equal(trial.answer.value?.status, 404);
  assert.match(trial.answer.value?.text ?? "", /There is no such key\./);
  trial.body.value = "{";
  assert.equal(trial.isComplete.value, false);
});

Deno.test("a manager's explanation begins with the shown workspace, which may come late or be typed over", () => {
  const workspaceId = signal<string | undefined>(undefined);
  const send = () => Promise.resolve(Response.json({}));
  const operation = found(explain);
  const trial = new ApiTrialModel(operation, { api: { send }, workspaceId });
  const address = () => addressOf(operation, trial.values.value);
  assert.equal(address(), "/console/api/route/explain");
  workspaceId.value = "w1";
  assert.equal(address(), "/console/api/route/explain?workspace_id=w1");
  trial.set("workspace_id", "");
  assert.equal(address(), "/console/api/route/explain");
});

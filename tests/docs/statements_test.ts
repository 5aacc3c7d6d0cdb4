/** Statements of the documents that a request can hold, each with the request: a sentence that goes is missed here. */

import assert from "node:assert/strict";
import { managementApi } from "../../shared/management/api.ts";
import { commands } from "../../server/cli/commands.ts";
import { startGateway } from "../support/gateway.ts";

const root = new URL("../../", import.meta.url);
const read = (file: string) => Deno.readTextFile(new URL(file, root));

const messages = [{ role: "user", content: "Hi" }];

interface Statement {
  readonly page: string;
  /** Stands on the page. */
  readonly says: string;
  readonly path: string;
  /** Added to a request for the built-in model. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly has: RegExp;
}

const responses = { path: "/v1/responses", fields: { input: "Hi" } };
const refused = "Responses refuse `store: true`, `previous_response_id` and `conversation`";

const statements: readonly Statement[] = [
  ...Object.entries({ store: true, previous_response_id: "resp_1", conversation: "conv_1" }).map(
    ([name, value]) => ({
      page: "docs/clients.md",
      says: refused,
      path: responses.path,
      fields: { ...responses.fields, [name]: value },
      status: 400,
      has: new RegExp(`"path":"${name}"`),
    }),
  ),
  {
    page: "docs/clients.md",
    says: "Messages refuse `thread`",
    path: "/v1/messages",
    fields: { max_tokens: 9, messages, thread: { id: "thread_1" } },
    status: 400,
    has: /thread is not supported/,
  },
  {
    page: "docs/clients.md",
    says: "Chat Completions take `store: true`, store nothing and name it in the metadata (`dropped`)",
    path: "/v1/chat/completions",
    fields: { messages, store: true },
    status: 200,
    has: /"dropped":\["store"\]/,
  },
  {
    page: "docs/clients.md",
    says: "`background: true` is handled like any other request",
    path: responses.path,
    fields: { ...responses.fields, background: true },
    status: 200,
    has: /"status":"completed"/,
  },
  ...["switchyard-router"].map((id) => ({
    page: "docs/plugins.md",
    says: `| \`${id}\` | not run`,
    path: responses.path,
    fields: { ...responses.fields, plugins: [{ id }] },
    status: 200,
    has: new RegExp(`"dropped":\\["plugin ${id}"\\]`),
  })),
];

Deno.test("what the documents say of requests holds", async (t) => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  for (const { page, says, path, fields, status, has } of statements) {
    await t.step(`${page}: ${says} ${Object.keys(fields).at(-1)}`, async () => {
      assert((await read(page)).includes(says), `${page} does not say: ${says}`);
      const response = await fetch(`${gateway.url}${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${gateway.apiKey}`,
          "content-type": "application/json",
          "x-service-metadata": "enabled",
        },
        body: JSON.stringify({ model: "local/echo", ...fields }),
      });
      const text = await response.text();
      assert.equal(response.status, status, text);
      assert.match(text, has);
    });
  }
});

/** The operations that the console's sources call. */
async function consoleOperations(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (name === "node_modules" || name === "dist") continue;
    if (isDirectory) found.push(...await consoleOperations(`${folder}/${name}`));
    else if (/\.tsx?$/.test(name)) {
      const source = await read(`${folder}/${name}`);
      found.push(...[...source.matchAll(/operation<"([\w.]+)">/g)].map(([, id = ""]) => id));
    }
  }
  return found;
}

const rows: ReadonlyMap<string, unknown> = new Map(Object.entries(managementApi));

/** Operations of the page of an API key, on itself. */
const ofKeyHolders: readonly string[] = [];

Deno.test("each operation that the console calls is a command, as docs/operations.md says", async () => {
  assert((await read("docs/operations.md")).includes("does in a browser can be done on the command line"));
  const called = [...new Set(await consoleOperations("console"))];
  assert(called.length > 30, `${called.length} operations were found`);
  const offered = (id: string) => commands.some(({ row }) => row === rows.get(id));
  assert.deepEqual(called.filter((id) => !offered(id)).sort(), ofKeyHolders);
});

/** Tests `GET /files/search`: files of all workspaces as one list. */

import assert from "node:assert/strict";
import { makeToolFile } from "../support/folder_gateway.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";

interface Found {
  readonly id: string;
  readonly filename: string;
  readonly workspace_id: string;
}

async function search(gateway: Gateway, query = "", { token }: { readonly token?: string } = {}) {
  const { status, body } = await managed(gateway, { call: `GET /files/search${query}`, token });
  const rows: readonly Found[] = Array.isArray(body.data) ? body.data : [];
  return { status, names: rows.map(({ filename }) => filename), rows, next: body.next, body };
}

async function workspace(gateway: Gateway, slug: string): Promise<string> {
  const { body } = await managed(gateway, { call: "POST /workspaces", body: { name: slug, slug } });
  return Object(body.data).id;
}

const content = new TextEncoder().encode("a");

Deno.test("files of all workspaces are one list, newest first, page by page", async () => {
  await using gateway = await startGateway();
  const ids = [await workspace(gateway, "one"), await workspace(gateway, "two"), undefined];
  assert.deepEqual((await search(gateway)).names, []);
  for (let at = 0; at < 45; at++) {
    await makeToolFile(gateway, content, { filename: `file ${at}`, workspaceId: ids[at % 3] });
  }
  const expected = Array.from({ length: 45 }, (_, at) => `file ${at}`).toSorted();
  for (const limit of [1, 7, 20, 45, 100]) {
    const found: Found[] = [];
    let cursor = "";
    do {
      const page = await search(gateway, `?limit=${limit}&cursor=${cursor}`);
      assert.equal(page.status, 200);
      found.push(...page.rows);
      cursor = page.next === null ? "" : String(page.next);
    } while (cursor !== "");
    // Files of one millisecond have no order but that of their ids.
    const ordered = found.map(({ id }) => id);
    assert.deepEqual(ordered, ordered.toSorted().toReversed(), `${limit} a page`);
    assert.deepEqual(found.map(({ filename }) => filename).toSorted(), expected, `${limit} a page`);
  }
  const own = await search(gateway, `?workspace_id=${ids[0]}&limit=100`);
  assert.equal(own.names.length, 15);
  assert(own.rows.every(({ workspace_id }) => workspace_id === ids[0]));
});

Deno.test("every word of a search has to stand in the name, in any case", async () => {
  await using gateway = await startGateway();
  for (const filename of ["Report of May.pdf", "report of June.csv", "=cmd().csv", "Summary.pdf"]) {
    await makeToolFile(gateway, content, { filename });
  }
  const cases = [
    ["REPORT", ["report of June.csv", "Report of May.pdf"]],
    ["pdf report", ["Report of May.pdf"]],
    ["=cmd()", ["=cmd().csv"]],
    ["nobody", []],
    ["  ", ["Summary.pdf", "=cmd().csv", "report of June.csv", "Report of May.pdf"]],
  ] as const;
  for (const [q, names] of cases) {
    const { names: found } = await search(gateway, `?q=${encodeURIComponent(q)}`);
    assert.deepEqual(found.toSorted(), names.toSorted(), q);
  }
});

Deno.test("a search that is no search is refused, and so is everybody but a manager", async () => {
  await using gateway = await startGateway();
  for (const query of ["?cursor=x", "?limit=0", "?limit=101", "?workspace_id=x"]) {
    assert.equal((await search(gateway, query)).status, 400, query);
  }
  const nowhere = "?workspace_id=00000000-0000-4000-8000-000000000000";
  assert.equal((await search(gateway, nowhere)).status, 400);
  assert.equal((await search(gateway, "", { token: gateway.apiKey })).status, 403);
  assert.equal((await search(gateway, "", { token: "tg-api-nobody" })).status, 401);
});

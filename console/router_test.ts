import assert from "node:assert/strict";
import { type BrowserAddress, Router } from "./router.ts";

function history(first: string) {
  const entries = [first];
  let back = () => {};
  const address: BrowserAddress = {
    read: () => entries.at(-1) ?? "",
    push: (href) => void entries.push(href),
    replace: (href) => void entries.splice(-1, 1, href),
    onBack: (run) => {
      back = run;
    },
  };
  return {
    router: new Router(address),
    entries,
    goBack: () => {
      entries.pop();
      back();
    },
  };
}

Deno.test("filters stand in the address; workspace and range go along to other pages, others do not", () => {
  const { router, entries, goBack } = history("/console/keys/?q=doc&workspace=research#secret");
  assert.equal(router.path.value, "/keys");
  assert.equal(router.query.value.get("q"), "doc");
  assert.equal(router.link("/files"), "/console/files?workspace=research");
  assert.equal(router.link("", { range: "7d" }), "/console?workspace=research&range=7d");
  router.dropFragment();
  router.setQuery({ q: "", state: "enabled" });
  assert.deepEqual(entries, ["/console/keys?workspace=research&state=enabled"]);
  router.setQuery({ key: "abc" }, { push: true });
  router.go("/console/workspaces");
  assert.equal(router.path.value, "/workspaces");
  goBack();
  assert.equal(router.query.value.get("key"), "abc");
  goBack();
  assert.equal(router.query.value.has("key"), false);
});

import assert from "node:assert/strict";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import { StoreError } from "../../storage/stores/store.ts";
import { keyPuts } from "./lists/key_index.ts";
import { type KeyRow, newKeyRow } from "./key_rows.ts";
import { abortDisabledKeys, OpenCalls } from "./open_calls.ts";

function calls(open: OpenCalls, hash: string): { readonly ended: string[]; readonly forget: () => void } {
  const ended: string[] = [];
  return { ended, forget: open.add(hash, () => ended.push(hash)) };
}

Deno.test("OpenCalls.end ends the calls of one key, each once", () => {
  const open = new OpenCalls();
  const [a, b, other] = [calls(open, "one"), calls(open, "one"), calls(open, "other")];
  b.forget();
  assert.equal(open.abortCalls("one"), 1);
  assert.equal(open.abortCalls("one"), 0);
  assert.deepEqual([a.ended, b.ended, other.ended], [["one"], [], []]);
  a.forget();
  assert.deepEqual(open.keys(), ["other"]);
  other.forget();
  other.forget();
  assert.deepEqual(open.keys(), []);
});

Deno.test("OpenCalls keeps a call that begins while those before it are ended", () => {
  const open = new OpenCalls();
  const first = calls(open, "one");
  open.abortCalls("one");
  const second = calls(open, "one");
  first.forget();
  assert.deepEqual(open.keys(), ["one"]);
  assert.equal(open.abortCalls("one"), 1);
  assert.equal(second.ended.length, 1);
});

const workspaceId = "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11";

function row(token: string, disabled: boolean): KeyRow {
  return { ...newKeyRow({ kind: "api", token, name: token, workspaceId }, 0), disabled };
}

Deno.test("abortDisabledKeys ends the calls of keys that are disabled or gone, and of no other", async () => {
  const store = memoryStore();
  const [on, off, gone] = [row("on", false), row("off", true), row("gone", false)];
  await store.commit({ puts: [...keyPuts(store, on), ...keyPuts(store, off)] });
  const openCalls = new OpenCalls();
  const all = [on, off, gone].map(({ hash }) => calls(openCalls, hash));
  const warned: string[] = [];
  const log = {
    debug: () => {},
    info: () => {},
    error: () => {},
    warn: (message: string) => warned.push(message),
  };
  await abortDisabledKeys({ store, runtime: { log }, openCalls });
  assert.deepEqual(all.map(({ ended }) => ended.length), [0, 1, 1]);
  assert.deepEqual(warned, []);
  const failing = Object.assign(Object.create(store), {
    get: () => Promise.reject(new StoreError("timeout", "No answer")),
  });
  await abortDisabledKeys({ store: failing, runtime: { log }, openCalls });
  assert.equal(warned.length, 1, "a store that fails is told of, and nothing is ended");
  assert.deepEqual(openCalls.keys(), [on.hash]);
});

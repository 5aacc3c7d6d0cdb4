import assert from "node:assert/strict";
import { signal } from "@preact/signals";
import { CursorPages } from "./cursor_pages.ts";

Deno.test("CursorPages goes forward, back, and to the beginning", async () => {
  const loaded: (string | undefined)[] = [];
  const next = signal<string | undefined>("b");
  const pages: CursorPages = new CursorPages({
    size: 20,
    nextCursor: () => next.value,
    load: () => {
      loaded.push(pages.cursor);
      return Promise.resolve();
    },
  });
  assert.deepEqual([pages.hasPrevious.value, pages.hasNext.value, pages.firstNumber.value], [false, true, 1]);
  await pages.next();
  next.value = "c";
  await pages.next();
  next.value = undefined;
  assert.deepEqual([pages.hasPrevious.value, pages.hasNext.value, pages.firstNumber.value], [
    true,
    false,
    41,
  ]);
  await pages.next();
  await pages.previous();
  assert.equal(pages.firstNumber.value, 21);
  await pages.restart();
  assert.deepEqual(loaded, ["b", "c", "b", undefined]);
});

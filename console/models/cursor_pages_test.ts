import assert from "node:assert/strict";
import { CursorPages } from "./cursor_pages.ts";

interface Page {
  readonly name: string;
  readonly next: string | undefined;
}

/** Three pages, `a`, `b` and `c`. Each reading waits until `answer` or `fail` is called. */
function threePages() {
  const waiting: {
    cursor: string | undefined;
    resolve: (page: Page) => void;
    reject: (error: Error) => void;
  }[] = [];
  const following = new Map([["a", "b"], ["b", "c"]]);
  const pages = new CursorPages<Page>({
    size: 20,
    read: (cursor) =>
      new Promise((resolve, reject) => {
        waiting.push({ cursor, resolve, reject });
      }),
    nextCursor: ({ next }) => next,
  });
  const answer = (cursor: string | undefined) => {
    const name = cursor ?? "a";
    waiting.findLast((one) => one.cursor === cursor)?.resolve({ name, next: following.get(name) });
  };
  const fail = () => waiting.at(-1)?.reject(new Error("no answer"));
  const shown = () => [
    pages.data.value?.name,
    pages.firstNumber.value,
    pages.hasPrevious.value,
    pages.hasNext.value,
  ];
  return { pages, waiting, answer, fail, shown };
}

Deno.test("CursorPages goes forward, back, and to the beginning", async () => {
  const { pages, waiting, answer, shown } = threePages();
  const go = async (move: Promise<void>) => {
    answer(waiting.at(-1)?.cursor);
    await move;
    return shown();
  };
  assert.deepEqual(shown(), [undefined, 1, false, false]);
  assert.deepEqual(await go(pages.load()), ["a", 1, false, true]);
  assert.deepEqual(await go(pages.next()), ["b", 21, true, true]);
  assert.deepEqual(await go(pages.next()), ["c", 41, true, false]);
  await pages.next();
  assert.equal(waiting.length, 3, "nothing is read behind the last page");
  assert.deepEqual(await go(pages.previous()), ["b", 21, true, true]);
  assert.deepEqual(await go(pages.load()), ["b", 21, true, true]);
  assert.deepEqual(await go(pages.restart()), ["a", 1, false, true]);
  assert.deepEqual(waiting.map(({ cursor }) => cursor), [undefined, "b", "c", "b", "b", undefined]);
});

Deno.test("CursorPages shows the page before, with its numbers, until the next one was read", async () => {
  const { pages, answer, shown } = threePages();
  const first = pages.load();
  answer(undefined);
  await first;
  const twice = [pages.next(), pages.next()];
  assert.deepEqual(shown(), ["a", 1, false, true]);
  answer("b");
  await twice[1];
  assert.deepEqual(shown(), ["b", 21, true, true], "two calls before the answer go one page on");
});

Deno.test("CursorPages keeps its place when a reading fails, and reads that page on the next load", async () => {
  const { pages, answer, fail, shown } = threePages();
  const first = pages.load();
  answer(undefined);
  await first;
  const second = pages.next();
  fail();
  await second;
  assert.equal(pages.failure.value?.message, "no answer");
  assert.deepEqual(shown(), ["a", 1, false, true]);
  const again = pages.load();
  answer("b");
  await again;
  assert.equal(pages.failure.value, undefined);
  assert.deepEqual(shown(), ["b", 21, true, true]);
});

Deno.test("CursorPages.set changes the page and not its place", async () => {
  const { pages, answer, shown } = threePages();
  for (const cursor of [undefined, "b"]) {
    const moved = cursor === undefined ? pages.load() : pages.next();
    answer(cursor);
    await moved;
  }
  pages.set({ name: "changed", next: "c" });
  assert.deepEqual(shown(), ["changed", 21, true, true]);
});

Deno.test("CursorPages goes to the page before once the last row of a page is deleted", async () => {
  const { pages, waiting, answer, shown } = threePages();
  const go = async (move: Promise<void>) => {
    answer(waiting.at(-1)?.cursor);
    await move;
    return shown();
  };
  await go(pages.load());
  assert.deepEqual(await go(pages.loadAfterRemoval({ left: 0 })), ["a", 1, false, true], "none is before it");
  await go(pages.next());
  assert.deepEqual(await go(pages.loadAfterRemoval({ left: 1 })), ["b", 21, true, true]);
  assert.deepEqual(await go(pages.loadAfterRemoval({ left: 0 })), ["a", 1, false, true]);
  assert.deepEqual(waiting.map(({ cursor }) => cursor), [undefined, undefined, "b", "b", undefined]);
});

import assert from "node:assert/strict";
import { OpenList } from "./linked_list.ts";

Deno.test("OpenList holds its members in the order in which they came", () => {
  const list = new OpenList<string>();
  const [a, b, c] = [list.enter("a"), list.enter("b"), list.enter("c")];
  assert.deepEqual([list.all(), list.size, list.first], [["a", "b", "c"], 3, "a"]);
  assert.equal(list.leave(b), true);
  assert.equal(list.leave(b), false, "a place is left once");
  assert.deepEqual([list.all(), list.size], [["a", "c"], 2]);
  list.leave(a);
  list.enter("a");
  assert.deepEqual([list.all(), list.first], [["c", "a"], "c"]);
  list.leave(c);
  assert.deepEqual([[...list], list.size], [["a"], 1]);
});

Deno.test("OpenList gives the places of those that fit", () => {
  const list = new OpenList<number>();
  for (const n of [1, 2, 3, 4]) list.enter(n);
  for (const place of list.where((n) => n % 2 === 0)) list.leave(place);
  assert.deepEqual([list.all(), list.size], [[1, 3], 2]);
  assert.deepEqual(list.where((n) => n > 3), []);
});

Deno.test("OpenList lets go of those that have left", () => {
  const list = new OpenList<object>();
  const [, gone] = [list.enter({}), list.enter({}), list.enter({})];
  list.leave(gone);
  assert.equal(gone.value, undefined);
  assert.ok(gone.before === gone && gone.after === gone, "it leads to nobody");
});

Deno.test("OpenList.all does not follow those who leave or enter meanwhile", () => {
  const list = new OpenList<number>();
  const first = list.enter(1);
  list.enter(2);
  const all = list.all();
  list.leave(first);
  list.enter(3);
  assert.deepEqual([all, list.all()], [[1, 2], [2, 3]]);
});

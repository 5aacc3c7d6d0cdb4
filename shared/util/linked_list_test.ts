import assert from "node:assert/strict";
import { LinkedList } from "./linked_list.ts";

Deno.test("LinkedList holds its members in the order in which they came", () => {
  const list = new LinkedList<string>();
  const [a, b, c] = [list.add("a"), list.add("b"), list.add("c")];
  assert.deepEqual([list.all(), list.size, list.first], [["a", "b", "c"], 3, "a"]);
  assert.equal(list.remove(b), true);
  assert.equal(list.remove(b), false, "a place is left once");
  assert.deepEqual([list.all(), list.size], [["a", "c"], 2]);
  list.remove(a);
  list.add("a");
  assert.deepEqual([list.all(), list.first], [["c", "a"], "c"]);
  list.remove(c);
  assert.deepEqual([[...list], list.size], [["a"], 1]);
});

Deno.test("LinkedList gives the places of those that fit", () => {
  const list = new LinkedList<number>();
  for (const n of [1, 2, 3, 4]) list.add(n);
  for (const place of list.where((n) => n % 2 === 0)) list.remove(place);
  assert.deepEqual([list.all(), list.size], [[1, 3], 2]);
  assert.deepEqual(list.where((n) => n > 3), []);
});

Deno.test("LinkedList lets go of those that have left", () => {
  const list = new LinkedList<object>();
  const [, gone] = [list.add({}), list.add({}), list.add({})];
  list.remove(gone);
  assert.equal(gone.value, undefined);
  assert.ok(gone.before === gone && gone.after === gone, "it leads to nobody");
});

Deno.test("LinkedList.all does not follow those who leave or enter meanwhile", () => {
  const list = new LinkedList<number>();
  const first = list.add(1);
  list.add(2);
  const all = list.all();
  list.remove(first);
  list.add(3);
  assert.deepEqual([all, list.all()], [[1, 2], [2, 3]]);
});

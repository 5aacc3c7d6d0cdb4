import assert from "node:assert/strict";
import { runNow, type Work } from "../../../shared/util/run_work.ts";
import { objectStream, PDF_PAGE } from "../../../tests/support/object_streams.ts";
import { threadMs } from "../../../tests/support/thread_time.ts";
import { eachMatch } from "./each_match.ts";
import { countPages, hasPages } from "./page_counts.ts";

const pdf = (text: string) => btoa(`%PDF-1.7\n${text}`);

function pagesOf(base64: string): number | undefined {
  return runNow(countPages([base64])).get(base64);
}

const page = PDF_PAGE;

/** Pauses that a work offers. */
function stepsOf(work: Work<unknown>): number {
  let steps = 0;
  while (work.next().done !== true) steps++;
  return steps;
}

Deno.test("countPages counts the pages that stand in the open", () => {
  const cases: readonly (readonly [string, number | undefined])[] = [
    ["<</Type/Pages/Count 3>> <</Count 200 /Kids [4 0 R 5 0 R] /Type /Pages>>", 200],
    [`<</Type /Outlines /Count 99>> ${page} ${page}`, 2],
    [`3 0 obj ${page} endobj 4 0 obj ${page} endobj 3 0 obj ${page} endobj`, 2],
    [`<</Type /Pages /Count 1>> ${page} ${page} <</Type\0 \n /Page>>`, 3],
    ["<</Linearized 1 /L 9 /N 12 /T 5>>", 12],
    ["stream \0\0 endstream", undefined],
    ["<</Type /Pages /Count 999999999>>", 100_000],
  ];
  for (const [text, pages] of cases) assert.equal(pagesOf(pdf(text)), pages, text);
  assert.equal(pagesOf("JVBERi0!!!!"), undefined);
  assert.deepEqual([hasPages(pdf("")), hasPages(btoa("PK zip"))], [true, false]);
});

Deno.test("countPages counts the pages in object streams, whatever the document says of itself", async () => {
  const two = await objectStream(100) + await objectStream(100, { from: 300 });
  const cases: readonly (readonly [string, string, number | undefined])[] = [
    ["two streams", two, 200],
    ["a decoy in the open", `1 0 obj <</Type /Pages /Count 1>> endobj ${two}`, 200],
    ["a decoy page in the open", `1 0 obj ${page} endobj ${two}`, 201],
    ["a decoy behind it", `${two}<</Linearized 1 /N 1>>`, 200],
    ["a later revision of the same objects", two + await objectStream(100), 200],
    ["a wrong length", await objectStream(100, { length: "7" }), 100],
    ["a length that stands elsewhere", await objectStream(100, { length: "9 0 R" }), 100],
    ["filters in a list", await objectStream(100, { filter: "[ /FlateDecode ]" }), 100],
    ["a tree in a stream", await objectStream(1, { objects: ["<</Type /Pages /Count 70>>"] }), 70],
    ["another filter", await objectStream(100, { filter: "/LZWDecode" }), undefined],
    ["no zlib", (await objectStream(100)).replace(/stream\r\n..../, "stream\r\nxxxx"), undefined],
  ];
  for (const [name, text, pages] of cases) assert.equal(pagesOf(pdf(text)), pages, name);
});

Deno.test("countPages reads a stream that is cut or followed by other bytes as far as it goes", async () => {
  const whole = await objectStream(100);
  assert.equal(pagesOf(pdf(whole.replace("\nendstream", "garbage\nendstream"))), 100);
  assert.equal(pagesOf(pdf(whole.slice(0, -"\nendstream endobj\n".length))), 100);
});

Deno.test("countPages decodes no more than eight megabytes of one request", async () => {
  const filling = " ".repeat(3 * 1024 * 1024);
  const bomb = await objectStream(1, { objects: [filling] });
  const document = pdf(bomb.repeat(20) + await objectStream(100));
  const took = await threadMs(() => assert.equal(pagesOf(document), undefined));
  assert(took < 5_000, `${took} ms`);
  const after = pdf(await objectStream(100));
  assert.equal(runNow(countPages([document, after])).get(after), undefined, "one budget for all of them");
});

Deno.test("countPages takes no longer for a document that is made to be slow", async () => {
  for (const words of ["/Type /Pages ", "/Type /ObjStm ", "/Type /Page ", "/Type \0"]) {
    const document = pdf(words.repeat(400_000));
    const took = await threadMs(() => pagesOf(document));
    assert(took < 5_000, `${words}: ${took} ms`);
  }
});

Deno.test("countPages offers a pause for every quarter of a megabyte", () => {
  const megabytes = 8;
  const filling = "1234567 0 object ".repeat(megabytes * 1024 * 1024 / 17);
  const pauses = stepsOf(countPages([pdf(`${filling}${page}`)]));
  assert.ok(pauses >= megabytes * 4, `${pauses} pauses`);
});

Deno.test("countPages reads the bytes of a stream once, whatever its objects say of their places", async () => {
  const body = `${page} `.repeat(50_000);
  const places = Array.from({ length: 40_000 }, (_, at) => `${at + 1} ${at % 2 === 0 ? 0 : body.length}`);
  const head = `${places.join(" ")} `;
  const data = await objectStream(1, { objects: [`${head}${body}`] });
  const first = "100 0 ".length + head.length;
  const document = pdf(data.replace(/\/First \d+/, `/First ${first}`).replace(/\/N 1 /, "/N 40000 "));
  const steps = stepsOf(countPages([document]));
  assert.ok(steps < 100_000, `${steps} steps for 40,000 objects in 12 windows`);
});

Deno.test("eachMatch finds what stands over the end of a window, and each match once", () => {
  const text = "x".repeat(128 * 1024 - 3) + "12345 0 obj" + "x".repeat(300_000) + "7 0 obj";
  const found: string[] = [];
  const pattern = /(\d{1,10}) 0 obj/g;
  runNow(eachMatch({ text, pattern }, ({ index, group }) => found.push(`${index}:${group}`) > 0));
  assert.deepEqual(found, ["131069:12345", "431080:7"]);
});

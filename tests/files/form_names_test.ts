/** Forms as clients write them: names, boundaries and ends. */

import assert from "node:assert/strict";
import { fileRows, utf8 } from "../support/files.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";

const BOUNDARY = "form-of-a-test";

interface Sent {
  readonly body: string;
  /** Bytes of each chunk. */
  readonly chunk: number;
  readonly type?: string;
}

async function send(
  { app, apiKey }: Gateway,
  { body, chunk, type = `multipart/form-data; boundary=${BOUNDARY}` }: Sent,
): Promise<{ readonly status: number; readonly answer: Readonly<Record<string, unknown>> }> {
  const bytes = utf8(body);
  let at = 0;
  const stream = new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + chunk));
      at += chunk;
    },
  });
  const headers = { host: "localhost", authorization: `Bearer ${apiKey}`, "content-type": type };
  const request = new Request("http://localhost/v1/files", { method: "POST", headers, body: stream });
  const response = await app.fetch(request, "127.0.0.1");
  return { status: response.status, answer: await response.json() };
}

/** Parameters that clients send for a file that is called `meant`. */
const names: readonly (readonly [client: string, meant: string, parameters: string])[] = [
  ["browsers, undici and the openai client", `a"b.txt`, `name="file"; filename="a%22b.txt"`],
  ["browsers, of a line's end", "ab.txt", `name="file"; filename="a%0D%0Ab.txt"`],
  ["browsers, of a percent sign", "100%.txt", `name="file"; filename="100%.txt"`],
  ["browsers, of what looks like an escape", "a%20b%2522.txt", `name="file"; filename="a%20b%2522.txt"`],
  ["browsers, in other letters", "ü 日本 😀.txt", `name="file"; filename="ü 日本 😀.txt"`],
  ["curl since 7.81", `a"b.txt`, `name="file"; filename="a%22b.txt"`],
  ["curl before, and with --form-escape", `a"b.txt`, String.raw`name="file"; filename="a\"b.txt"`],
  ["requests with urllib3 2", `a"ü.txt`, `name="file"; filename="a%22ü.txt"`],
  ["requests with urllib3 1", "ü.txt", `name="file"; filename*=utf-8''%C3%BC.txt`],
  ["httpx", `a"b.txt`, `name="file"; filename="a%22b.txt"`],
  ["OkHttp", `a"b.txt`, `name="file"; filename="a%22b.txt"`],
  ["Go", `a"b.txt`, String.raw`name="file"; filename="a\"b.txt"`],
  ["a client that writes hexadecimal digits small", `a"b.txt`, `name="file"; filename="a%22b.txt%0d%0a"`],
  ["a client that quotes nothing", "a.txt", "name=file; filename=a.txt"],
  ["a client that leaves out blanks", "a;b.txt", `name="file";filename="a;b.txt"`],
  ["a client with capitals", "a.txt", `NAME="file"; FILENAME="a.txt"`],
  ["a client with blanks around", "a.txt", `  name="file" ;  filename="a.txt"  `],
];

const part = (parameters: string, { content = "hello", padding = "" } = {}) =>
  `--${BOUNDARY}${padding}\r\nContent-Disposition: form-data; ${parameters}\r\n\r\n${content}\r\n`;
const purpose = part('name="purpose"', { content: "user_data" });
const END = `--${BOUNDARY}--\r\n`;

for (const [client, meant, parameters] of names) {
  Deno.test(`a file is called as it was meant by ${client}: ${parameters.trim()}`, async () => {
    await using gateway = await startGateway();
    for (const chunk of [1, 7, 10_000]) {
      const { status, answer } = await send(gateway, { body: purpose + part(parameters) + END, chunk });
      assert.deepEqual([status, answer.filename], [200, meant], JSON.stringify(answer));
    }
  });
}

const file = (padding = "", content = "hello") => part('name="file"; filename="a.txt"', { content, padding });

const forms: Readonly<Record<string, string>> = {
  "blanks behind a boundary": `${part('name="purpose"', { content: "user_data", padding: "  " })}${
    file(" ")
  }${END}`,
  "tabs and blanks behind a boundary": `${file(" \t \t")}${END}`,
  "many blanks behind a boundary": `${file(" ".repeat(1_000))}${END}`,
  "blanks behind the last boundary": `${file()}--${BOUNDARY}--  \r\n`,
  "no line's end behind the last boundary": `${file()}--${BOUNDARY}--`,
  "blanks and no line's end behind the last boundary": `${file()}--${BOUNDARY}-- `,
  "one line's end before the first boundary": `\r\n${file()}${END}`,
  "text before the first boundary and behind the last": `preamble\r\n${file(" ")}${END}epilogue`,
};

for (const [what, body] of Object.entries(forms)) {
  Deno.test(`a form is taken with ${what}`, async () => {
    await using gateway = await startGateway();
    for (const type of [BOUNDARY, `"${BOUNDARY}"`]) {
      for (const chunk of [1, 2, 3, 17, 10_000]) {
        const sent = { body, chunk, type: `multipart/form-data; boundary=${type}` };
        const { status, answer } = await send(gateway, sent);
        assert.deepEqual([status, answer.size_bytes], [200, 5], `${chunk}: ${JSON.stringify(answer)}`);
      }
    }
  });
}

/** Contents that look like what is left out elsewhere. */
const contents: Readonly<Record<string, string>> = {
  "ends in blanks": "hello \t ",
  "has the beginning of a boundary": `a\r\n--${BOUNDARY.slice(0, -1)} \r\nb`,
  "ends in the beginning of a boundary": `a\r\n--${BOUNDARY.slice(0, 5)}`,
  "ends in carriage returns": "a\r\r\r",
  "has lines with blanks": "a  \r\n  \r\nb",
};

for (const [what, content] of Object.entries(contents)) {
  Deno.test(`a file is stored as it was sent that ${what}`, async () => {
    await using gateway = await startGateway();
    for (const chunk of [1, 2, 3, 17, 10_000]) {
      const { status } = await send(gateway, { body: file("  ", content) + END, chunk });
      assert.equal(status, 200);
    }
    const rows = await fileRows(gateway);
    assert.equal(rows.length, 5);
    for (const row of rows) {
      assert.equal(await new Response(await gateway.files.open(row)).text(), content);
    }
  });
}

Deno.test("a form without an end is refused, with and without blanks", async () => {
  await using gateway = await startGateway();
  for (const body of [file(), file("  "), `${file()}--${BOUNDARY}`, `${file()}--${BOUNDARY}  `]) {
    for (const chunk of [1, 10_000]) assert.equal((await send(gateway, { body, chunk })).status, 400, body);
  }
  assert.deepEqual(await fileRows(gateway), []);
});

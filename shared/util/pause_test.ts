import assert from "node:assert/strict";
import { pause } from "./pause.ts";

const EXCHANGES = 10;
/** An exchange takes a turn for each direction, and a few for what stands before it. */
const MOST_TURNS = 10 * EXCHANGES;

async function answerAll(conn: Deno.Conn): Promise<void> {
  const byte = new Uint8Array(1);
  while (await conn.read(byte) !== null) await conn.write(byte);
}

async function askTenTimes(conn: Deno.Conn): Promise<void> {
  const byte = new Uint8Array(1);
  for (let exchange = 0; exchange < EXCHANGES; exchange++) {
    await conn.write(byte);
    await conn.read(byte);
  }
}

Deno.test("what comes over a connection is read within a few pauses of a long work", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept();
  const client = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  using server = await accepted;
  const answered = answerAll(server);
  let isDone = false;
  const asked = askTenTimes(client).finally(() => isDone = true);
  let turns = 0;
  for (; !isDone; turns++) await pause();
  await asked;
  client.close();
  await answered;
  assert.ok(turns <= MOST_TURNS, `${turns} turns`);
});

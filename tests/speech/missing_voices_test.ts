/** `local/voice` where its voices are not installed: a remedy, and never an endpoint that rests. */

import assert from "node:assert/strict";
import { readError } from "../support/call.ts";
import { fakeClock, turns } from "../support/clock.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { speak } from "./rig.ts";

const local = { env: { TOLLGATE_LOCAL: "on" } };

const say = (gateway: Gateway, voice = "en") =>
  speak(gateway, { body: { model: "local/voice", voice, input: "Good morning" } });

async function assertMissing(response: Response): Promise<void> {
  const { status, message } = await readError(response);
  assert.equal(status, 404, message);
  assert.match(message, /`deno task setup`.*no network/);
  assert.equal(response.headers.get("retry-after"), null);
}

Deno.test("local/voice answers 404 with the remedy each time its voices cannot be had", async () => {
  let fetches = 0;
  const voices = () => {
    fetches++;
    return Promise.reject(new TypeError("no network"));
  };
  const clock = fakeClock();
  await using gateway = await startGateway({ ...local, voices, clock });
  for (let round = 0; round < 12; round++) {
    await assertMissing(await say(gateway));
    if (round % 4 === 3) await clock.advanceOnce(turns, 31_000);
  }
  await Promise.all((await Promise.all(Array.from({ length: 8 }, () => say(gateway)))).map(assertMissing));
  assert.equal(fetches, 4, "one fetch in half a minute");
});

Deno.test("local/voice answers 400 to a wrong voice before it looks for voices", async () => {
  const voices = () => Promise.reject(new TypeError("no network"));
  await using gateway = await startGateway({ ...local, voices });
  for (let round = 0; round < 6; round++) {
    const { status, message } = await readError(await say(gateway, "klingonese"));
    assert.equal(status, 400);
    assert.match(message, /^voice is "klingonese"; allowed: /);
    await assertMissing(await say(gateway));
  }
});

Deno.test("local/voice answers 503 with Retry-After while its voices are being fetched", async () => {
  const fetching: PromiseWithResolvers<Response>[] = [];
  const voices = () => {
    const one = Promise.withResolvers<Response>();
    fetching.push(one);
    return one.promise;
  };
  const clock = fakeClock();
  await using gateway = await startGateway({ ...local, voices, clock });
  for (let round = 0; round < 5; round++) {
    let open = 2;
    const requested = [say(gateway), say(gateway)].map((one) => one.finally(() => open--));
    while (open > 0) {
      await clock.advanceOnce(turns, 1_000);
    }
    for (const response of await Promise.all(requested)) {
      assert.match(response.headers.get("retry-after") ?? "", /^\d+$/);
      const { status, message } = await readError(response);
      assert.equal(status, 503, message);
      assert.match(message, /being fetched/);
    }
  }
  assert.equal(fetching.length, 1, "nobody begins another fetch");
  fetching[0]?.reject(new TypeError("no network"));
  await assertMissing(await say(gateway));
});

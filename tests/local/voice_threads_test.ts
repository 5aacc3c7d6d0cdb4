import assert from "node:assert/strict";
import {
  loadVoiceFiles,
  type PackageOptions,
  VoicesUnavailable,
} from "../../server/local_provider/voices/voice_package.ts";
import {
  createSpeechSynthesizer,
  type SpeechSynthesizer,
} from "../../server/local_provider/voices/speech_synthesizer.ts";
import { SpeechWorkerPool } from "../../server/local_provider/voices/speech_worker_pool.ts";
import { createRuntime } from "../../server/runtime.ts";
import { type FakeClock, fakeClock } from "../support/clock.ts";
import { noVoices } from "../support/embedded.ts";
import { until } from "../support/until.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const runtimeAt = (clock: FakeClock) => ({ ...createRuntime(silent), clock });

function requested(body: object, signal?: AbortSignal): Request {
  const text = JSON.stringify({ model: "local/voice", response_format: "pcm", ...body });
  return new Request("http://local.invalid/audio/speech", { method: "POST", body: text, signal });
}

async function withSpeaker(
  run: (speaker: SpeechSynthesizer, clock: FakeClock) => Promise<void>,
): Promise<void> {
  const clock = fakeClock();
  const speaker = createSpeechSynthesizer({ runtime: runtimeAt(clock) });
  try {
    await run(speaker, clock);
  } finally {
    speaker.close();
  }
}

const sentence = "This sentence is one of many that follow each other. ";

Deno.test({
  name: "createSpeechSynthesizer speaks no further than it is read, and stops when the caller leaves",
  ignore: noVoices,
  fn: () =>
    withSpeaker(async ({ speak, workers: talkers }) => {
      const response = await speak(requested({ input: sentence.repeat(1_000) }));
      const reader = response.body?.getReader();
      await reader?.read();
      await until(() => talkers.busy === 0, { what: "nothing is spoken that nobody reads" });
      await reader?.read();
      await reader?.cancel();
      await until(() => talkers.busy === 0, { what: "nothing is spoken any more" });
    }),
});

Deno.test({
  name: "createSpeechSynthesizer strikes what waits when the caller leaves before a word",
  ignore: noVoices,
  fn: () =>
    withSpeaker(async ({ speak, workers: talkers }) => {
      const gone = new AbortController();
      const waits = Array.from({ length: 6 }, () => speak(requested({ input: sentence }, gone.signal)));
      await until(() => talkers.busy === 6, { what: "all of them wait or are spoken" });
      gone.abort();
      for (const response of await Promise.all(waits)) assert.equal(response.status, 499);
      await until(() => talkers.busy === 0, { what: "nothing waits" });
      const other = await speak(requested({ input: "Hello" }));
      assert.ok((await other.bytes()).length > 10_000);
    }),
});

Deno.test({
  name: "createSpeechSynthesizer hires two threads at most, and lets them go after half a minute of quiet",
  ignore: noVoices,
  fn: () =>
    withSpeaker(async ({ speak, workers: talkers }, clock) => {
      const texts = Array.from({ length: 8 }, () => speak(requested({ input: sentence })));
      for (const response of await Promise.all(texts)) await response.bytes();
      await until(() => talkers.busy === 0, { what: "all is said" });
      assert.ok(talkers.threads >= 1 && talkers.threads <= 2, `${talkers.threads} threads`);
      await clock.advanceOnce(() => talkers.busy === 0 && clock.open > 0, 31_000);
      assert.equal(talkers.threads, 0);
      assert.equal(clock.open, 0);
      const again = await speak(requested({ input: "Hello" }));
      assert.ok((await again.bytes()).length > 10_000);
    }),
});

Deno.test({
  name: "createSpeechSynthesizer refuses more requests than it can bear, and bears as many again",
  ignore: noVoices,
  fn: () =>
    withSpeaker(async ({ speak }) => {
      const open = await Promise.all(Array.from({ length: 32 }, () => speak(requested({ input: sentence }))));
      await assert.rejects(speak(requested({ input: sentence })), { status: 429 });
      await Promise.all(open.map((response) => response.body?.cancel()));
      await (await speak(requested({ input: "Hello" }))).body?.cancel();
    }),
});

Deno.test("SpeechWorkerPool tell those who wait that the voices are missing, and ask anew", async () => {
  let tries = 0;
  const files = () => {
    tries++;
    return Promise.reject(new VoicesUnavailable(new Error("no network")));
  };
  const talkers = new SpeechWorkerPool({ clock: fakeClock(), files });
  const order = { text: "Hello", voice: "gmw/en", speed: 1 };
  for (const round of [1, 2]) {
    const { signal } = new AbortController();
    const all = await Promise.allSettled([talkers.speak(order, signal), talkers.speak(order, signal)]);
    for (const one of all) assert.equal(one.status, "rejected");
    assert.equal(tries, round);
  }
  talkers.close();
});

function optionsWith(answer: (url: string) => Promise<Response>): PackageOptions {
  return { runtime: { ...runtimeAt(fakeClock()), fetch: (input) => answer(String(input)) }, cache: null };
}

Deno.test("loadVoiceFiles takes nothing whose checksum is not the one that is known", async () => {
  const requested: string[] = [];
  const answer = (url: string) => {
    requested.push(url);
    return Promise.resolve(new Response("export default () => 1;"));
  };
  await assert.rejects(loadVoiceFiles(optionsWith(answer)), {
    name: "VoicesUnavailable",
    message: /the checksum of espeak-ng\.js is wrong/,
  });
  assert.match(requested.join(" "), /^\S+\/espeak-ng-emscripten@0\.3\.5\/espeak-ng\.js$/);
});

Deno.test("loadVoiceFiles says why the voices could not be fetched", async () => {
  const answers = [
    [() => Promise.reject(new TypeError("no route to host")), /no route to host/],
    [() => Promise.resolve(new Response("gone", { status: 404 })), /status 404/],
    [() => Promise.resolve(new Response("")), /the checksum/],
  ] as const;
  for (const [answer, message] of answers) {
    await assert.rejects(loadVoiceFiles(optionsWith(answer)), { name: "VoicesUnavailable", message });
  }
});

Deno.test({
  name: "loadVoiceFiles reads what is kept, and nothing that is damaged",
  ignore: noVoices,
  fn: async () => {
    const folder = await Deno.makeTempDir();
    try {
      const fetch = () => Promise.reject(new Error("no network"));
      const options = { runtime: { ...runtimeAt(fakeClock()), fetch }, cache: null, folder };
      const { script, data } = await loadVoiceFiles({ runtime: runtimeAt(fakeClock()) });
      await Deno.mkdir(`${folder}/espeak-ng-0.3.5`);
      await Deno.writeFile(`${folder}/espeak-ng-0.3.5/espeak-ng.js`, script);
      await Deno.writeFile(`${folder}/espeak-ng-0.3.5/espeak-ng.data`, data);
      assert.equal((await loadVoiceFiles(options)).data.length, data.length);
      data[1_000] = (data[1_000] ?? 0) ^ 1;
      await Deno.writeFile(`${folder}/espeak-ng-0.3.5/espeak-ng.data`, data);
      await assert.rejects(loadVoiceFiles(options), VoicesUnavailable);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

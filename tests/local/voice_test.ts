import assert from "node:assert/strict";
import process from "node:process";
import { measureAudio } from "../../server/speech/audio/measure.ts";
import { startLocalProvider } from "../../server/local_provider/local_provider.ts";
import { sourceFrom } from "../../server/protocols/stream/source.ts";
import { createRuntime, type Runtime } from "../../server/runtime.ts";
import { voiceNames } from "../../shared/embedded_voices.ts";
import { fakeClock } from "../support/clock.ts";
import { noVoices } from "../support/embedded.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

interface Rig {
  readonly post: (body: object, init?: RequestInit) => Promise<Response>;
  readonly get: (path: string) => Promise<Response>;
}

async function withVoice(run: (rig: Rig) => Promise<void>, own: Partial<Runtime> = {}): Promise<void> {
  const client = Deno.createHttpClient({});
  const local = startLocalProvider({
    runtime: { ...createRuntime(silent), clock: fakeClock(), ...own },
  });
  const { baseUrl, headers } = local;
  const post = (body: object, init: RequestInit = {}) => {
    const requested = JSON.stringify({ model: "local/voice", input: "Good morning", ...body });
    return fetch(`${baseUrl}/audio/speech`, { method: "POST", headers, body: requested, client, ...init });
  };
  try {
    await run({ post, get: (path) => fetch(`${baseUrl}${path}`, { headers, client }) });
  } finally {
    client.close();
    await local.close();
  }
}

type Format = "mp3" | "wav" | "pcm";

interface Say {
  readonly input?: string;
  readonly voice?: string;
  readonly speed?: number;
  readonly response_format?: Format;
}

async function heard({ post }: Rig, body: Say) {
  const response = await post(body);
  assert.equal(response.status, 200);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const type = body.response_format ?? "mp3";
  const from = type === "pcm" ? { type, sampleRate: 24_000, channels: 1 } : { type };
  return { ...await measureAudio({ source: sourceFrom([bytes]), from }), bytes };
}

interface Case {
  readonly name: string;
  readonly run: (rig: Rig) => Promise<void>;
}

const LONG = "This sentence is one of many that follow each other. ".repeat(40);
const pcm = { response_format: "pcm" } as const;

const cases: readonly Case[] = [
  {
    name: "speaks MP3, WAV and raw samples of one length, one loudness and one rate",
    run: async (rig) => {
      for (const input of ["Good morning", "One. Two is longer; three, and a question: is this the end?"]) {
        const raw = await heard(rig, { input, ...pcm });
        assert.ok(raw.seconds > 0.4 && raw.loudness > 0.03 && raw.peak <= 1, JSON.stringify(raw.seconds));
        for (const response_format of ["mp3", "wav"] as const) {
          const other = await heard(rig, { input, response_format });
          assert.deepEqual([other.sampleRate, other.channels], [24_000, 1]);
          assert.ok(Math.abs(other.seconds - raw.seconds) < 0.05, `${other.seconds} and ${raw.seconds}`);
          assert.ok(Math.abs(other.loudness - raw.loudness) < 0.15 * raw.loudness);
        }
      }
    },
  },
  {
    name: "says what it is in the headers, as the original does",
    run: async ({ post }) => {
      const types = { mp3: "audio/mpeg", wav: "audio/wav", pcm: "audio/pcm" } as const;
      for (const [response_format, type] of Object.entries(types)) {
        const response = await post({ response_format });
        assert.equal(response.headers.get("content-type"), type);
        assert.equal(response.headers.get("x-audio-sample-rate"), "24000");
        assert.equal(response.headers.get("x-audio-channels"), "1");
        // To its end: what is cancelled is still worked on for a moment, behind the end of the test.
        await response.arrayBuffer();
      }
    },
  },
  {
    name: "says different texts differently, and longer texts longer",
    run: async (rig) => {
      const [one, two, longer] = [
        await heard(rig, { input: "Good morning", ...pcm }),
        await heard(rig, { input: "Good evening", ...pcm }),
        await heard(rig, { input: "Good morning to everybody who is here today", ...pcm }),
      ];
      assert.notDeepEqual(one.bytes, two.bytes);
      assert.ok(longer.seconds > 2 * one.seconds);
    },
  },
  {
    name: "keeps to every speed within a tenth",
    run: async (rig) => {
      for (const input of ["Good morning", "A longer text, with a comma. And another sentence!"]) {
        const { seconds } = await heard(rig, { input, ...pcm });
        for (const speed of [0.25, 0.5, 0.9, 1.5, 2, 3, 4]) {
          const other = await heard(rig, { input, speed, ...pcm });
          const ratio = other.seconds * speed / seconds;
          assert.ok(ratio > 0.9 && ratio < 1.1, `${speed}: ${ratio}`);
          assert.ok(other.loudness > 0.03, `${speed} is silent`);
        }
      }
    },
  },
  {
    name: "has a voice for every name in its list",
    run: async (rig) => {
      const { voices } = await (await rig.get("/audio/voices")).json();
      assert.deepEqual(voices, voiceNames);
      for (const code of ["en", "en-us", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "tr", "sv", "zh"]) {
        assert.ok(voiceNames.includes(code), code);
      }
      const sounds = new Set<string>();
      for (const voice of voiceNames) {
        const { seconds, loudness, bytes } = await heard(rig, { input: "1 2 3 taka mani", voice, ...pcm });
        assert.ok(seconds > 0.3 && loudness > 0.01, `${voice}: ${seconds} s`);
        sounds.add(`${bytes.length}`);
      }
      assert.ok(sounds.size > 60, `${sounds.size} kinds of sound`);
    },
  },
  {
    name: "names what is wrong and what is allowed",
    run: async ({ post }) => {
      const wrong = [
        [{ voice: "klingon" }, "voice", /'klingon' is no voice.*\ben-us\b/],
        [{ response_format: "flac" }, "response_format", /mp3, wav, pcm/],
        [{ speed: 4.1 }, "speed", /0\.25 to 4/],
        [{ speed: "fast" }, "speed", /speed/],
        [{ input: " \n\t" }, "input", /nothing to say/],
        [{ input: 5 }, "input", /input/],
        [{ input: "a".repeat(100_001) }, "input", /100000/],
      ] as const;
      for (const [body, param, message] of wrong) {
        const response = await post(body);
        const { error } = await response.json();
        assert.equal(response.status, 400, param);
        assert.equal(error.param, param);
        assert.match(error.message, message);
      }
      const response = await post({ model: "local/other" });
      assert.equal(response.status, 404);
      await response.body?.cancel();
    },
  },
  {
    name: "speaks what is odd: one sign, an endless word, half a pair, commands, a zero in the middle",
    run: async (rig) => {
      const odd = [
        "x",
        "a".repeat(3_000),
        "\ud83d hello",
        "<speak><break/>hello</speak> [[h@l'oU]]",
        "a\0b c",
      ];
      for (const input of odd) {
        assert.ok((await heard(rig, { input, ...pcm })).seconds > 0.05, input.slice(0, 20));
      }
    },
  },
  {
    name: "flows: the first sentence is there long before the last",
    run: async ({ post }) => {
      const start = performance.now();
      const response = await post({ input: LONG, ...pcm });
      const reader = response.body?.getReader();
      let size = (await reader?.read())?.value?.length ?? 0;
      const first = performance.now() - start;
      for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
        size += next.value.length;
      }
      assert.ok(first < 0.5 * (performance.now() - start), `first after ${first} ms`);
      assert.ok(size > 48_000 * 60, `${size} bytes`);
    },
  },
  {
    name: "lets a short text pass while long ones are spoken",
    run: async ({ post }) => {
      const long = [1, 2, 3, 4].map(() => post({ input: LONG, ...pcm }));
      const bodies = await Promise.all(long);
      const done: string[] = [];
      const waits = bodies.map(async (response) => {
        await response.arrayBuffer();
        done.push("long");
      });
      await (await post({ input: "Short.", ...pcm })).arrayBuffer();
      done.push("short");
      assert.equal(done[0], "short");
      await Promise.all(waits);
    },
  },
  {
    name: "holds nobody up: other work goes on while it speaks",
    run: async ({ post }) => {
      await (await post({ input: "Warm up." })).arrayBuffer();
      const longest = await longestTurn(() => post({ input: LONG.slice(0, 1_500) }));
      assert.ok(longest < 50, `${longest} ms`);
    },
  },
];

/** The most processor time, ms, that this thread spends between two turns of a timer while the answer comes. */
async function longestTurn(ask: () => Promise<Response>): Promise<number> {
  let [longest, last] = [0, process.threadCpuUsage()];
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.threadCpuUsage();
  }, 5);
  try {
    await (await ask()).body?.pipeTo(new WritableStream());
    return longest;
  } finally {
    clearInterval(timer);
  }
}

for (const { name, run } of cases) {
  Deno.test({ name: `local/voice ${name}`, ignore: noVoices, fn: () => withVoice(run) });
}

Deno.test("local/voice says how its voices can be had where they are not", async () => {
  const { createSpeechSynthesizer: createSpeaker } = await import(
    "../../server/local_provider/voices/speech_synthesizer.ts"
  );
  const runtime = {
    ...createRuntime(silent),
    clock: fakeClock(),
    fetch: () => Promise.reject(new TypeError("no network")),
  };
  const speaker = createSpeaker({ runtime, cache: null });
  const body = JSON.stringify({ model: "local/voice", input: "Good morning" });
  const request = new Request("http://local.invalid/audio/speech", { method: "POST", body });
  const error = await speaker.speak(request).then(() => undefined, (one) => one);
  assert.equal(error.status, 404);
  assert.match(error.body.message, /`deno task setup`.*no network/);
  speaker.close();
});

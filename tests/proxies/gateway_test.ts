/** A gateway whose settings name a proxy: what callers see of it. */

import assert from "node:assert/strict";
import { type Config, readConfig } from "../../server/config/config.ts";
import { gatewayUrl } from "../../server/config/startup_texts.ts";
import { createLogger } from "../../server/logger.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import { createRuntime } from "../../server/runtime.ts";
import { startGateway } from "../../server/app/start.ts";
import { startChatMock } from "../mocks/chat_upstream.ts";
import type { Mock } from "../mocks/serve.ts";
import { hasTinyproxy, startTinyproxy } from "../support/tinyproxy.ts";
import type { Env } from "../support/task.ts";
import { tickingClock } from "../support/ticking_clock.ts";

const ignore = !hasTinyproxy();

/** An address of this machine that is not its loopback one: proxies are asked for it. */
const HERE = "0.0.0.0";

interface RunningUpstream extends AsyncDisposable {
  readonly mock: Mock;
}

function startUpstream(): RunningUpstream {
  const mock = startChatMock();
  return { mock, [Symbol.asyncDispose]: () => mock.close() };
}

interface RunningRig {
  readonly ask: (body: object) => Promise<Response>;
  readonly log: () => string;
}

function configOf(env: Env, mock: Mock): Config {
  const base_url = mock.url.replace("127.0.0.1", HERE);
  const file = JSON.stringify({ providers: [{ id: "acme", wire: "chat", base_url, open: true }] });
  return readConfig({ env: (name) => env[name], readFile: () => file, terminal: false }, providerSettings);
}

/** A gateway with its own connections, as `main.ts` starts it. */
async function withGateway(
  settings: Env,
  { mock, use }: { readonly mock: Mock; readonly use: (rig: RunningRig) => Promise<void> },
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const env = {
    TOLLGATE_DATA: folder,
    TOLLGATE_CONFIG: "file",
    PORT: "0",
    TOLLGATE_LOCAL: "off",
    ...settings,
  };
  let log = "";
  const write = (line: string) => void (log += line);
  const clock = tickingClock();
  const logger = createLogger({ format: "json", level: "debug", now: clock.now, write });
  const runtime = { ...createRuntime(logger), clock };
  const running = await startGateway({ config: configOf(env, mock), runtime });
  const headers = {
    authorization: `Bearer ${running.installation.apiKey}`,
    "content-type": "application/json",
  };
  const ask = (body: object) =>
    fetch(`${gatewayUrl(running)}/v1/responses`, {
      method: "POST",
      headers,
      body: JSON.stringify({ model: "acme/mock", input: "hello", ...body }),
    });
  try {
    await use({ ask, log: () => log });
  } finally {
    await running.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

for (const name of ["HTTP_PROXY", "http_proxy"]) {
  Deno.test({
    name: `a gateway with ${name} calls its providers through it, also for streams`,
    ignore,
    fn: async () => {
      await using proxy = await startTinyproxy({ credentials: "user:secret" });
      await using upstream = startUpstream();
      const { mock } = upstream;
      const settings = { [name]: `http://user:secret@127.0.0.1:${proxy.port}` };
      await withGateway(settings, {
        mock,
        use: async ({ ask }) => {
          const whole = await ask({});
          assert.equal(whole.status, 200, await whole.clone().text());
          assert.equal((await whole.json()).status, "completed");
          assert.match(await (await ask({ stream: true })).text(), /response\.completed/);
          const requests = (await proxy.log()).match(/POST http:\/\/0\.0\.0\.0:\d+/g) ?? [];
          assert.equal(requests.length, 2);
        },
      });
    },
  });
}

Deno.test({
  name: "a gateway with NO_PROXY calls what it names directly",
  ignore,
  fn: async () => {
    await using proxy = await startTinyproxy();
    await using upstream = startUpstream();
    const { mock } = upstream;
    const settings = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: `example.com,${HERE}` };
    await withGateway(settings, {
      mock,
      use: async ({ ask }) => {
        const whole = await ask({});
        assert.equal(whole.status, 200);
        await whole.body?.cancel();
        assert.doesNotMatch(await proxy.log(), /POST/);
      },
    });
  },
});

for (const stream of [false, true]) {
  Deno.test({
    name: `a gateway whose proxy is gone or wants other credentials answers 502 (stream: ${stream})`,
    ignore,
    fn: async () => {
      await using proxy = await startTinyproxy({ credentials: "user:secret" });
      await using upstream = startUpstream();
      const { mock } = upstream;
      const address = `127.0.0.1:${proxy.port}`;
      const check = (reason: RegExp) => async ({ ask, log }: RunningRig) => {
        const response = await ask({ stream });
        const text = await response.text();
        assert.equal(response.status, 502, text);
        assert.match(text, reason);
        assert.match(text, new RegExp(`http://${address}`));
        assert.doesNotMatch(text + log(), /hunter2|dXNlcjpodW50ZXIy/);
      };
      await withGateway({ HTTP_PROXY: `http://${address}` }, { mock, use: check(/missing or wrong/) });
      await proxy.stop();
      const settings = { HTTP_PROXY: `http://user:hunter2@${address}` };
      await withGateway(settings, { mock, use: check(/cannot be reached/) });
    },
  });
}

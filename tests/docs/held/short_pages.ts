/** Pages with few statements: agents, behind-a-proxy, clients, console, hosts, install, rotate-keys, routing, speech. */

import { SESSION_MS } from "../../../server/api/console/console_sessions.ts";
import { PER_MINUTE } from "../../../server/api/console/sign_in_attempts.ts";
import { DEFAULT_LIMIT } from "../../../server/api/models/anthropic_models.ts";
import { envSettings } from "../../../server/config/env_settings.ts";
import { limitsSchema } from "../../../server/config/limits.ts";
import { apiErrorKinds as kinds } from "../../../shared/errors.ts";
import { MOST_DIMENSIONS } from "../../../server/local_provider/embedder.ts";
import { MAX_INPUT_TOKENS, MAX_TEXTS } from "../../../shared/embeddings/request.ts";
import { MAX_INPUT_CHARACTERS } from "../../../shared/speech.ts";
import { type HeldPage, inWords, mib, says } from "./held_page.ts";

const PACKAGE = "The name of a package.";

const limits = limitsSchema.parse({});

const CHART = "tests/manifests/chart_test.ts";
const FRONT = "tests/proxies/front_test.ts";
const HEALTH = "server/pipeline/routing/health/endpoint_health.ts";
const LIMITS = "server/config/limits.ts";
const READY = "tests/http/routes_test.ts";
const REFUSED = "tests/faults/refused_keys_test.ts";
const SESSIONS = "server/api/console/console_sessions.ts";
const SPEECH = "shared/speech.ts";
const VALUES = "deploy/helm/tollgate/values.yaml";

export const frameworks: HeldPage = {
  rows: [[
    "Each prints `You said: Say hello.`",
    "tests/docs/commands_test.ts",
    "runProgram(block.text, started), /hello/i",
  ]],
  others: [
    ['`generateText` ends in "Invalid JSON response"', "A text of the AI SDK."],
    ["| Python | `litellm` |", PACKAGE],
    ["`langchain-openai`", PACKAGE],
    ["`langchain-anthropic`", PACKAGE],
    ["`pydantic-ai-slim`", PACKAGE],
    ["`llama-index-llms-openai-like`", PACKAGE],
  ],
};

export const agents: HeldPage = {
  rows: [
    says`stops an agent at its next call with ${kinds.unauthorized.status} or ${kinds.payment_required.status}`,
  ],
  others: [
    ["such as `fast` or `smart`", "An example."],
    ["one with more than 30 calls", "A run by hand with the versions that the page names."],
    ['API provider "OpenAI Compatible"', "A label of Cline's."],
    ['under Models, "Override OpenAI Base URL"', "A label of Cursor's."],
  ],
};

export const behindAProxy: HeldPage = {
  rows: [
    says`by default on \`${envSettings.host.fallback}:${String(envSettings.port.fallback)}\``,
    [
      "HTTP/2 without TLS is refused with 505",
      "tests/http_server/request_heads_test.ts",
      "const VERSION = [400, 505];",
    ],
    says`uploads of ${mib(limits.file_bytes)}`,
    says`every ${inWords(limits.heartbeat_seconds)} seconds at least`,
    ["so 60 s suffice", LIMITS, "heartbeat_seconds: seconds(10)"],
    says`which may take ${inWords(limits.answer_seconds / 60)} minutes`,
    ["nginx would answer 504 after 60 s", FRONT, "reads for 60 s."],
    says`files have up to ${mib(limits.file_bytes)}`,
    says`other bodies up to ${mib(limits.body_bytes)}`,
    ["nginx refuses more than 1 MiB by itself", FRONT, "nginx refuses that body itself"],
    says`whose ${kinds.too_large.status} is JSON`,
    [
      "the gateway closes them after 75 s",
      "server/http/http_server/default_options.ts",
      "const IDLE_MS = 75_000;",
    ],
    ["nginx does after 60 s", FRONT, "keeps unused ones for 60 s"],
    says`limited by address, to ${limits.failed_keys_per_minute} a minute`,
    says`at the console's sign-in to ${inWords(PER_MINUTE)}`,
    ["`0`, the default", "server/config/env_settings.ts", "fallback: noProxy"],
    says`every sign-in is refused with ${kinds.forbidden.status}`,
    says`begins with anything else is ${kinds.not_found.status}`,
  ],
  others: [
    ["nginx 1.22 and Caddy 2.6", "Versions of other programs."],
    ["Caddy after two minutes", "A default of another program."],
    ["Leave `flush_interval` out", "A setting of Caddy."],
    ["`proxy_read_timeout` is longer", "A setting of nginx."],
    ["leave `proxy_ignore_client_abort` off", "A setting of nginx."],
    ["loses a port other than 443", "A rule of nginx."],
  ],
};

export const clients: HeldPage = {
  rows: [
    says`Anthropic's pages: \`limit\` (${DEFAULT_LIMIT})`,
    says`(\`local/embed\`: up to ${MOST_DIMENSIONS})`,
    says`at most ${MAX_TEXTS.toLocaleString("en")} of them`,
    says`at most ${MAX_INPUT_TOKENS.toLocaleString("en")} tokens in a request`,
    [
      "is 400 with its place, and no provider is asked",
      "tests/clients/embeddings_test.ts",
      "POST /embeddings says of a wrong input where it is, what is there and what is allowed",
    ],
    ["| 200 while the process runs", READY, "GET /healthz and /readyz need no key"],
    ["| 200 when requests can be served, else 503", READY, "GET /healthz and /readyz need no key"],
  ],
  others: [["unless `check_embedding_ctx_length` is off", "A parameter of LangChain."]],
};

export const consolePage: HeldPage = {
  rows: [
    ["after 30 minutes without use", SESSIONS, "const IDLE_MS = 30 * 60_000;"],
    says`A session lasts ${inWords(SESSION_MS / 3_600_000)} hours`,
    ["over 1 h to 30 d", "console/models/series.ts", 'text: "30 d"'],
    [
      "made at the first run, 5 USD a day",
      "server/management/system_keys/system_keys.ts",
      'playground: { name: "Console playground", dailyLimit: 5 }',
    ],
    ["five wrong keys in a minute", "server/api/console/sign_in_attempts.ts", "const PER_MINUTE = 5;"],
    ["for ten minutes, from the same machine", "server/api/console/sign_in_link.ts", "10 * 60_000"],
    ["The command ends with status 0", "tests/console_build_test.ts", "assert.equal(code, 0);"],
  ],
};

export const hosts: HeldPage = {
  rows: [[
    "Its status is 1 where something is missing",
    "server/app/setup_steps_test.ts",
    "says so, and ends with status 1",
  ]],
  others: [
    ["called on port 443", "The port of https."],
    ["The default Python packages", "A name."],
  ],
};

export const install: HeldPage = {
  rows: [
    ["It runs as the user 1993", "tests/deploy/image_test.ts", 'assert.equal(image.user, "1993")'],
    [
      "`docker stop --time 45` lets running requests end",
      "server/app/start.ts",
      "const LEDGER_END_MS = 7_500;",
    ],
    ["The pod runs as the user 1993", CHART, "runAsUser: 1993,"],
    ["serves for 5 s more", CHART, "{ preStop: { sleep: { seconds: 5 } } }"],
    [
      "`terminationGracePeriodSeconds` (60)",
      VALUES,
      "terminationGracePeriodSeconds: 60",
    ],
    [
      "has to be 15 s more than both together",
      "deploy/helm/tollgate/templates/_checks.tpl",
      "add .Values.preStopSeconds (ceil $drain) 15",
    ],
    ["Off unless enabled: `autoscaling`", VALUES, "autoscaling:\n  enabled: false\n"],
    ["`ingress` and `httpRoute`", VALUES, "ingress:\n  enabled: false\n"],
    [
      "the schemas of Kubernetes 1.30 and 1.37",
      "tests/manifests/kubernetes_test.ts",
      'const VERSIONS = ["1.30", "1.37"];',
    ],
  ],
  others: [
    ["the usual mode, 644", "The mode that a system gives to new files."],
    ["and `kubectl` were not run", "A program of Kubernetes."],
  ],
};

export const rotateKeys: HeldPage = {
  rows: [
    ["at most a week, 604,800 s", "shared/management/keys.ts", ".max(604_800)"],
    ["(at least 32 characters)", "server/config/env_settings.ts", "(at least 32 characters)"],
    says`Running requests get ${limits.drain_seconds} s to end`,
    says`are answered with ${kinds.upstream_failed.status}`,
    ["32 random bytes in base64", "server/config/env_settings.ts", "32 bytes in base64"],
  ],
  others: [["(steps 4 and 6)", "Steps of the page."]],
};

export const routing: HeldPage = {
  rows: [
    ["three times in a row", HEALTH, "const IN_A_ROW = 3;"],
    ["five times in half a minute", HEALTH, "const IN_WINDOW = 5;"],
    ["cools down for 5 s", HEALTH, "const FIRST_REST_MS = 5_000;"],
    ["doubling to 30 s", HEALTH, "const LONGEST_REST_MS = 30_000;"],
    ["asked again within 30 s of its end", HEALTH, "const LONGEST_REST_MS = 30_000;"],
    ["Silence before the head: 60 s of a stream", LIMITS, "first_byte_seconds ?? 60"],
    says`Silence behind the head: ${limits.silence_seconds} s of a stream`,
    says`${limits.answer_seconds / 60} minutes of a whole answer`,
    says`at fault itself (${kinds.invalid_request.status})`,
    [
      "too large for the provider (413)",
      "tests/routing/next_model_test.ts",
      '{ name: "too large", status: 413',
    ],
    ["with every status, and inside a 200", "tests/routing/next_model_test.ts", "inside of a 200"],
    [
      "One that answers 429 cools down",
      "tests/faults/statuses_test.ts",
      "leaves an endpoint alone until its Retry-After is over",
    ],
    ["A refused key is 502 with its reason", REFUSED, "answers 502 for as long as"],
    [
      "(status 401: it is wrong, expired or disabled)",
      REFUSED,
      "status 401: it is wrong, expired or disabled",
    ],
    ["401, 402 and 403 of the provider", REFUSED, "status 403: it may not use this model"],
    ["`insufficient_quota` with 429", REFUSED, 'code: "insufficient_quota"'],
  ],
};

export const speech: HeldPage = {
  rows: [
    says`Up to ${MAX_INPUT_CHARACTERS} characters are spoken (more is ${kinds.too_large.status})`,
    ["up to 15 MiB and", SPEECH, "15 MiB of sound"],
    ["1 to 600 s of WAV", "server/speech/voice_reference.ts", "const LONGEST = 600;"],
    [
      "`pcm` (the default) or `mp3`",
      "server/api/inference/speech_route.ts",
      'format = "pcm", events = false',
    ],
    ["PCM has 16 bits", "tests/speech/clients_test.ts", "openai audio.speech.create gets raw samples"],
    [
      "`audio` (the default) is the sound itself",
      "server/api/inference/speech_route.ts",
      'format = "pcm", events = false',
    ],
    ["`speed` | 0.25 to 4", SPEECH, "min(0.25).max(4)"],
  ],
};

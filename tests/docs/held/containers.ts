/** docs/containers.md. */

import { MAX_PATH_BYTES } from "../../../server/sandbox/containers/container_ids.ts";
import { MAX_CONTAINER_FILE_BYTES, MAX_ENTRIES } from "../../../server/sandbox/containers/file_list.ts";
import { DEFAULT_SLEEP_SECONDS } from "../../../server/sandbox/containers/container_service.ts";
import { MAX_CONTAINERS } from "../../../server/sandbox/containers/container_store.ts";
import { MAX_PLOTS } from "../../../server/sandbox/python/cells.ts";
import { CLOCK_FACTOR } from "../../../server/sandbox/keeper/messages.ts";
import { MAX_FETCHED_BYTES, MAX_NAME_BYTES, MAX_OUTPUT_BYTES } from "../../../server/sandbox/messages.ts";
import { WAIT_MS } from "../../../server/sandbox/process_pool.ts";
import {
  DEFAULT_TIMEOUT_MS,
  MAX_TIMEOUT_MS,
} from "../../../server/pipeline/tools/containers/container_call.ts";
import { DEFAULT_CONTAINER_PAGE_SIZE } from "../../../shared/management/containers.ts";
import { apiErrorKinds as kinds } from "../../../shared/errors.ts";
import { IDLE_MS, LIFE_MS } from "../../../server/sandbox/bubblewrap/network/connection_watch.ts";
import { MAX_REQUESTS } from "../../../server/sandbox/allowed_requests.ts";
import { type HeldPage, inWords, mib, says, seconds } from "./held_page.ts";

const CALL = "server/pipeline/tools/containers/container_call.ts";
const FILE_LIST = "server/sandbox/containers/file_list.ts";
const SANDBOX = "server/config/sandbox_settings.ts";
const CHAINS = "server/sandbox/bubblewrap/chains.ts";
const WHEEL = "server/sandbox/bubblewrap/wheels/wheel_program.ts";
const HOLDER = "server/sandbox/bubblewrap/holder_session.ts";
const TOOLS = "shared/responses/service_tools.ts";
const INTERPRETER = "server/pipeline/tools/containers/code_interpreter.ts";
const INTERRUPTS = "server/sandbox/child/python/interrupts.ts";
const LIMITS = "tests/containers/limits_test.ts";
const DEBIAN = "tests/sandbox/debian_test.ts";

const COMMANDS = "Commands of the shell, which tests/sandbox/commands_test.ts looks for.";

export const containers: HeldPage = {
  rows: [
    ["the newest first, at most 10", CALL, "const MAX_CITED = 10;"],
    ['`{"type": "container_auto"}`, the default', TOOLS, 'type: z.literal("container_auto")'],
    ["Both take `file_ids`, at most 20", TOOLS, "file_ids: z.array(z.string()).max(20)"],
    [
      '`{"type": "disabled"}`, the default',
      "server/sandbox/containers/container_service.ts",
      '{ network = { type: "disabled" }',
    ],
    says`longer than ${MAX_NAME_BYTES} bytes`,
    ["with at most 50 domains", TOOLS, ".max(50) })"],
    says`may GET these, ${MAX_REQUESTS} times a command`,
    says`${mib(MAX_FETCHED_BYTES)} each, on public`,
    says`\`sleep_after_seconds\` (${DEFAULT_SLEEP_SECONDS}, at most`,
    ["at most 2,592,000)", TOOLS, "const sleepAfter = z.int().min(1).max(2_592_000)"],
    [
      "ends in `-r` and eight characters",
      "server/sandbox/containers/container_ids.ts",
      "const nonceForm = /-r[a-z0-9]{8}$/;",
    ],
    says`Another workspace's container is ${kinds.not_found.status}`,
    [
      "another `network_policy` than it has is 400",
      LIMITS,
      "another network policy is refused while a container is in use",
    ],
    ["60 s after the last command", "server/sandbox/process_pool.ts", "const WARM_MS = 60_000;"],
    ["bash 5.2 on Debian 12 gives", "tests/sandbox/debian/record.ts", 'release.startsWith("12.")'],
    ["of 379 calls 368 give", "tests/sandbox/programs_test.ts", "{ calls: 379, refused: 11 }"],
    ["and 11 are refused", "tests/sandbox/programs_test.ts", "{ calls: 379, refused: 11 }"],
    ["165 snippets of shell and 60 of Python", DEBIAN, "{ bash: 165, python: 60 }"],
    ["At least 65 % of the shell's", DEBIAN, "virtual: { bash: 0.65"],
    ["and 75 % of Python's", DEBIAN, "virtual: { bash: 0.65, python: 0.75 }"],
    ["is Python 3.14, where Debian 12 has 3.11", "tests/sandbox/debian/listed.ts", "`python3`"],
    ["and 98 % of all in one of `bubblewrap`", DEBIAN, "bubblewrap: { bash: 0.98, python: 0.98 }"],
    [
      "whole numbers of 53 bits; `<<`, `>>`, `&`, `\\|`, `^` and `~` of 32",
      "tests/sandbox/differences_slow_test.ts",
      "counts in 53 bits",
    ],
    [
      "at most 10,000 words",
      "tests/sandbox/differences_slow_test.ts",
      "makes 10,000 words of braces at most",
    ],
    says`${seconds(DEFAULT_TIMEOUT_MS)} s of the processor`,
    says`\`timeout_ms\` to ${seconds(MAX_TIMEOUT_MS)} s`,
    says`and is closed; at most ${MAX_PLOTS} in a call`,
    ["variables of earlier calls are gone, files are kept", "tests/sandbox/notebook_slow_test.ts", "new 1"],
    [
      "Frames of pandas are printed with up to 60 columns",
      "server/sandbox/python/cells.ts",
      'max_columns", 60',
    ],
    ["(60 s after the last command, a restart", "server/sandbox/process_pool.ts", "const WARM_MS = 60_000;"],
    ["as `plot-1.png` and so on", "tests/containers/day_slow_test.ts", "plot-1.png"],
    ["WebP, 4 MiB each, 16 MiB in all", INTERPRETER, "const MAX_SHOWN_BYTES = 16 * MIB;"],
    ["up to 2 MiB each as base64", INTERPRETER, "const MAX_SEEN_CHARS = 2 * MIB;"],
    [
      "and of a request 20 and 8 MiB",
      "server/pipeline/tools/result_images.ts",
      "const MAX_IMAGES = 20;\nconst MAX_CHARS = 8 * 1024 * 1024;",
    ],
    [
      "of more than 1,000 characters the beginning and the end",
      "server/sandbox/containers/last_command.ts",
      "const MAX_COMMAND_CHARS = 1_000;",
    ],
    ["and 300 ms of the", INTERRUPTS, "const GRACE_MS = 300;"],
    says`by the clock ${inWords(CLOCK_FACTOR)} times as long`,
    ["512 MiB, `memory_mib` 128 to 4,096", SANDBOX, ".min(128).max(4_096).default(512)"],
    ["Python alone needs 200", "tests/sandbox/memory_test.ts", "Python without room does not start"],
    says`a command waits ${seconds(WAIT_MS)} s for one`,
    says`${mib(MAX_OUTPUT_BYTES)} each of stdout and stderr`,
    ["the model is shown 30,000 characters", CALL, "DEFAULT_OUTPUT_LENGTH = 30_000;"],
    says`${MAX_ENTRIES} with folders and links`,
    ["100 MiB in all", FILE_LIST, "const MAX_CONTAINER_BYTES = 100 * MIB;"],
    says`${mib(MAX_CONTAINER_FILE_BYTES)} each`,
    says`paths of ${MAX_PATH_BYTES} bytes`,
    ["and 32 levels", FILE_LIST, "const MAX_LEVELS = 32;"],
    says`names of ${MAX_NAME_BYTES} bytes`,
    says`containers of a workspace | ${MAX_CONTAINERS}`,
    [
      "`bwrap` 0.8.0 or newer",
      "server/sandbox/bubblewrap/try_sandbox.ts",
      "bubblewrap is too old here: 0.8.0 or newer is needed.",
    ],
    ["`auto`, the default", SANDBOX, 'engine: z.enum(sandboxEngines).default("auto")'],
    ["more than 15,000 files or 256 MiB", WHEEL, "MOST_BYTES, MOST_FILES = 256 * 1024 * 1024, 15_000"],
    ["the kernel is older than 5.14", "server/sandbox/bubblewrap/walls.ts", "LEAST_KERNEL = [5, 14]"],
    ["half of `memory_mib`", HOLDER, "const FILES_SHARE = 0.5;"],
    ["and 20,000 of them with `/tmp`", HOLDER, "const MAX_ENTRIES = 20_000;"],
    says`with ${MAX_REQUESTS} connections a command and ${MAX_FETCHED_BYTES / 1024 / 1024} MiB each, both`,
    says`one ends after ${seconds(LIFE_MS)} s, or ${seconds(IDLE_MS)} s without a byte`,
    ["on port 443", "tests/sandbox/command_proxy_test.ts", "/403 Only port 443/"],
    ["answered with 403 and a sentence", "tests/sandbox/command_proxy_test.ts", "in a sentence`"],
    ["128 processes", CHAINS, "const MAX_PROCESSES = 128;"],
    ["1,024 open files", CHAINS, "const MAX_OPEN_FILES = 1_024;"],
    ["100 MiB a file", CHAINS, "const MAX_FILE_BYTES = 100 * MIB;"],
    ["from 2,000,000,001 on", "server/sandbox/bubblewrap/container_user.ts", "const FIRST = 2_000_000_001;"],
    ["30 days after its last use", SANDBOX, ".default(30)"],
    ["300 ms of the processor for its own end", INTERRUPTS, "const GRACE_MS = 300;"],
    [
      "a `tool_choice` that forces one is 400",
      "tests/containers/tools_test.ts",
      "not offered where containers are off, and 400 where they are forced",
    ],
    ["`limit` (1 to 1,000, default", "shared/management/containers.ts", "z.int().min(1).max(1_000)"],
    says`default ${DEFAULT_CONTAINER_PAGE_SIZE}), \`after\``,
    says`${kinds.too_large.status} beyond the quota`,
    says`\`If-Match\` (${kinds.precondition_failed.status})`,
  ],
  others: [
    ["`jobs`, `fg`, `bg`, `disown`, `coproc`, `kill`", COMMANDS],
    ["`umask`, `ulimit`, owners", COMMANDS],
    ["| `printf` |", COMMANDS],
    ["| `expr` |", COMMANDS],
    ["| `jq` |", COMMANDS],
    ["`IFS=$'\\n' a=($(…))` and `readarray -d`", COMMANDS],
    ["`gdb`, `strace` and nested sandboxes", "Programs of the machine."],
    ["| `awk` |", COMMANDS],
    ["an endless loop of `awk`", COMMANDS],
    ["goes on; `awk` and other programs", COMMANDS],
    ["`os.system` and `subprocess` raise", "Modules of Python."],
    ["(`time.sleep`, `asyncio`)", "Modules of Python."],
    ["Python's `urllib` use by themselves", "Modules of Python."],
    ["`awk`, `sed`, `tar`, `gzip`, `rg`, `yq`, `xan`", COMMANDS],
    ["Ubuntu 24.04 and later", "A version of others."],
    ["in about two minutes and 1.7 GB", "The size of packages of others."],
    ["`sha256sum` the sums", "A program of the machine."],
    ["Linux 5.14 or newer", "Older kernels count processes for the whole machine."],
    ["fetches about 100 MB", "The size of packages of others."],
  ],
};

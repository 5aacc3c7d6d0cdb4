/** Test files that run in series, because another file beside them in the process would disturb them. */

/** Files that run one after the other in a process of their own, beside the other series. */
export interface Series {
  readonly name: string;
  /** Paths of files, or of folders with a slash behind them. */
  readonly paths: readonly string[];
  /** Paths below these that another series has. */
  readonly except?: readonly string[];
  /** The browser's driver and the keeper read /proc, which Deno allows with all permissions only. */
  readonly allPermissions: boolean;
}

/** Suites that measure their process, in which no other file may run then, or fill it with connections. */
export const measured: Series = {
  name: "measured",
  paths: [
    "server/providers/upstream/backpressure_slow_test.ts",
    "server/providers/upstream/tls_test.ts",
    "tests/bench/",
    "tests/faults/client_test.ts",
    "tests/faults/disconnects_test.ts",
    "tests/faults/sizes_test.ts",
    "tests/faults/store_file_test.ts",
    "tests/files/disconnects_test.ts",
    "tests/http_server/disconnects_test.ts",
    "tests/http_server/drain_test.ts",
    "tests/http_server/floods_test.ts",
    "tests/http_server/fuzz_test.ts",
    "tests/http_server/slow_clients_test.ts",
    "tests/local/voice_test.ts",
    "tests/local/voice_threads_test.ts",
    "tests/reader/",
    "tests/speech/audio_property_test.ts",
    "tests/start_test.ts",
    "tests/stop_test.ts",
    "tests/tasks_test.ts",
  ],
  allPermissions: false,
};

/** Looks at every page in a real browser, which take as long as all stories. */
export const pages: Series = {
  name: "pages",
  paths: ["tests/console/lighthouse_test.ts", "tests/console/pages_test.ts"],
  allPermissions: true,
};

/** Stories in a real browser. */
export const browser: Series = {
  name: "browser",
  paths: ["tests/console/"],
  except: pages.paths,
  allPermissions: true,
};

/** Containers, and the watch of the keeper that starts their processes. */
const containers: Series = {
  name: "containers",
  paths: ["tests/bubblewrap/", "tests/containers/", "tests/keeper/"],
  allPermissions: true,
};

/** Python in containers, and time limits of commands: half of the time of all commands. */
const interpreters: Series = {
  name: "interpreters",
  paths: [
    "tests/sandbox/notebook_slow_test.ts",
    "tests/sandbox/printed_test.ts",
    "tests/sandbox/python_crash_test.ts",
    "tests/sandbox/python_tasks_test.ts",
    "tests/sandbox/python_test.ts",
    "tests/sandbox/time_test.ts",
    "tests/sandbox/timeout_test.ts",
  ],
  allPermissions: true,
};

/** Other commands in containers. Their processes have the lowest priority. */
const sandbox: Series = {
  name: "sandbox",
  paths: ["tests/sandbox/"],
  except: interpreters.paths,
  allPermissions: true,
};

/** Campaigns of minutes, which mostly wait; they run with TOLLGATE_TEST_ALL=1 only. */
const campaigns: Series = {
  name: "campaigns",
  paths: ["tests/instances/", "tests/kill/"],
  allPermissions: false,
};

/** Builds the image's file tree out of packages; it runs with TOLLGATE_TEST_ALL=1 only. */
const image: Series = { name: "image", paths: ["tests/deploy/"], allPermissions: true };

export const series: readonly Series[] = [
  measured,
  browser,
  pages,
  containers,
  interpreters,
  sandbox,
  campaigns,
  image,
];

/** Files that draw some of a fixed list: the whole run tries all of it, so that another seed adds nothing. */
export const drawn: readonly string[] = [
  "tests/bubblewrap/taken_walls_slow_test.ts",
  "tests/sandbox/taken_walls_slow_test.ts",
];

/** True for a file that only the whole run has. */
export const isLong = (file: string): boolean => [campaigns, image].some((one) => isOf(one)(file));

/** True for a file that no other one runs beside, in the same process. */
export const runsAlone = (file: string): boolean => series.some((one) => isOf(one)(file));

export const isIn = (paths: readonly string[]) => (file: string) =>
  paths.some((path) => path.endsWith("/") ? file.startsWith(path) : file === path);

export const isOf = ({ paths, except = [] }: Series) => {
  const [isListed, isElsewhere] = [isIn(paths), isIn(except)];
  return (file: string) => isListed(file) && !isElsewhere(file);
};

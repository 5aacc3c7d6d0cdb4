/**
 * Our own rules as a plugin of `deno lint`; CONTRIBUTING.md lists them with their reasons. A rule is
 * suppressed for one line with `// deno-lint-ignore tollgate/<rule> -- reason`.
 */

import { oneSeedRule } from "./chance.ts";
import { consolePagesRule } from "./console_pages.ts";
import { clockRule, environmentRule, fetchRule } from "./impure.ts";
import { keptPromisesRule } from "./kept_promises.ts";
import { destructuredNamesRule } from "./destructured_names.ts";
import { docstringsRule } from "./docstrings.ts";
import { endedWaitsRule } from "./ended_waits.ts";
import { fakeTimeRule } from "./fake_time.ts";
import { ownLookUpsRule } from "./look_ups.ts";
import { defaultExportRule, zodRule } from "./modules.ts";
import { moduleImportsRule } from "./module_imports.ts";
import { pausesRule } from "./pauses.ts";
import { plainNamesRule } from "./plain_names.ts";
import { pipeRule, reasonRule, silentCatchRule } from "./silence.ts";
import { sizesRule } from "./sizes.ts";
import { anyOrBangRule, castRule } from "./types.ts";

const plugin: Deno.lint.Plugin = {
  name: "tollgate",
  rules: {
    "module-imports": moduleImportsRule,
    sizes: sizesRule,
    "plain-names": plainNamesRule,
    "env-only-in-config": environmentRule,
    "clock-only-in-runtime": clockRule,
    "fetch-only-in-runtime": fetchRule,
    "no-any-or-bang": anyOrBangRule,
    "casts-in-helpers": castRule,
    "zod-namespace": zodRule,
    "no-default-export": defaultExportRule,
    "no-silent-catch": silentCatchRule,
    "no-pipe-through": pipeRule,
    "ended-waits": endedWaitsRule,
    "own-look-ups": ownLookUpsRule,
    "kept-promises": keptPromisesRule,
    "console-pages": consolePagesRule,
    pauses: pausesRule,
    "one-seed": oneSeedRule,
    "fake-time": fakeTimeRule,
    docstrings: docstringsRule,
    "destructured-names": destructuredNamesRule,
    "suppression-reason": reasonRule,
  },
};

export default plugin;

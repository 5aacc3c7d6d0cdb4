/** Plugins: may change the request on its way down and the answer on its way up. */

import type { CallerRules } from "../caller_rules.ts";
import { effectivePlugins } from "../plugins/effective_plugins.ts";
import type { Caller, RequestContext, Stage } from "../request_context.ts";

export interface PluginsDeps {
  readonly rulesOf?: (caller: Caller) => CallerRules | Promise<CallerRules>;
}

/** Puts the defaults of the workspace into the request. Nothing acts on plugins yet. */
export function plugins(deps: PluginsDeps): Stage {
  return (next) => (context) => {
    const rules = deps.rulesOf?.(context.caller);
    return rules instanceof Promise
      ? rules.then((known) => next(withDefaults(context, known)))
      : next(withDefaults(context, rules));
  };
}

function withDefaults(context: RequestContext, rules: CallerRules | undefined): RequestContext {
  const defaults = rules?.defaults?.plugins;
  if (defaults === undefined) return context;
  const { request, call } = context;
  const { uses, notes } = effectivePlugins({
    requested: request.plugins,
    defaults,
    online: false,
    speech: request.speech !== undefined,
  });
  call.dropped.push(...notes);
  return { ...context, request: { ...request, plugins: uses.map(({ options }) => options) } };
}

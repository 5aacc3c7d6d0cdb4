/** The rate limits of a key. */

import { useEffect, useMemo } from "preact/hooks";
import { operation } from "../../api.ts";
import { app, whenConnected } from "../../app.ts";
import { RateLimitsForm } from "../../components/forms/rate_limits_form.tsx";
import { RateLimitsModel } from "../../models/rate_limits.ts";
import { useUnsaved } from "../../unsaved.ts";

const getLimits = operation<"keys.rate_limits.get">("GET", "/keys/:hash/rate-limits");
const setLimits = operation<"keys.rate_limits.set">("PUT", "/keys/:hash/rate-limits");

export function RateLimits({ hash }: { readonly hash: string }) {
  const model = useMemo(() =>
    new RateLimitsModel({
      read: async (signal) => (await app.api.call(getLimits, { params: { hash }, signal })).data,
      write: async (body) => (await app.api.call(setLimits, { params: { hash }, body })).data,
    }), [hash]);
  useEffect(() => whenConnected(() => void model.record.load()), [model]);
  useUnsaved("key", [{ isChanged: () => model.isChanged.peek(), discard: () => model.discard() }]);
  return <RateLimitsForm model={model} />;
}

/** Follows the live tail while it is switched on, the first page is shown, and the tab is in sight. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../../app.ts";
import { RequestTail } from "../../models/requests/request_tail.ts";
import type { RequestsModel } from "../../models/requests/requests.ts";
import { requestsText } from "../../text/requests.ts";

export function useTail(list: RequestsModel): RequestTail {
  const isVisible = useSignal(!document.hidden);
  useEffect(() => {
    const look = () => {
      isVisible.value = !document.hidden;
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  const tail = useMemo(() => {
    const onRefused = (failure: Error) => {
      list.setLive(false);
      app.toasts.show(requestsText.notLive(failure.message), { tone: "bad" });
    };
    return new RequestTail({ api: app.api, clock: app.clock, list, onRefused });
  }, []);
  const isOn = list.isLive.value && isVisible.value;
  const filter = list.filter.value;
  useEffect(() => {
    if (!isOn) return;
    let isLeft = false;
    const leave = whenConnected(() => {
      void list.list.restart().then(() => {
        if (!isLeft) tail.start();
      });
    });
    return () => {
      isLeft = true;
      leave();
      tail.stop();
    };
  }, [isOn, filter]);
  return tail;
}

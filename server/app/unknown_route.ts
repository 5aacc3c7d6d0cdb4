/** The answer where no route is. */

import { ApiError } from "../../shared/errors.ts";
import type { HttpExchange } from "../api/http_exchange.ts";
import { rawPath } from "../api/request_checks.ts";
import { messagesInbound } from "../protocols/messages/inbound/mod.ts";

interface KnownRoute {
  readonly method: string;
  readonly path: string;
}

/** Whether a path of the API is that of a row, whose `:name` stands for any segment. */
function matchesPath(path: string, pattern: string): boolean {
  const at = path.indexOf("/v1/");
  const input = path.slice(at + 3).split("/");
  const wanted = pattern.split("/");
  return at >= 0 && input.length === wanted.length &&
    wanted.every((part, index) => part === input[index] || (part.startsWith(":") && input[index] !== ""));
}

/** Below the Messages API errors have the form that its clients know, also where nothing is. */
const anthropicPath = /^(\/api)?\/v1\/messages(\/|$)/;

/** The error for a path where nothing is; it names the methods that the path takes. */
export function unknownRoute(exchange: HttpExchange, rows: readonly KnownRoute[]): ApiError {
  const { request } = exchange;
  const path = rawPath(request.url);
  if (anthropicPath.test(path)) exchange.renderError = messagesInbound.renderError;
  const methods = rows.filter((row) => matchesPath(path, row.path)).map(({ method }) => method);
  const slash = /.\/$/.test(path) ? " Leave out the slash at its end." : "";
  const hint = methods.length === 0 ? slash : ` This path takes ${methods.join(" and ")}.`;
  const what = `${request.method.slice(0, 10)} ${path.slice(0, 200)}`;
  return new ApiError("not_found", `There is no ${what} here.${hint}`);
}

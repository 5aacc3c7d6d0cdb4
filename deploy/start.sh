#!/bin/sh
# Becomes the gateway, or the program of another task: start.sh [start|doctor|admin|backup|restore|compact|migrate|scores] [ARGUMENTS].
# Needs nothing from the network: what is missing in Deno's cache ends it.
set -eu
cd "$(dirname "$0")/.."
task=${1:-start}
[ $# -eq 0 ] || shift
TOLLGATE_FILE_LIMIT=$(ulimit -n)
export TOLLGATE_FILE_LIMIT
# Gateways that are started alike have addresses of their own by the names of their machines.
if [ -n "${TOLLGATE_PEER_URL-}" ]; then
  TOLLGATE_PEER_URL=$(printf %s "$TOLLGATE_PEER_URL" | sed "s/{hostname}/$(uname -n)/")
  export TOLLGATE_PEER_URL
fi
# The launcher prints the arguments, taken apart at blanks.
launch=$(deno run --cached-only --frozen --no-prompt --allow-env --allow-read server/app/launch.ts "$task")
# shellcheck disable=SC2086
exec deno run --cached-only $launch "$@"

#!/usr/bin/env bash
# Ends with 0 where the gateway of this container is alive. No program to install, no process of Deno.
set -u
exec 3<>"/dev/tcp/127.0.0.1/${PORT:-8787}" || exit 1
printf 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' >&3
read -r -t 4 line <&3
[[ "$line" == "HTTP/1.1 200"* ]]

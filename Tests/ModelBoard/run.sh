#!/bin/sh
# Runs a command while the model board serves a pseudo-terminal, whose path is in BRIDGE_PORT:
# run.sh MODEL-BOARD COMMAND...
set -eu
board=$1
shift
path=$(mktemp)
"$board" >"$path" &
process=$!
trap 'kill "$process"; rm -f "$path"' EXIT
until BRIDGE_PORT=$(sed -n 's/^device //p' "$path") && [ -n "$BRIDGE_PORT" ]; do
    kill -0 "$process"
    sleep 0.1
done
export BRIDGE_PORT
"$@"

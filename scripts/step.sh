#!/bin/bash
# Run a command as a step of the set-up: say what it is for ($1), every ten seconds (EVERY) that it goes on,
# and what it printed only if it fails.
#   step.sh 'Installing the front end' jlpm install
set -euo pipefail
title=$1
shift
log=$(mktemp)
trap 'rm -f "$log"; kill %1 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo "$title"
"$@" >"$log" 2>&1 </dev/null &
began=$SECONDS
while kill -0 $! 2>/dev/null; do
  # In short pauses, as most steps take seconds.
  for _ in $(seq $((${EVERY:-10} * 10))); do
    sleep 0.1
    kill -0 $! 2>/dev/null || break 2
  done
  echo "  … $title: $((SECONDS - began)) s  $(tail -n 1 "$log" | tr -d '\r' | cut -c 1-80)"
done
if ! wait $!; then
  cat "$log"
  echo "This step failed: $title ($*)" >&2
  exit 1
fi

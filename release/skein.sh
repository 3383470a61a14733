#!/bin/sh
# Runs the command line with the Node of this release.
self=$(readlink -f "$0")
root=${self%/bin/*}
# As release/runtime.ts has it.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
exec "$root/runtime/node" --expose-gc "$root/lib/main.js" "$@"

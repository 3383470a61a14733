#!/bin/sh
# Runs the command line with the Node of this release.
self=$(readlink -f "$0")
root=${self%/bin/*}
# The flags as release/runtime.ts has them.
exec "$root/runtime/node" --expose-gc --heap-growing-percent=60 "$root/lib/main.js" "$@"

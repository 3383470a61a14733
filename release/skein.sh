#!/bin/sh
# Runs the command line with the Node of this release.
self=$(readlink -f "$0")
root=${self%/bin/*}
# The flag as release/runtime.ts has it.
exec "$root/runtime/node" --expose-gc "$root/lib/main.js" "$@"

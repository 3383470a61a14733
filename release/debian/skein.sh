#!/bin/sh
# Runs Skein's command line with the settings of this machine, as the user of its processes.
set -e
if [ "$(id -u)" = 0 ]; then
  cd /
  exec setpriv --reuid=skein --regid=skein --init-groups -- "$0" "$@"
fi
set -- /usr/lib/skein/lib/main.js "$@"
# Variables that are already set win over those in the files.
for file in /etc/skein/secret.env /etc/skein/skein.env; do
  if [ -r "$file" ]; then set -- "--env-file=$file" "$@"; fi
done
exec /usr/lib/skein/runtime/node "$@"

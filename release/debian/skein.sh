#!/bin/sh
# Runs Skein's command line with the settings of this machine, as the user of its processes.
set -e
if [ "$(id -u)" = 0 ]; then
  # Its own folder: the current one may be closed to it, and files without a path belong somewhere it can write to.
  cd /var/lib/skein
  exec setpriv --reuid=skein --regid=skein --init-groups -- "$0" "$@"
fi
set -- /usr/lib/skein/lib/main.js "$@"
# Variables that are already set win over those in the files.
for file in /etc/skein/secret.env /etc/skein/skein.env; do
  if [ -r "$file" ]; then set -- "--env-file=$file" "$@"; fi
done
exec /usr/lib/skein/runtime/node "$@"

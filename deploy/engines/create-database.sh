#!/bin/bash
# The postgres image runs this once, when it creates its data. Skein's role owns its database and may replicate, no more.
set -euo pipefail

psql --no-psqlrc --set=ON_ERROR_STOP=1 --set=password="$DATABASE_PASSWORD" --username=postgres --dbname=postgres <<'SQL'
create role skein login replication password :'password';
create database skein owner skein;
SQL

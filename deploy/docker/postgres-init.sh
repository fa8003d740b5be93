#!/bin/sh
# Creates the databases and the roles that own them. The image runs it once, for an empty data volume.
set -eu

make_database() { # role, password, database…
  role=$1 password=$2
  shift 2
  psql -v ON_ERROR_STOP=1 -v role="$role" -v password="$password" --username "$POSTGRES_USER" <<'SQL'
CREATE ROLE :"role" LOGIN PASSWORD :'password';
SQL
  for database in "$@"; do
    psql -v ON_ERROR_STOP=1 -v role="$role" -v database="$database" --username "$POSTGRES_USER" <<'SQL'
CREATE DATABASE :"database" OWNER :"role";
SQL
  done
}

make_database social "$SOCIAL_PASSWORD" social
make_database temporal "$TEMPORAL_PASSWORD" temporal temporal_visibility

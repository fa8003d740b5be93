#!/bin/sh
# Creates or updates the schema of Temporal's two databases. Running it again does nothing. The connection is configured
# with SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD and SQL_PLUGIN.
set -eu

bring_up_to_date() { # database, schema
  temporal-sql-tool --database "$1" setup-schema --version 0.0
  temporal-sql-tool --database "$1" update-schema --schema-name "postgresql/v12/$2"
}

bring_up_to_date temporal temporal
bring_up_to_date temporal_visibility visibility

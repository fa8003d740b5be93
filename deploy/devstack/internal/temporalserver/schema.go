package temporalserver

import (
	"fmt"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	postgresschema "go.temporal.io/server/schema/postgresql/v12"
	"go.temporal.io/server/tools/common/schema"
	"go.temporal.io/server/tools/sql"
)

const (
	schemaName           = "postgresql/v12/temporal"
	visibilitySchemaName = "postgresql/v12/visibility"
)

// ensureSchemas creates the schema in an empty database and updates an older one.
func (c Config) ensureSchemas(logger log.Logger) error {
	if err := ensureSchema(c.store(c.Database, 1), schemaName, postgresschema.Version, logger); err != nil {
		return fmt.Errorf("schema of database %s: %w", c.Database, err)
	}
	err := ensureSchema(c.store(c.VisibilityDatabase, 1), visibilitySchemaName, postgresschema.VisibilityVersion, logger)
	if err != nil {
		return fmt.Errorf("schema of database %s: %w", c.VisibilityDatabase, err)
	}
	return nil
}

func ensureSchema(store *config.SQL, name, version string, logger log.Logger) error {
	conn, err := sql.NewConnection(store, logger)
	if err != nil {
		return err
	}
	defer conn.Close()
	if current, err := conn.ReadSchemaVersion(); err == nil {
		if current == version {
			return nil
		}
		return schema.NewUpdateSchemaTask(conn, &schema.UpdateConfig{SchemaName: name}, logger).Run()
	}
	// The version is written last. An interrupted first start may have left tables, which are still empty.
	if err := conn.DropAllTables(); err != nil {
		return err
	}
	if err := conn.Exec("DROP FUNCTION IF EXISTS convert_ts"); err != nil {
		return err
	}
	return schema.NewSetupSchemaTask(conn, &schema.SetupConfig{SchemaName: name, InitialVersion: version}, logger).Run()
}

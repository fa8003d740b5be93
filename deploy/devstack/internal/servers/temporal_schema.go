package servers

import (
	"fmt"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	postgresschema "go.temporal.io/server/schema/postgresql/v12"
	"go.temporal.io/server/tools/common/schema"
	"go.temporal.io/server/tools/sql"
)

// ensureSchemas creates the schemas in empty databases and updates older ones.
func ensureSchemas(cfg config.Persistence, logger log.Logger) error {
	for store, schema := range map[string][2]string{
		cfg.DefaultStore:    {"postgresql/v12/temporal", postgresschema.Version},
		cfg.VisibilityStore: {"postgresql/v12/visibility", postgresschema.VisibilityVersion},
	} {
		if err := ensureSchema(cfg.DataStores[store].SQL, schema[0], schema[1], logger); err != nil {
			return fmt.Errorf("schema of store %s: %w", store, err)
		}
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

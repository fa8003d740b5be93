// Command gen writes the parts of the repository that are generated from its code and from its built programs: sections
// of the documentation and of configuration files, the chart's files, and the test vectors of webhooks. The templates
// are beside it.
//
//	gen blocks|rules FILE               section of a page
//	gen chart FOLDER PROGRAM…           the generated files of the Helm chart
//	gen configuration FILE PROGRAM…     section of a page, from the variables that the programs declare
//	gen credentials COMPOSE ENV         sections of docker-compose.yml and of the example of .env
//	gen events FILE SCHEMA              section of a page, from the schemas of the events
//	gen faults REPORT TESTS             table of the results of the fault suite
//	gen sandbox FILE SOURCE…            list of the sandbox's networks, from the files that declare one
//	gen vectors FILE                    test vectors for verifiers of webhooks
//
// tools/generate.sh and tools/faults.sh call it, in the root folder of the repository.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"fencepost.internal/shared/domain/linkpage"
)

func main() {
	log.SetFlags(0)
	arguments := map[string]int{ // at least
		"blocks": 1, "chart": 2, "configuration": 2, "credentials": 2, "events": 2, "faults": 2, "rules": 1, "sandbox": 1,
		"vectors": 1,
	}
	if len(os.Args) < 2 || arguments[os.Args[1]] == 0 || len(os.Args)-2 < arguments[os.Args[1]] {
		log.Fatal("usage: gen NAME FILE [ARGUMENT…]; the comment of tools/gen/main.go lists the names and their arguments")
	}
	if err := generate(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		log.Fatal(err)
	}
}

func generate(name, path string, more []string) error {
	switch name {
	case "blocks":
		return writeSection(path, name, linkpage.Descriptors())
	case "chart":
		return chart(path, more)
	case "configuration":
		return configuration(path, more)
	case "credentials":
		return errors.Join(credentials(path, "  %[1]s: ${%[1]s-}\n"), credentials(more[0], "# %s=\n"))
	case "events":
		return events(path, more[0])
	case "faults":
		return faults(path, more[0])
	case "rules":
		return networkRules(path)
	case "sandbox":
		return sandbox(path, more)
	default:
		return vectors(path)
	}
}

// readJSON decodes a file.
func readJSON(path string, to any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// writeJSON writes a value into a file.
func writeJSON(path string, value any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

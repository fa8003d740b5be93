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
//	gen go-sdk FOLDER DOCUMENT          types and operations of the Go SDK, from the OpenAPI document
//	gen guides GUIDE…                   samples of code in guides, from tested files
//	gen python OPENAPI FOLDER           modules of the Python SDK, from the OpenAPI document
//	gen samples FILE RECIPES PAGE…      samples of the OpenAPI document, from the recipes in the pages of the SDKs
//	gen sandbox FILE SOURCE…            list of the sandbox's networks, from the files that declare one
//	gen vectors FILE                    test vectors for verifiers of webhooks
//
// tools/generate.sh and tools/faults.sh call it, in the root folder of the repository.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"fencepost.internal/shared/domain/linkpage"
)

func main() {
	log.SetFlags(0)
	generators := map[string]struct {
		arguments int // at least
		generate  func(arguments []string) error
	}{
		"blocks":        {1, func(a []string) error { return writeSection(a[0], "blocks", linkpage.Descriptors()) }},
		"chart":         {2, func(a []string) error { return chart(a[0], a[1:]) }},
		"configuration": {2, func(a []string) error { return configuration(a[0], a[1:]) }},
		"credentials":   {2, func(a []string) error { return credentials(a[0], a[1]) }},
		"events":        {2, func(a []string) error { return events(a[0], a[1]) }},
		"faults":        {2, func(a []string) error { return faults(a[0], a[1]) }},
		"go-sdk":        {2, func(a []string) error { return goSDK(a[0], a[1]) }},
		"guides":        {1, guides},
		"python":        {2, func(a []string) error { return python(a[0], a[1]) }},
		"rules":         {2, func(a []string) error { return networkRules(a[0], a[1]) }},
		"samples":       {3, func(a []string) error { return samples(a[0], a[1], a[2:]) }},
		"sandbox":       {1, func(a []string) error { return sandbox(a[0], a[1:]) }},
		"vectors":       {1, func(a []string) error { return vectors(a[0]) }},
	}
	if len(os.Args) < 3 || generators[os.Args[1]].generate == nil || len(os.Args)-2 < generators[os.Args[1]].arguments {
		log.Fatal("usage: gen NAME FILE [ARGUMENT…]; the comment of tools/gen/main.go lists the names and their arguments")
	}
	if err := generators[os.Args[1]].generate(os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

// readJSON decodes a file.
func readJSON(path string, to any) error {
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, to)
	}
	if err != nil {
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

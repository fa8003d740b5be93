// Command composenetworks writes the credentials of the applications registered at social networks into
// docker-compose.yml and deploy/docker/.env.example: every variable of the connectors without a default. It replaces
// the lines that follow NETWORKS_SANDBOX_URL. tools/generate.sh calls it.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"

	"socialpub.internal/shared/infra/config"
	"socialpub.internal/shared/platform/connectors"
)

// anchor is the variable before the credentials. It has no default, and its lines are written by hand.
const anchor = "NETWORKS_SANDBOX_URL"

// form is a file's way to write a variable.
type form struct {
	pattern *regexp.Regexp
	line    func(name string) string
}

func main() {
	log.SetFlags(0)
	compose := flag.String("compose", "", "Docker Compose `FILE` to write into")
	example := flag.String("example", "", "`FILE` with the example of .env to write into")
	flag.Parse()
	if err := replace(*compose, form{
		pattern: regexp.MustCompile(`^  [A-Z_]+: \$\{[A-Z_]+-\}$`),
		line:    func(name string) string { return fmt.Sprintf("  %s: ${%s-}", name, name) },
	}); err != nil {
		log.Fatal(err)
	}
	if err := replace(*example, form{
		pattern: regexp.MustCompile(`^# [A-Z_]+=$`), line: func(name string) string { return "# " + name + "=" },
	}); err != nil {
		log.Fatal(err)
	}
}

// credentials returns the names of the variables without a default.
func credentials() []string {
	var names []string
	for _, variable := range config.Describe[connectors.Environment]() {
		if variable.Default == "" && variable.Name != anchor {
			names = append(names, variable.Name)
		}
	}
	return names
}

// replace writes the credentials after the anchor, instead of the variables that follow it.
func replace(path string, as form) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := strings.Split(string(raw), "\n")
	at := slices.IndexFunc(lines, func(line string) bool {
		return strings.HasPrefix(strings.TrimLeft(line, "# "),
			anchor)
	})
	if at < 0 {
		return fmt.Errorf("%s lacks %s", path, anchor)
	}
	end := at + 1
	for end < len(lines) && as.pattern.MatchString(lines[end]) {
		end++
	}
	written := make([]string, 0, len(lines))
	for _, name := range credentials() {
		written = append(written, as.line(name))
	}
	lines = slices.Replace(lines, at+1, end, written...)
	return os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644)
}

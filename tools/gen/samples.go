package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// sample is one of the samples of an operation in the OpenAPI document (x-codeSamples).
type sample struct {
	Lang   string `json:"lang"`
	Label  string `json:"label"`
	Source string `json:"source"`
}

// recipe is a case of sdk/conformance/recipes.json.
type recipe struct {
	Name      string
	Exchanges []struct{ Request recipeRequest }
}

type recipeRequest struct {
	Method, Path string
	Query        map[string]string
	Body         json.RawMessage
}

var (
	recipeHeading = regexp.MustCompile(`(?m)^### \d+\. (.+)$`)
	anyHeading    = regexp.MustCompile(`(?m)^##`)
	codeBlock     = regexp.MustCompile("(?s)```(go|ts|python)\n(.*?)```")
	anID          = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
)

// samples writes samples of the operations that the recipes call, by method and path. Tests of the SDKs run the recipes in
// their pages, and compare the requests with the file of the recipes, from which the commands for curl are made.
func samples(path, recipes string, pages []string) error {
	var table struct{ Cases []recipe }
	if err := readJSON(recipes, &table); err != nil {
		return err
	}
	owners := make([][]string, len(table.Cases)) // the operations whose samples a recipe is
	taken := make(map[string]bool)
	for i, r := range table.Cases {
		owners[i] = r.owned(taken)
	}
	found := make(map[string][]sample)
	for _, page := range pages {
		titles, blocks, err := recipesOf(page)
		if err != nil {
			return err
		}
		if len(blocks) != len(table.Cases) {
			return fmt.Errorf("%s has %d recipes, and %s %d", page, len(blocks), recipes, len(table.Cases))
		}
		for i, r := range table.Cases {
			for _, operation := range owners[i] {
				if len(found[operation]) == 0 {
					source, err := r.curl(operation)
					if err != nil {
						return err
					}
					found[operation] = append(found[operation], sample{Lang: "Shell", Label: titles[i], Source: source})
				}
				blocks[i].Label = titles[i]
				found[operation] = append(found[operation], blocks[i])
			}
		}
	}
	return writeJSON(path, found)
}

// owned takes and returns the operations that no recipe before calls; if there are none, it returns the recipe's last one.
func (r recipe) owned(taken map[string]bool) (operations []string) {
	last := ""
	for _, exchange := range r.Exchanges {
		operation := exchange.Request.operation()
		if !strings.Contains(operation, " /v1/") {
			continue // of the object store
		}
		if last = operation; !taken[operation] {
			taken[operation] = true
			operations = append(operations, operation)
		}
	}
	if len(operations) == 0 {
		return []string{last}
	}
	return operations
}

// operation returns the method and the path, with {} in place of IDs.
func (r recipeRequest) operation() string {
	return r.Method + " " + anID.ReplaceAllString(r.Path, "{}")
}

// curl returns the command of the recipe's first request of an operation.
func (r recipe) curl(operation string) (string, error) {
	i := slices.IndexFunc(r.Exchanges, func(e struct{ Request recipeRequest }) bool { return e.Request.operation() == operation })
	request := r.Exchanges[i].Request
	address := "$FENCEPOST_URL" + request.Path
	if len(request.Query) > 0 {
		query := url.Values{}
		for _, name := range slices.Sorted(maps.Keys(request.Query)) {
			query.Set(name, request.Query[name])
		}
		address += "?" + query.Encode()
	}
	command := `curl "` + address + `" \` + "\n" + `  -H "Authorization: Bearer $FENCEPOST_API_KEY"`
	if len(request.Body) > 0 && string(request.Body) != "null" {
		var body bytes.Buffer
		if err := json.Indent(&body, request.Body, "", "  "); err != nil {
			return "", fmt.Errorf("recipe %s: %w", r.Name, err)
		}
		command += " \\\n  -H 'Content-Type: application/json' \\\n  -d '" + strings.ReplaceAll(body.String(), "'", `'\''`) + "'"
		if request.Method == http.MethodPost {
			return command, nil
		}
	}
	if request.Method != http.MethodGet {
		command = strings.Replace(command, "curl ", "curl -X "+request.Method+" ", 1)
	}
	return command, nil
}

// recipesOf returns the titles and the blocks of the recipes of an SDK's page, in their order.
func recipesOf(page string) (titles []string, blocks []sample, err error) {
	raw, err := os.ReadFile(page)
	if err != nil {
		return nil, nil, err
	}
	text := string(raw)
	languages := map[string]string{"go": "Go", "ts": "TypeScript", "python": "Python"}
	for _, at := range recipeHeading.FindAllStringSubmatchIndex(text, -1) {
		section := text[at[1]:]
		if end := anyHeading.FindStringIndex(section); end != nil {
			section = section[:end[0]]
		}
		block := codeBlock.FindAllStringSubmatch(section, -1)
		title := text[at[2]:at[3]]
		if len(block) != 1 {
			return nil, nil, fmt.Errorf("%s: the recipe %q has %d blocks", filepath.Base(filepath.Dir(page)), title, len(block))
		}
		titles = append(titles, title)
		blocks = append(blocks, sample{Lang: languages[block[0][1]], Source: strings.TrimSuffix(block[0][2], "\n")})
	}
	return titles, blocks, nil
}

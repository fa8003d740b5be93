package stack

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Seed is the output of "admin seed --json".
type Seed struct {
	Workspaces []Workspace `json:"workspaces"`
	User       User        `json:"user"`
}

// User is the user who may sign in.
type User struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Workspace is a seeded workspace with its keys.
type Workspace struct {
	ID             string    `json:"id"`
	Name           string    `json:"name"`
	Plan           string    `json:"plan"`
	APIKey         string    `json:"apiKey"`
	ReadOnlyAPIKey string    `json:"readOnlyApiKey"`
	Channels       []Channel `json:"channels"`
}

// Channel is a seeded channel.
type Channel struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Name string `json:"name"`
}

// File is .run/dev.json (docs/contract.md, Stack file), from which programs and tests read the addresses of the stack.
// FilesURL and the members after it are additions to the documented fields.
type File struct {
	APIURL          string      `json:"apiUrl"`
	MCPURL          string      `json:"mcpUrl"`
	AppURL          string      `json:"appUrl"`
	PagesURL        string      `json:"pagesUrl"`
	SandboxURL      string      `json:"sandboxUrl"`
	TemporalUIURL   string      `json:"temporalUiUrl"`
	TemporalAddress string      `json:"temporalAddress"`
	DatabaseURL     string      `json:"databaseUrl"`
	S3Endpoint      string      `json:"s3Endpoint"`
	User            User        `json:"user"`
	Workspaces      []Workspace `json:"workspaces"`

	FilesURL       string            `json:"filesUrl"`
	InboundURL     string            `json:"inboundUrl"`
	OpsURLs        map[string]string `json:"opsUrls"`
	ControlURL     string            `json:"controlUrl"`
	EncryptionKeys string            `json:"encryptionKeys"`
	Environment    []string          `json:"environment"` // of the operator's command line, beside that of its shell
}

// FileName is the file's name in the run folder.
const FileName = "dev.json"

// File returns the description of the stack.
func (s Stack) File(seed Seed) File {
	opsURLs := make(map[string]string)
	for program, port := range s.opsPorts() {
		opsURLs[program] = url(port)
	}
	return File{
		APIURL: url(s.Ports.API), MCPURL: s.mcpURL(), AppURL: url(s.Ports.App), PagesURL: url(s.Ports.Pages),
		SandboxURL: url(s.Ports.Sandbox), FilesURL: url(s.Ports.Files), InboundURL: url(s.Ports.Inbound), ControlURL: url(s.Ports.Control),
		TemporalUIURL: url(s.Ports.TemporalUI), TemporalAddress: address(s.Ports.Temporal),
		DatabaseURL: s.DatabaseURL, S3Endpoint: url(s.Ports.MinIO), OpsURLs: opsURLs,
		User: seed.User, Workspaces: seed.Workspaces,
		EncryptionKeys: s.Secrets.EncryptionKeys, Environment: environment(s.common()),
	}
}

// Read returns the description of the running stack.
func Read(folder string) (File, error) {
	raw, err := os.ReadFile(filepath.Join(folder, FileName)) //nolint:gosec // the folder of the stack
	if os.IsNotExist(err) {
		return File{}, fmt.Errorf("no stack is up in %s: start it with make run", folder)
	}
	if err != nil {
		return File{}, err
	}
	var f File
	err = json.Unmarshal(raw, &f)
	return f, err
}

// Write writes the file into folder atomically, so that a program that watches for it never reads a partial file. Only
// its owner may read it.
func (f File) Write(folder string) error {
	raw, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(folder, FileName)
	if err := os.WriteFile(path+".new", append(raw, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Remove deletes the file, so that a stopped stack does not appear to be running.
func Remove(folder string) error { return os.RemoveAll(filepath.Join(folder, FileName)) }

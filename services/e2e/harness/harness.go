// Package harness runs the whole system for tests: the real programs as processes, with the PostgreSQL and Temporal
// servers of the development stack, the sandbox as the networks, and a receiver that records deliveries.
//
// An EventValidator validates events, byte for byte, against the published schemas (docs/events.schema.json). It is stricter
// than the schemas: it rejects fields that they do not name, and times in another format than the documented one.
package harness

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/proctest"
)

const (
	// EncryptionKey is the key of every system.
	EncryptionKey = "test:BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
	// WhatsAppSecret signs what WhatsApp reports to every system.
	WhatsAppSecret = "sandbox-secret"
	readyWithin    = 60 * time.Second
)

// Options change the environment of the programs that New and Start run.
type Options struct {
	Env []string // for every program, NAME=value
}

// System is one running system with one workspace and one channel of each type that supports publishing.
type System struct {
	t         testing.TB
	dir       string
	bin       string
	env       []string
	Namespace string
	DB        *postgres.DB
	Objects   *objectstore.Store
	database  string
	mails     string // address of the mail server; tests that need it call StartMailServer
	APIURL    string
	PagesURL  string // of the link pages; tests that need them start "pages"
	// InboundURL is where networks report to; tests that need it start "inbound".
	InboundURL string
	AppURL     string // of the application; tests that need it start "console"
	MCPURL     string // of the tool server; tests that need it call StartTools
	Sandbox    *Sandbox
	Receiver   *Receiver
	Key        string
	API        *fencepost.Client // with the key
	Workspace  ident.Workspace
	Channels   map[channel.Type]channel.Channel
	HTTP       *http.Client
	processes  *fleet
}

// fleet holds the started programs.
type fleet struct {
	mu  sync.Mutex
	all []*Process
}

func (f *fleet) add(p *Process) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, p)
}

func (f *fleet) list() []*Process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.all)
}

// New prepares a system: database, namespace, workspace, channels and key. It starts the sandbox and files programs.
// The test starts the others.
func New(t testing.TB, o Options) *System {
	t.Helper()
	s := &System{
		t: t, dir: t.TempDir(), processes: &fleet{}, bin: binaries(t), Namespace: "e2e-" + ident.New[ident.Post]().String(),
		Channels: make(map[channel.Type]channel.Channel), HTTP: &http.Client{Timeout: 20 * time.Second},
	}
	s.DB, s.database = postgrestest.OpenURL(t)
	apiAddress, sandboxAddress, filesAddress, pagesAddress := freeAddress(t), freeAddress(t), freeAddress(t), freeAddress(
		t)
	appAddress, toolsAddress := freeAddress(t), freeAddress(t)
	mailHost, mailPort, err := net.SplitHostPort(freeAddress(t))
	require.NoError(t, err)
	s.mails = net.JoinHostPort(mailHost, mailPort)
	store := objectstoretest.Config(t)
	s.Objects = objectstoretest.New(t, store)
	s.APIURL = "http://" + apiAddress
	s.PagesURL = "http://" + pagesAddress
	s.AppURL = "http://" + appAddress
	inboundAddress := freeAddress(t)
	s.InboundURL = "http://" + inboundAddress
	s.MCPURL = "http://" + toolsAddress + "/mcp"
	sandboxURL := "http://" + sandboxAddress
	s.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "LOG_FORMAT=text", "LOG_LEVEL=info",
		"DATABASE_URL=" + s.database, "TEMPORAL_ADDRESS=" + requireEnv(t, "TEST_TEMPORAL_ADDRESS"),
		"TEMPORAL_NAMESPACE=" + s.Namespace,
		"ENCRYPTION_KEYS=" + EncryptionKey, "BASE_URL=" + s.APIURL, "API_ADDR=" + apiAddress, "PAGES_URL=" + s.PagesURL,
		"PAGES_ADDR=" + pagesAddress, "EGRESS_ALLOW=127.0.0.1/32",
		"INBOUND_URL=" + s.InboundURL, "INBOUND_ADDR=" + inboundAddress, "WHATSAPP_APP_SECRET=" + WhatsAppSecret,
		"WHATSAPP_APP_ID=sandbox-client", "WHATSAPP_VERIFY_TOKEN=test-token",
		"APP_URL=" + s.AppURL, "CONSOLE_ADDR=" + appAddress, "MCP_URL=" + s.MCPURL, "MCP_ADDR=" + toolsAddress,
		// tests of metrics override INSIGHTS_SCHEDULES
		"NETWORKS_SANDBOX_URL=" + sandboxURL, "REQUESTS_PER_MINUTE=1000000", "INSIGHTS_SCHEDULES=false",
		"S3_ENDPOINT=" + store.Endpoint, "S3_PUBLIC_ENDPOINT=http://" + filesAddress, "S3_ACCESS_KEY=" + store.AccessKey,
		"S3_SECRET_KEY=" + store.SecretKey, "S3_BUCKET=" + store.Bucket, "FILES_ADDR=" + filesAddress,
		"SANDBOX_ADDR=" + sandboxAddress, "SANDBOX_DATA=" + filepath.Join(s.dir, "sandbox"),
		"SANDBOX_PUBLIC_URL=" + sandboxURL, "SANDBOX_RETRY_SCALE=0.05",
		"SMTP_HOST=" + mailHost, "SMTP_PORT=" + mailPort, "SMTP_TLS=none", "SMTP_FROM=Posts <posts@example.com>",
	}, o.Env...)
	t.Cleanup(s.stopAll)
	s.run("migrate", "up")
	s.seed()
	s.Sandbox = &Sandbox{t: t, url: sandboxURL, client: s.HTTP}
	s.Start("sandbox", "").Ready()
	s.Start("files", "").Ready()
	s.Receiver = newReceiver(t)
	return s
}

// In returns the same system for a subtest, so that failures are reported there.
func (s *System) In(t testing.TB) *System {
	t.Helper()
	part, sandbox := *s, *s.Sandbox
	part.t, sandbox.t, part.Sandbox = t, t, &sandbox
	return &part
}

func requireEnv(t testing.TB, name string) string {
	t.Helper()
	value := os.Getenv(name)
	require.NotEmpty(t, value, "%s is not set: run the tests with `make test`, which starts the infrastructure", name)
	return value
}

// ports gives every server of the test process an address that it keeps while it is down.
var ports = proctest.NewPorts()

func freeAddress(t testing.TB) string {
	t.Helper()
	address, err := ports.Address(t.Context())
	require.NoError(t, err)
	return address
}

var built struct {
	sync.Once
	dir string
	err error
}

// envPrograms is the environment variable with the folder of the programs, built with their crash points. tools/test.sh
// builds them once for several suites.
const envPrograms = "E2E_PROGRAMS"

// binaries returns the folder of the programs with their crash points. Without E2E_PROGRAMS, it builds them, once per
// test process.
func binaries(t testing.TB) string {
	t.Helper()
	if folder := os.Getenv(envPrograms); folder != "" {
		return folder
	}
	built.Do(func() {
		built.dir, built.err = os.MkdirTemp("", "e2e-bin-") //nolint:usetesting // outlives the test that builds first
		if built.err != nil {
			return
		}
		cmd := exec.CommandContext(t.Context(), "go", "build", "-tags", "failpoint", "-ldflags=-s -w", "-o", built.dir+"/",
			"fencepost.internal/services/api", "fencepost.internal/services/worker", "fencepost.internal/services/sandbox",
			"fencepost.internal/services/mcp", "fencepost.internal/services/console",
			"fencepost.internal/services/pages", "fencepost.internal/services/files", "fencepost.internal/services/inbound",
			"fencepost.internal/services/migrate",
			"fencepost.internal/services/admin")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			built.err = fmt.Errorf("build: %w\n%s", err, out.String())
		}
	})
	require.NoError(t, built.err)
	return built.dir
}

// CleanUp deletes the built programs. TestMain calls it at the end.
func CleanUp() {
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	if commandLine.path != "" {
		_ = os.RemoveAll(filepath.Dir(commandLine.path))
	}
}

// Run runs a program of the system to completion. For example, "worker", "rebuild" queues messages to Temporal for
// everything again.
func (s *System) Run(program string, args ...string) {
	s.t.Helper()
	s.run(program, args...)
}

// Address returns a free address on this machine for another server.
func (s *System) Address() string {
	s.t.Helper()
	return freeAddress(s.t)
}

func (s *System) run(program string, args ...string) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), filepath.Join(s.bin, program), args...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "%s: %s", program, out)
}

// Keyring returns the keyring that decrypts the system's secrets.
func Keyring(t testing.TB) *secretbox.Keyring {
	t.Helper()
	keys, err := secretbox.ParseKeys(EncryptionKey)
	require.NoError(t, err)
	ring, err := secretbox.NewKeyring(keys)
	require.NoError(t, err)
	return ring
}

func (s *System) seed() {
	s.t.Helper()
	s.Workspace = ident.New[ident.Workspace]()
	require.NoError(s.t, postgres.NewWorkspaces(s.DB).Insert(s.t.Context(), workspace.Workspace{
		ID: s.Workspace, Name: "Test", Plan: workspace.Growth, Timezone: "UTC", CreatedAt: time.Now().UTC(),
	}))
	s.Key = s.NewKey(credential.Scopes()...)
	s.API = s.Client(s.Key)
	s.connect()
}

// NewKey creates an API key of the workspace.
func (s *System) NewKey(scopes ...credential.Scope) string {
	s.t.Helper()
	secret := credential.APIKey.New()
	hash, err := credential.APIKey.Hash(secret)
	require.NoError(s.t, err)
	require.NoError(s.t, postgres.NewKeys(s.DB).Insert(s.t.Context(), credential.Key{
		ID: ident.New[ident.Credential](), WorkspaceID: s.Workspace, Name: "test", Display: credential.Display(secret),
		Hash:   hash,
		Scopes: scopes, CreatedAt: time.Now().UTC(),
	}))
	return secret
}

// Database returns the URL of the system's database, for queries that bypass the stores.
func (s *System) Database() string { return s.database }

// Processes returns all started programs in order.
func (s *System) Processes() []*Process { return s.processes.list() }

// Migrate runs the migrate program. It must run again after Temporal lost its store, to create the namespace.
func (s *System) Migrate() { s.run("migrate", "up") }

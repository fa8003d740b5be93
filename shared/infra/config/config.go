// Package config declares the environment of each program as a struct: one type per concern, combined into one type per
// program. The programs that call social networks take the settings of the networks as the type parameter N, because
// the connectors declare them.
//
// A field is a variable if it has the tag env. Further tags: envDefault, desc (its purpose), example (shown in error
// messages and in the documentation), format (a rule in format.go that the value must satisfy). An empty variable
// counts as unset. The tag of a struct in a program's type may have the program's own default of a variable, under the
// variable's name, or optional: then the program requires none of the struct's variables.
package config

import (
	"log/slog"
	"net/netip"
	"time"
)

// Logging configures the level and the format of a program's log.
type Logging struct {
	LogLevel  slog.Level `env:"LOG_LEVEL" envDefault:"info" desc:"Least severe level that is logged: debug, info, warn or error." example:"info"`
	LogFormat string     `env:"LOG_FORMAT" envDefault:"json" format:"log-format" desc:"Format of log lines: json or text." example:"json"`
}

// ProtocolGRPC selects gRPC in OTEL_EXPORTER_OTLP_PROTOCOL.
const ProtocolGRPC = "grpc"

// Tracing is the collector of traces. OpenTelemetry's library reads further standard variables.
type Tracing struct {
	Endpoint string `env:"OTEL_EXPORTER_OTLP_ENDPOINT" format:"http-url" desc:"URL of an OpenTelemetry collector that receives traces; empty means no traces. The other variables of OTLP exporters, of samplers (OTEL_TRACES_SAMPLER) and of resources apply as OpenTelemetry defines them." example:"http://127.0.0.1:4318"`
	Protocol string `env:"OTEL_EXPORTER_OTLP_PROTOCOL" envDefault:"http/protobuf" format:"otlp-protocol" desc:"Protocol of the collector: http/protobuf or grpc." example:"grpc"`
}

// Common is the configuration of every long-running program. Each program sets its own default for OPS_ADDR.
type Common struct {
	Logging
	Tracing

	// LogRequests is not in Logging, because commands handle no requests.
	LogRequests int `env:"LOG_REQUESTS_PER_SECOND" envDefault:"100" format:"count" desc:"Handled requests per second that are all logged. Above it, one of a hundred is, and every failure. 0 logs all." example:"100"`

	OpsAddr    string        `env:"OPS_ADDR,required" format:"listen" desc:"Address on which /livez, /readyz and /metrics are served." example:":8180"`
	DrainDelay time.Duration `env:"DRAIN_DELAY" envDefault:"0s" format:"count" desc:"How long the program goes on serving after SIGTERM while /readyz reports draining, so that load balancers send it no more requests. Set it longer than their health checks take." example:"10s"`
	Pprof      bool          `env:"PPROF" envDefault:"false" desc:"Development only: serves profiles under /debug/pprof/ on OPS_ADDR." example:"true"`
}

// Database is the connection to PostgreSQL.
type Database struct {
	URL Secret `env:"DATABASE_URL,required" format:"postgres-url" desc:"PostgreSQL connection URL." example:"postgres://app:password@127.0.0.1:54320/fencepost"`
}

// Pool bounds the database connections of one process.
type Pool struct {
	DBMaxConns int `env:"DB_MAX_CONNS" envDefault:"20" format:"positive" desc:"Maximum number of database connections of this process. api, mcp, console and worker need at least 6. Below 18, they make fewer calls to Temporal at a time." example:"20"`
}

// Temporal is the connection to the workflow engine.
type Temporal struct {
	Address   string `env:"TEMPORAL_ADDRESS" envDefault:"127.0.0.1:7233" format:"host-port" desc:"Host and port of the Temporal frontend." example:"127.0.0.1:7233"`
	Namespace string `env:"TEMPORAL_NAMESPACE" envDefault:"default" format:"name" desc:"Temporal namespace." example:"default"`

	TLS        bool   `env:"TEMPORAL_TLS" envDefault:"false" desc:"Connects to Temporal with TLS. The other TEMPORAL_TLS variables and TEMPORAL_API_KEY imply it." example:"true"`
	CAFile     string `env:"TEMPORAL_TLS_CA_FILE" desc:"PEM file of the certificate authorities that Temporal's certificate is verified with; empty means the system's." example:"/run/secrets/temporal/ca.pem"`
	CertFile   string `env:"TEMPORAL_TLS_CERT_FILE" desc:"PEM file of the client certificate. It is read again for each connection, so that it can be replaced." example:"/run/secrets/temporal/tls.crt"`
	KeyFile    string `env:"TEMPORAL_TLS_KEY_FILE" desc:"PEM file of the client certificate's key." example:"/run/secrets/temporal/tls.key"`
	ServerName string `env:"TEMPORAL_TLS_SERVER_NAME" desc:"Name in Temporal's certificate; empty means the host of TEMPORAL_ADDRESS." example:"temporal.example.com"`
	APIKey     Secret `env:"TEMPORAL_API_KEY" desc:"API key of the namespace, for Temporal Cloud." example:"from Temporal Cloud"`
}

// Encrypted reports whether the connection uses TLS.
func (t Temporal) Encrypted() bool {
	return t.TLS || t.CAFile != "" || t.CertFile != "" || t.KeyFile != "" || t.ServerName != "" || t.APIKey.IsSet()
}

// Encryption holds the keys that encrypt secrets at rest.
type Encryption struct {
	Keys EncryptionKeys `env:"ENCRYPTION_KEYS,required" desc:"Keys that encrypt secrets at rest, as id:base64 of 32 bytes, separated by commas, the active one first. Keep an old key until no record uses it." example:"2026-a:bWFrZSB5b3VyIG93biBvZiAzMiByYW5kb20gYnl0ZXM="`
}

// Public holds the public URLs of the service.
type Public struct {
	LinkPages
	InboundAddress

	BaseURL string `env:"BASE_URL" envDefault:"http://localhost:8080" format:"http-url" desc:"Public URL of the API. Links contain it. Webhooks and imports cannot reach it." example:"https://api.example.com"`
	AppURL  string `env:"APP_URL" envDefault:"http://localhost:8081" format:"http-url" desc:"Public URL of the application, where users sign in and grant programs access. Webhooks and imports cannot reach it." example:"https://app.example.com"`
	MCPURL  string `env:"MCP_URL" envDefault:"http://localhost:8082/mcp" format:"http-url" desc:"Public URL of the tool server for AI agents, the resource of their OAuth tokens. Webhooks and imports cannot reach it." example:"https://mcp.example.com/mcp"`
}

// Egress relaxes the rules for requests to URLs that users enter.
type Egress struct {
	EgressAllow []netip.Prefix `env:"EGRESS_ALLOW" desc:"Development only: private networks that webhooks and imports may reach, also over http and on any port." example:"127.0.0.1/32"`
}

// Bucket identifies the object store and the bucket with the media.
type Bucket struct {
	S3Endpoint   string `env:"S3_ENDPOINT,required" format:"http-url" desc:"URL of the object store, without a path; https means TLS." example:"https://s3.eu-central-1.amazonaws.com"`
	S3Bucket     string `env:"S3_BUCKET" envDefault:"media" format:"name" desc:"Bucket for media; private, without versioning." example:"media"`
	S3Addressing string `env:"S3_ADDRESSING" envDefault:"auto" format:"s3-addressing" desc:"Position of the bucket name in URLs: path, virtual (in the host), or auto (virtual for stores that require it)." example:"path"`
}

// ObjectStore is the connection to the media bucket, on any S3-compatible store.
type ObjectStore struct {
	Bucket

	S3PublicEndpoint string `env:"S3_PUBLIC_ENDPOINT" format:"http-url" desc:"Public URL of the files gateway for signed links, without a path; empty means S3_ENDPOINT." example:"https://media.example.com"`
	S3Region         string `env:"S3_REGION" envDefault:"us-east-1" format:"name" desc:"Region of the object store, part of every signature." example:"eu-central-1"`
	S3AccessKey      string `env:"S3_ACCESS_KEY,required" desc:"Access key of the object store. Every signed link contains it." example:"media-service"`
	S3SecretKey      Secret `env:"S3_SECRET_KEY,required" desc:"Secret key of the object store." example:"from the object store"`
}

// Horizon bounds how long a scheduled post occupies Temporal.
type Horizon struct {
	PostHorizon time.Duration `env:"POST_HORIZON" envDefault:"720h" format:"positive" desc:"How long before its time a scheduled post gets its workflow. Posts due later only occupy the database. Large installations set 24h." example:"720h"`
}

// Express configures the express lane of webhook deliveries.
type Express struct {
	DeliveryExpressAfter Wait `env:"DELIVERY_EXPRESS_AFTER" envDefault:"1s" desc:"How long a webhook delivery waits for Temporal before a worker makes its first attempt directly: a duration, 0 for every delivery, or off. Set it alike in all programs." example:"1s"`
}

// MailHost is the mail server. Without one, the application shows the links that it would mail.
type MailHost struct {
	SMTPHost string `env:"SMTP_HOST" format:"mail-host" desc:"Name of the mail server that takes the application's mails; empty means that no mails are sent, and that links are shown where they are made. Set it alike in all programs." example:"smtp.example.com"`
}

// Mail is the connection to the mail server.
type Mail struct {
	MailHost

	SMTPPort     int    `env:"SMTP_PORT" envDefault:"587" format:"port" desc:"Port of the mail server." example:"587"`
	SMTPTLS      string `env:"SMTP_TLS" envDefault:"starttls" format:"smtp-tls" desc:"Encryption of the connection: starttls (required), tls (from the first byte, usually port 465) or none (for a mail server on the same host)." example:"starttls"`
	SMTPUser     string `env:"SMTP_USER" desc:"User at the mail server; empty means no authentication." example:"posts@example.com"`
	SMTPPassword Secret `env:"SMTP_PASSWORD" desc:"Password at the mail server." example:"from the mail server"`
	SMTPFrom     string `env:"SMTP_FROM" format:"sender" desc:"Sender of the mails, with or without a name. Required with SMTP_HOST." example:"Publishing <posts@example.com>"`
}

// Notifying configures the ways of notifications that the operator sets up.
type Notifying struct {
	TelegramBot Secret `env:"NOTIFY_TELEGRAM_TOKEN" desc:"Token of a bot from @BotFather that notifies people on Telegram; empty means that Telegram is not offered. Use a bot for this purpose only. Set it alike for console and worker." example:"123456789:AAH4…"`
}

// UseCases is the configuration of the programs that offer the use cases to authenticated clients.
type UseCases[N any] struct {
	Public
	MailHost
	Database Database
	Pool
	Horizon
	Express
	Temporal   Temporal
	Encryption Encryption
	ObjectStore
	Networks N
	Egress
	Proxies
}

// Requests changes the rate limits of credentials.
type Requests struct {
	RequestsPerMinute int `env:"REQUESTS_PER_MINUTE" format:"positive" desc:"Requests per minute and credential, instead of the limits of the plans; empty means the limits of the plans." example:"6000"`
}

// API is the environment of services/api.
type API[N any] struct {
	Common `OPS_ADDR:":8180"`
	UseCases[N]
	Requests

	Addr string `env:"API_ADDR" envDefault:":8080" format:"listen" desc:"Address on which the API is served." example:":8080"`
}

// MCP is the environment of services/mcp.
type MCP[N any] struct {
	Common `OPS_ADDR:":8182"`
	UseCases[N]
	Requests

	Addr    string   `env:"MCP_ADDR" envDefault:":8082" format:"listen" desc:"Address on which the tool server is served." example:":8082"`
	Origins []string `env:"MCP_ORIGINS" format:"origins" desc:"Origins of web pages that may call the tool server from a browser, separated by commas. Other origins are rejected." example:"https://agent.example.com"`
}

// Worker is the environment of services/worker.
type Worker[N any] struct {
	Common `OPS_ADDR:":8184"`
	MetaHandshake
	Public
	Mail
	Notifying
	Database Database
	Pool
	Horizon
	Express
	Temporal   Temporal
	Encryption Encryption
	ObjectStore
	Networks N
	Egress

	WorkerNetworks      []string      `env:"WORKER_NETWORKS" format:"names" desc:"Networks whose posts this worker publishes, separated by commas; empty means all. Every worker serves test channels." example:"x,telegram"`
	PublishConcurrency  int           `env:"WORKER_PUBLISH_CONCURRENCY" envDefault:"50" format:"positive" desc:"Maximum number of concurrent publications per network." example:"50"`
	DeliveryConcurrency int           `env:"WORKER_DELIVERY_CONCURRENCY" envDefault:"1000" format:"positive" desc:"Maximum number of concurrent webhook attempts. Most of them wait for a response." example:"1000"`
	ImportConcurrency   int           `env:"WORKER_IMPORT_CONCURRENCY" envDefault:"50" format:"positive" desc:"Maximum number of concurrent imports by URL." example:"50"`
	FileConcurrency     int           `env:"WORKER_FILE_CONCURRENCY" envDefault:"8" format:"positive" desc:"Maximum number of files that are downloaded for processing at the same time. At most one file per processor is decoded." example:"8"`
	MediaFolder         string        `env:"MEDIA_FOLDER" desc:"Folder for files during processing and sending; empty means the system's temporary folder. It needs space for the largest files." example:"/var/tmp/media"`
	PublishReadDelay    time.Duration `env:"PUBLISH_READ_DELAY" envDefault:"20s" format:"positive" desc:"Maximum delay until a network shows a publication. Before that, a missing post does not prove that it was not published." example:"20s"`
	RetryScale          float64       `env:"RETRY_SCALE" envDefault:"1" format:"positive" desc:"Factor for the delays between webhook attempts and between publish attempts; below 1 in tests." example:"0.001"`
	Sending
	Deployment
	SweepInterval time.Duration `env:"SWEEP_INTERVAL" envDefault:"15s" format:"positive" desc:"Interval of the sweep, which enqueues overdue work again." example:"15s"`
	Insights
	Retention
}

// Sending configures irrevocable calls. Programs that make such calls for the same posts need the same values.
type Sending struct {
	PublishSendWindow time.Duration `env:"PUBLISH_SEND_WINDOW" envDefault:"15s" format:"positive" desc:"Maximum delay between the record of a publication's intent and its irrevocable call. A worker that was paused for longer does not send." example:"15s"`
	CommitTimeout     time.Duration `env:"PUBLISH_COMMIT_TIMEOUT" format:"positive" desc:"Timeout of the irrevocable call, after which its response counts as lost; empty means the timeout of each network, 30 or 60 seconds." example:"30s"`
}

// WorkerDeployment names the workers of an installation to Temporal (docs/reference/upgrade.md).
type WorkerDeployment struct {
	DeploymentName string `env:"TEMPORAL_DEPLOYMENT_NAME" format:"deployment" desc:"Name of the worker deployment in Temporal. With it, a post that is being published stays on the version of its worker, and admin workers routes new posts to a version. It needs a Temporal server with worker deployments, 1.28 or newer. Empty means no versioning." example:"posts"`
}

// Deployment identifies a worker to Temporal's worker deployment versioning.
type Deployment struct {
	WorkerDeployment

	DeploymentBuildID string `env:"TEMPORAL_DEPLOYMENT_BUILD_ID" format:"build" desc:"Version of this worker in the deployment; empty means the version of the program. Builds whose workflows differ need different ones." example:"0.9.0-2"`
}

// Retention configures how long data is kept that grows without end. The API documents the defaults (docs/architecture.md, Retention).
type Retention struct {
	AnalyticsRetention Wait `env:"ANALYTICS_RETENTION" envDefault:"17568h" format:"retention" desc:"How long figures, visits and clicks are kept: at least 720h, or off for good." example:"17568h"`
	HistoryRetention   Wait `env:"HISTORY_RETENTION" envDefault:"17568h" format:"retention" desc:"How long after its last change a PUBLISHED, FAILED or ARCHIVED post keeps its timeline: at least 720h, or off for good. Attempts of PUBLISHED posts are kept for at least 91 days." example:"17568h"`
	PostRetention      Wait `env:"POST_RETENTION" envDefault:"off" format:"retention" desc:"How long after its last change such a post is kept: at least 720h, or off for good. Clients can read it until then." example:"off"`
}

// Insights configures the collection of channel and post figures.
type Insights struct {
	InsightSchedules   bool    `env:"INSIGHTS_SCHEDULES" envDefault:"true" desc:"Creates a Temporal schedule per channel that collects its figures every day. false keeps existing schedules and creates no others." example:"true"`
	InsightConcurrency int     `env:"INSIGHTS_CONCURRENCY" envDefault:"8" format:"positive" desc:"Maximum number of concurrent collection steps; at most half of them for one network." example:"8"`
	InsightPerSecond   float64 `env:"INSIGHTS_PER_SECOND" envDefault:"1" format:"positive" desc:"Collection steps that this process starts per second and network. It does not limit publishing." example:"5"`
}

// Sandbox is the environment of services/sandbox.
type Sandbox struct {
	Common `OPS_ADDR:":8190"`

	Addr      string `env:"SANDBOX_ADDR" envDefault:":8090" format:"listen" desc:"Address on which the sandbox network is served." example:":8090"`
	SMTPAddr  string `env:"SANDBOX_SMTP_ADDR" format:"listen" desc:"Address on which the sandbox receives mails, which it shows under /mailbox; empty means that it receives none." example:":8025"`
	Data      string `env:"SANDBOX_DATA" envDefault:".run/sandbox" desc:"Folder of the ledger of published posts." example:"/var/lib/sandbox"`
	PublicURL string `env:"SANDBOX_PUBLIC_URL" format:"http-url" desc:"Public URL of the sandbox network, for links to its posts; empty means the host of each request." example:"http://localhost:8090"`

	RetryScale float64 `env:"SANDBOX_RETRY_SCALE" envDefault:"1" format:"positive" desc:"Factor for the pauses between the attempts of the networks to push an event to this service; below 1 in tests." example:"0.001"`
}

// Files is the environment of services/files. It has no keys, because clients send signed requests.
type Files struct {
	Common `OPS_ADDR:":8185"`
	Bucket

	S3PublicEndpoint string `env:"S3_PUBLIC_ENDPOINT,required" format:"http-url" desc:"Public URL of the files, without a path. Signed links begin with it, and requests to other hosts are rejected." example:"https://media.example.com"`
	Addr             string `env:"FILES_ADDR" envDefault:":8084" format:"listen" desc:"Address on which the files are served." example:":8084"`
}

// Proxies lists the proxies in front of a public program.
type Proxies struct {
	TrustedProxies []netip.Prefix `env:"TRUSTED_PROXIES" desc:"Networks of trusted proxies, whose X-Forwarded-For is used. The client address limits requests without a credential, and identifies visitors of link pages for a day." example:"10.0.0.0/8"`
	AllowedHosts   []string       `env:"ALLOWED_HOSTS" format:"hosts" desc:"Additional hosts that the program serves, separated by commas, each with or without a port; for example, the host that a proxy sends. The host of the public URL is always served. Requests for other hosts get 421. If the public URL is not public, every host is served." example:"api.internal,api:8080"`
}

// LinkPages holds the public URL of link pages.
type LinkPages struct {
	PagesURL string `env:"PAGES_URL" envDefault:"http://localhost:8083" format:"http-url" desc:"Public URL of link pages. The path of a page is its handle. Webhooks and imports cannot reach it." example:"https://pages.example.com"`
	ShortURL string `env:"SHORT_URL" format:"http-url" desc:"Public URL of short links, without a path: a domain of its own that leads to services/pages; empty means PAGES_URL." example:"https://go.example.com"`
}

// ShortHost returns the address of the host of short links.
func (l LinkPages) ShortHost() string {
	if l.ShortURL != "" {
		return l.ShortURL
	}
	return l.PagesURL
}

// Pages is the environment of services/pages.
type Pages struct {
	Common `OPS_ADDR:":8183"`
	LinkPages
	Database Database
	Pool
	ObjectStore
	Proxies

	Addr string `env:"PAGES_ADDR" envDefault:":8083" format:"listen" desc:"Address on which the link pages are served." example:":8083"`
}

// InboundAddress is where networks report messages to.
type InboundAddress struct {
	InboundURL string `env:"INBOUND_URL" format:"http-url" desc:"Public URL of services/inbound, to which networks report messages; empty means that the worker asks the networks that allow it. Webhooks and imports cannot reach it." example:"https://inbound.example.com"`
}

// MetaHandshake is the configuration by which Meta verifies the address for its reports.
type MetaHandshake struct {
	WhatsAppVerifyToken Secret `env:"WHATSAPP_VERIFY_TOKEN" desc:"Token of your choice, with which the worker registers the address /meta/whatsapp of INBOUND_URL at Meta, and which Meta returns. Empty means that no WhatsApp number receives messages." example:"32 random characters"`
}

// Inbound is the environment of services/inbound.
type Inbound struct {
	Common `OPS_ADDR:":8186"`
	InboundAddress
	MetaHandshake
	Database Database
	Pool
	Proxies

	Addr string `env:"INBOUND_ADDR" envDefault:":8086" format:"listen" desc:"Address on which the reports of networks are received." example:":8086"`
	// The description is that of the connector.
	WhatsAppSecrets Secret `env:"WHATSAPP_APP_SECRET" format:"secrets" desc:"Secret of that application, which proves the origin of its calls and of WhatsApp's reports; during its change, the new and the old one, separated by a comma. Without it, no reports are accepted." example:"from the developer portal"`
}

// SignInProvider is the registration at an OpenID Connect provider, through which people sign in to the application.
type SignInProvider struct {
	Issuer       string `env:"OIDC_ISSUER" format:"http-url" desc:"Issuer of an OpenID Connect provider through which people may sign in; empty means none. Register APP_URL with the path /sign-in/provider/callback there as redirect address." example:"https://login.example.com"`
	ClientID     string `env:"OIDC_CLIENT_ID" desc:"Client ID of the application at the provider; required with OIDC_ISSUER." example:"fencepost"`
	ClientSecret Secret `env:"OIDC_CLIENT_SECRET" desc:"Client secret of the application at the provider; empty for a public client." example:"from the provider"`
	ProviderName string `env:"OIDC_NAME" envDefault:"single sign-on" desc:"Name of the provider on the button of the sign-in page." example:"Example Login"`
}

// Console is the environment of services/console.
type Console[N any] struct {
	Common `OPS_ADDR:":8181"`
	UseCases[N]
	SignInProvider
	Notifying

	Addr       string `env:"CONSOLE_ADDR" envDefault:":8081" format:"listen" desc:"Address on which the application is served." example:":8081"`
	Components bool   `env:"CONSOLE_COMPONENTS" envDefault:"false" desc:"Development only: serves the components of the pages under /-/components." example:"true"`
}

// Migrate is the environment of services/migrate. It creates the bucket if an object store is configured.
type Migrate struct {
	Logging
	Database      Database
	Temporal      Temporal
	VisibilityURL Secret `env:"TEMPORAL_VISIBILITY_DATABASE_URL" format:"postgres-url" desc:"PostgreSQL connection URL of Temporal's visibility database, as its owner. Set it only if no other application uses this Temporal server: migrate up then drops the indexes that the service does not need." example:"postgres://temporal:password@127.0.0.1:54320/temporal_visibility"`
	ObjectStore   `optional:"true"`
}

// Admin is the environment of services/admin. The public URLs and the object store are for doctor and backup; the other
// commands need no object store.
type Admin[N any] struct {
	Logging
	Public
	Database   Database
	Temporal   Temporal
	Encryption Encryption
	Networks   N
	Mail
	Sending
	WorkerDeployment
	ObjectStore `optional:"true"`
}

package mastodon

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Codes of servers with which no account can be connected.
const (
	CodeServerName  = "SERVER_INVALID"
	CodeServerDown  = "SERVER_UNREACHABLE"
	CodeServerOther = "SERVER_NOT_MASTODON"
)

var errServerName = errors.New("not the host, the https URL or a handle of a server")

// hostPattern matches hosts in the ids of accounts.
var hostPattern = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?$`)

// suggested returns servers that many people use, after the usual one.
func (c *Connector) suggested() []string {
	usual := strings.TrimPrefix(c.usual, "https://")
	known := []string{"mastodon.social", "mastodon.online", "mstdn.social", "fosstodon.org", "hachyderm.io"}
	return append([]string{usual}, slices.DeleteFunc(known, func(host string) bool { return host == usual })...)
}

// ServerField returns the field for the server of an account.
func (c *Connector) ServerField() platform.Field {
	choices := c.suggested()
	return platform.Field{
		Name: "server", Label: "Server", Hint: "The part of your handle after the second @, like mastodon.social.",
		Codes: []string{CodeServerName, CodeServerDown, CodeServerOther}, Usual: choices[0], Choices: choices,
	}
}

// Server returns the URL of a server that is named by its host (fosstodon.org), by an address on it
// (https://fosstodon.org/@ada) or by a handle (@ada@fosstodon.org).
func (c *Connector) Server(named string) (string, error) {
	named = strings.TrimSpace(named)
	if named == "" || named == strings.TrimPrefix(c.usual, "https://") {
		return c.usual, nil
	}
	host, err := hostOf(named)
	if err == nil {
		server := "https://" + host
		if _, err = c.servers.Of(platform.Account{Credentials: channel.Credentials{Server: server}}); err == nil {
			return server, nil
		}
	}
	return "", c.client.Fail(platform.ClassUser, CodeServerName, err,
		"This is not the name of a public server. Enter one like mastodon.social, or your handle, like @ada@mastodon.social.")
}

func hostOf(named string) (string, error) {
	host, isAddress := named, false
	if len(named) > len("https://") && strings.EqualFold(named[:len("https://")], "https://") {
		host, isAddress = named[len("https://"):], true
	}
	if before, _, found := strings.Cut(host, "/"); found {
		host, isAddress = before, true
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 && !isAddress {
		host = host[at+1:]
	}
	host, err := idna.Lookup.ToASCII(strings.TrimSuffix(host, "."))
	if err == nil && !hostPattern.MatchString(host) {
		err = errServerName
	}
	return host, err
}

// ServerOf returns the server in the account's id, or the usual one.
func (c *Connector) ServerOf(account platform.Account) string {
	host, _, named := strings.Cut(account.ExternalID, "/")
	if !named {
		return c.usual
	}
	return "https://" + host
}

// server is a server with its client.
type server struct {
	*httpcall.Client

	url string // of the server; BaseURL differs on the sandbox network
}

func (s server) host() string { return strings.TrimPrefix(s.url, "https://") }

// at returns the server of the URL; empty: the usual one.
func (c *Connector) at(url string) (server, error) {
	url = cmp.Or(url, c.usual)
	client, err := c.servers.Of(platform.Account{Credentials: channel.Credentials{Server: url}})
	return server{Client: client, url: url}, err
}

// down returns the failure of a server without a response.
func (s server) down(cause error) *platform.Failure {
	return s.Fail(platform.ClassUser, CodeServerDown, cause,
		"%s does not respond. Check the name, or try again later.", s.host())
}

// other returns the failure of a response that is not Mastodon's.
func (s server) other(response httpcall.Response) *platform.Failure {
	return s.Fail(platform.ClassUser, CodeServerOther, response.Cause("no application in the response"),
		"%s is not a Mastodon server. Enter the server at which you sign in.", s.host())
}

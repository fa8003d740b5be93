package authserver

import (
	"context"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/base62"
	"socialpub.internal/shared/credential"
	"socialpub.internal/shared/egress"
	"socialpub.internal/shared/oauth"
)

// How long the document of a published client is taken as read, whatever its headers ask (Client ID Metadata Documents,
// section 4.4).
const (
	shortestFresh = 5 * time.Minute
	longestFresh  = 24 * time.Hour
)

// idLength is how many characters the id of a client has that was made here.
const idLength = 24

func unknownClient() error {
	return oauth.Refuse(oauth.InvalidClient, "The client is unknown, or its registration has expired. Register it again, or use the address of its metadata document as client_id.")
}

// client finds a client by its id: one that was made here, or one that publishes a document at its id. The error is an
// *oauth.Error, but for our own database's silence.
func (s *Server) client(ctx context.Context, id string) (oauth.Client, error) {
	known, fresh, err := s.clients.Get(ctx, id)
	switch {
	case err != nil && !apperr.Is(err, apperr.NotFound):
		return oauth.Client{}, err
	case err == nil && (known.Kind != oauth.Published || s.now().Before(fresh)):
		if known.Expired(s.now()) {
			return oauth.Client{}, unknownClient()
		}
		return known, nil
	case !oauth.IsMetadataURL(id):
		return oauth.Client{}, unknownClient()
	}
	return s.read(ctx, id)
}

// read reads the document of a published client.
func (s *Server) read(ctx context.Context, id string) (oauth.Client, error) {
	if err := oauth.CheckMetadataURL(id); err != nil {
		return oauth.Client{}, err
	}
	answer, err := s.cfg.Fetch.Do(ctx, egress.Request{
		Method: http.MethodGet, URL: id, Header: http.Header{"Accept": {"application/json"}},
	})
	if err != nil {
		return oauth.Client{}, oauth.Refuse(oauth.InvalidClient, "The client's metadata document could not be read: %s.", egress.ClassOf(err))
	}
	mediaType, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	switch {
	case answer.Status != http.StatusOK:
		return oauth.Client{}, oauth.Refuse(oauth.InvalidClient, "The client's metadata document could not be read: status %d.", answer.Status)
	case answer.Truncated:
		return oauth.Client{}, oauth.Refuse(oauth.InvalidClient, "The client's metadata document is longer than %d bytes.", oauth.MaxMetadata)
	case mediaType != "application/json" && !strings.HasSuffix(mediaType, "+json"):
		return oauth.Client{}, oauth.Refuse(oauth.InvalidClient, "The client's metadata document is no JSON, by its Content-Type.")
	}
	m, err := oauth.ReadMetadata(answer.Body)
	if err != nil {
		return oauth.Client{}, err
	}
	if m.ClientID != id {
		return oauth.Client{}, oauth.Refuse(oauth.InvalidClient, "The client_id in the client's metadata document is not the document's own address.")
	}
	c, err := m.Client(oauth.Published)
	if err != nil {
		return oauth.Client{}, err
	}
	c.CreatedAt = s.now()
	return c, s.clients.Refresh(ctx, c, s.now().Add(freshness(answer.Header)))
}

// freshness is how long a document holds (RFC 9111, section 5.2.2.1), within our bounds.
func freshness(header http.Header) time.Duration {
	for directive := range strings.SplitSeq(header.Get("Cache-Control"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		if strings.EqualFold(name, "max-age") {
			seconds, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31)
			if err == nil {
				return min(max(time.Duration(seconds)*time.Second, shortestFresh), longestFresh)
			}
		}
	}
	return shortestFresh
}

// Registration is a client that has registered itself, with the secret that is shown this once.
type Registration struct {
	Client oauth.Client
	Secret string // empty for a public client
}

// Register takes a client that describes itself (RFC 7591). It is forgotten unless somebody authorizes it in time. The error is
// an *oauth.Error, but for our own database's silence.
func (s *Server) Register(ctx context.Context, body []byte) (Registration, error) {
	m, err := oauth.ReadMetadata(body)
	if err != nil {
		return Registration{}, err
	}
	c, err := m.Client(oauth.Registered)
	if err != nil {
		return Registration{}, err
	}
	c.ExpiresAt = s.now().Add(oauth.UnusedClientLife)
	return s.keep(ctx, c)
}

// AddFirstParty takes a client of the operator's. The error is an *oauth.Error for a description that will not do.
func (s *Server) AddFirstParty(ctx context.Context, m oauth.ClientMetadata) (Registration, error) {
	c, err := m.Client(oauth.FirstParty)
	if err != nil {
		return Registration{}, err
	}
	return s.keep(ctx, c)
}

func (s *Server) keep(ctx context.Context, c oauth.Client) (Registration, error) {
	c.ID, c.CreatedAt = "svc_cli_"+base62.Random(idLength), s.now()
	var secret string
	if c.AuthMethod != oauth.AuthNone {
		secret = credential.ClientSecret.New()
		sum, err := credential.ClientSecret.Hash(secret)
		if err != nil {
			return Registration{}, err
		}
		c.SecretHash = sum[:]
	}
	if err := s.clients.Insert(ctx, c); err != nil {
		return Registration{}, err
	}
	s.cfg.Logger.InfoContext(ctx, "oauth client registered", slog.String("client_id", c.ID), slog.String("kind", string(c.Kind)), slog.String("host", c.Host()))
	return Registration{Client: c, Secret: secret}, nil
}

package authserver

import (
	"context"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/domain/oauth"
	"socialpub.internal/shared/infra/egress"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/base62"
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

// client finds the client that asks for access: one that was made here, or one that publishes a document at its id, which is read
// when it is not fresh any more. The error is an *oauth.Error, but for our own database's silence.
func (s *Server) client(ctx context.Context, id string) (oauth.Client, error) {
	known, fresh, err := s.clients.Get(ctx, id)
	switch {
	case err != nil && !apperr.Is(err, apperr.NotFound):
		return oauth.Client{}, err
	case oauth.IsMetadataURL(id) && (err != nil || !s.now().Before(fresh)):
		return s.read(ctx, id)
	case err != nil || known.Expired(s.now()):
		return oauth.Client{}, unknownClient()
	default:
		return known, nil
	}
}

// known finds a client that has asked before. The document of a published one is not read again: it says nothing about tokens, its
// address may be silent at times, and whoever calls the token endpoint could have us read anything. The error is an *oauth.Error,
// but for our own database's silence.
func (s *Server) known(ctx context.Context, id string) (oauth.Client, error) {
	if !oauth.IsClientID(id) {
		return oauth.Client{}, unknownClient()
	}
	c, _, err := s.clients.Get(ctx, id)
	if apperr.Is(err, apperr.NotFound) || err == nil && c.Expired(s.now()) {
		err = unknownClient()
	}
	return c, err
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
	made, err := named(c, s.now())
	if err == nil {
		err = s.clients.Insert(ctx, made.Client)
	}
	if err != nil {
		return Registration{}, err
	}
	s.cfg.Logger.InfoContext(ctx, "oauth client registered", slog.String("client_id", made.Client.ID), slog.String("host", made.Client.Host()))
	return made, nil
}

// named gives a client its id and, to a confidential one, a secret.
func named(c oauth.Client, now time.Time) (Registration, error) {
	c.ID, c.CreatedAt = "svc_cli_"+base62.Random(idLength), now
	if c.AuthMethod == oauth.AuthNone {
		return Registration{Client: c}, nil
	}
	secret, hash, err := newSecret()
	c.SecretHash = hash
	return Registration{Client: c, Secret: secret}, err
}

func newSecret() (secret string, hash []byte, err error) {
	secret = credential.ClientSecret.New()
	sum, err := credential.ClientSecret.Hash(secret)
	return secret, sum[:], err
}

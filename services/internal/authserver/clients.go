package authserver

import (
	"context"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/kernel/apperr"
)

// The limits of how long a client metadata document is fresh, whatever its headers say (Client ID Metadata Documents,
// section 4.4).
const (
	shortestFresh = 5 * time.Minute
	longestFresh  = 24 * time.Hour
)

// idLength is the length of the random part of a client id that this server creates.
const idLength = 24

func unknownClient() error {
	return oauth.Refuse(oauth.InvalidClient, "The client is unknown, or its registration has expired. Register it "+
		"again, or use the URL of its metadata document as client_id.")
}

// client returns the client of an authorization request: a stored one, or one that publishes its metadata document at
// its id. The document is fetched when it is not fresh. The error is an *oauth.Error unless the database fails.
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

// known returns a stored client. It does not fetch the document of a published client again: the document has no
// information about tokens, its address may be unavailable, and any caller of the token endpoint could trigger fetches.
// The error is an *oauth.Error unless the database fails.
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

// read fetches the metadata document of a published client and stores the client.
func (s *Server) read(ctx context.Context, id string) (oauth.Client, error) {
	if err := oauth.CheckMetadataURL(id); err != nil {
		return oauth.Client{}, err
	}
	response, err := s.cfg.Fetch.Do(ctx, egress.Request{
		Method: http.MethodGet, URL: id, Header: http.Header{"Accept": {"application/json"}},
	})
	if err != nil {
		return oauth.Client{}, oauth.Refuse(oauth.InvalidClient, "The client's metadata document could not be read: %s.",
			egress.ClassOf(err))
	}
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.Status != http.StatusOK:
		return oauth.Client{}, oauth.Refuse(oauth.InvalidClient,
			"The client's metadata document could not be read: status %d.", response.Status)
	case response.Truncated:
		return oauth.Client{}, oauth.Refuse(oauth.InvalidClient, "The client's metadata document is longer than %d bytes.",
			oauth.MaxMetadata)
	case mediaType != "application/json" && !strings.HasSuffix(mediaType, "+json"):
		return oauth.Client{}, oauth.Refuse(oauth.InvalidClient, "The Content-Type of the client's metadata document is "+
			"not JSON.")
	}
	m, err := oauth.ReadMetadata(response.Body)
	if err != nil {
		return oauth.Client{}, err
	}
	if m.ClientID != id {
		return oauth.Client{}, oauth.Refuse(oauth.InvalidClient, "The client_id in the client's metadata document is not "+
			"the URL of the document.")
	}
	c, err := m.Client(oauth.Published)
	if err != nil {
		return oauth.Client{}, err
	}
	c.CreatedAt = s.now()
	return c, s.clients.Refresh(ctx, c, s.now().Add(freshness(response.Header)))
}

// freshness returns how long a document is fresh (RFC 9111, section 5.2.2.1), within the limits.
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

// Registration is a new client with its secret, which is shown only once.
type Registration struct {
	Client oauth.Client
	Secret string // empty for a public client
}

// Register registers a client dynamically (RFC 7591). The client is deleted unless a user authorizes it in time. The
// error is an *oauth.Error unless the database fails.
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
	created, err := named(c, s.now())
	if err == nil {
		err = s.clients.Insert(ctx, created.Client)
	}
	if err != nil {
		return Registration{}, err
	}
	s.cfg.Logger.InfoContext(ctx, "oauth client registered", slog.String("client_id", created.Client.ID),
		slog.String("host", created.Client.Host()))
	return created, nil
}

// named assigns an id to a client and, to a confidential one, a secret.
func named(c oauth.Client, now time.Time) (Registration, error) {
	c.ID, c.CreatedAt = "svc_cli_"+credential.RandomText(idLength), now
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

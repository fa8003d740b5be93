package authserver

import (
	"context"
	"log/slog"
	"net/url"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// DeviceStarted is the response of the device authorization endpoint (RFC 8628, section 3.2).
type DeviceStarted struct {
	DeviceCode string // for the device, which polls with it
	UserCode   string // for the person, who types it
	ExpiresIn  time.Duration
	Interval   time.Duration
}

// StartDevice serves the device authorization endpoint. Place is the address of the device, for the person who decides. The
// error is an *oauth.Error unless the database fails.
func (s *Server) StartDevice(ctx context.Context, sent url.Values, basic *Basic, place string) (DeviceStarted, error) {
	if err := oauth.OnceEach(sent, "client_id", "scope"); err != nil {
		return DeviceStarted{}, err
	}
	if id := sent.Get("client_id"); oauth.IsMetadataURL(id) { // its document is read again if it is not fresh
		if _, err := s.client(ctx, id); err != nil {
			return DeviceStarted{}, err
		}
	}
	client, err := s.identify(ctx, sent, basic)
	if err != nil {
		return DeviceStarted{}, err
	}
	device, err := s.rules.ReadDevice(client, sent.Get("scope"), sent["resource"])
	if err != nil {
		return DeviceStarted{}, err
	}
	started := DeviceStarted{
		DeviceCode: credential.DeviceCode.New(), UserCode: oauth.NewUserCode(), ExpiresIn: oauth.DeviceLife, Interval: device.Interval,
	}
	hash, err := credential.DeviceCode.Hash(started.DeviceCode)
	if err != nil {
		return DeviceStarted{}, err
	}
	userHash, _ := oauth.HashUserCode(started.UserCode)
	device.Place, device.CreatedAt = place, s.now()
	device.ExpiresAt = device.CreatedAt.Add(oauth.DeviceLife)
	return started, s.grants.InsertDevice(ctx, hash, userHash, device)
}

// RequestedDevice is the request of a device with its client, for the user's decision.
type RequestedDevice struct {
	Client oauth.Client
	Device oauth.Device
}

func noDevice() error {
	return apperr.New(apperr.NotFound, "There is no such code. It may have expired or already be used.")
}

// RequestedDevice returns the request with a code that a person typed; NOT_FOUND if there is none to decide.
func (s *Server) RequestedDevice(ctx context.Context, code string) (RequestedDevice, error) {
	hash, ok := oauth.HashUserCode(code)
	if !ok {
		return RequestedDevice{}, noDevice()
	}
	device, err := s.grants.Device(ctx, hash, s.now())
	if err != nil {
		return RequestedDevice{}, err
	}
	client, _, err := s.clients.Get(ctx, device.ClientID)
	return RequestedDevice{Client: client, Device: device}, err
}

// AllowDevice grants the access to the device with the code. Errors are those of Allow.
func (s *Server) AllowDevice(ctx context.Context, code string, d Decision) error {
	requested, err := s.RequestedDevice(ctx, code)
	if err != nil {
		return err
	}
	device := requested.Device
	if err := s.mayGrant(ctx, oauth.AuthorizationRequest{ClientID: device.ClientID, Scopes: device.Scopes}, d); err != nil {
		return err
	}
	hash, _ := oauth.HashUserCode(code)
	err = s.grants.AllowDevice(ctx, hash, oauth.Grant{
		ID: ident.New[ident.Grant](), ClientID: device.ClientID, UserID: d.UserID, WorkspaceID: d.WorkspaceID, Scopes: d.Scopes,
		Resource: device.Resource, CreatedAt: s.now(),
	})
	if err != nil {
		return err
	}
	s.cfg.Logger.InfoContext(ctx, "oauth access allowed to a device", slog.String("client_id", device.ClientID),
		slog.String("user_id", d.UserID.String()), slog.String("workspace_id", d.WorkspaceID.String()),
		slog.String("device", device.Place))
	return nil
}

// DenyDevice denies the access to the device with the code; NOT_FOUND if there is none to decide.
func (s *Server) DenyDevice(ctx context.Context, code string) error {
	hash, ok := oauth.HashUserCode(code)
	if !ok {
		return noDevice()
	}
	return s.grants.DenyDevice(ctx, hash, s.now())
}

// poll exchanges the code of a device for tokens when its access is allowed.
func (s *Server) poll(ctx context.Context, client oauth.Client, sent url.Values) (Tokens, error) {
	hash, err := credential.DeviceCode.Hash(sent.Get("device_code"))
	if err != nil {
		return Tokens{}, oauth.Refuse(oauth.InvalidGrant, "The device_code is missing or malformed.")
	}
	var tokens Tokens
	var refused error
	err = s.cfg.DB.WithinTx(ctx, func(ctx context.Context) error {
		device, err := s.grants.LockDevice(ctx, hash)
		if apperr.Is(err, apperr.NotFound) {
			refused = oauth.Refuse(oauth.InvalidGrant, "The device_code is unknown, or belongs to another client.")
			return nil
		}
		if err != nil {
			return err
		}
		tokens, refused, err = s.polled(ctx, client, device, hash)
		return err
	})
	if err == nil {
		err = refused
	}
	return tokens, err
}

// polled applies the outcome of a poll. It returns a refusal separately from the error, because the changes of a refusal
// must be committed.
func (s *Server) polled(
	ctx context.Context, client oauth.Client, device oauth.Device, hash [32]byte,
) (tokens Tokens, refused, err error) {
	now := s.now()
	outcome, refused := device.Poll(client, now)
	switch outcome {
	case oauth.PollAllowed:
		grant, err := s.grants.RedeemDevice(ctx, hash, device.Grant, now)
		if err != nil {
			return Tokens{}, nil, err
		}
		if !grant.RevokedAt.IsZero() {
			return Tokens{}, oauth.Refuse(oauth.AccessDenied, "The user has revoked the access."), nil
		}
		tokens, err = s.give(ctx, grant, grant.Scopes, nil, now)
		return tokens, nil, err
	case oauth.PollStolen:
		return Tokens{}, refused, s.revoke(ctx, oauth.Grant{
			ID: device.Grant, ClientID: device.ClientID,
		}, "the code of a device was used twice")
	case oauth.PollRefused:
	}
	interval := device.Interval
	if oauth.IsCode(refused, oauth.SlowDown) {
		interval += oauth.DeviceInterval
	}
	if device.ClientID == client.ID { // polls of another client do not slow down this one
		err = s.grants.Polled(ctx, hash, interval, now)
	}
	return Tokens{}, refused, err
}

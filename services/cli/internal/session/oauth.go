package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

const (
	metadataPath = "/.well-known/oauth-authorization-server"
	clientName   = "Fencepost command line"
	deviceGrant  = "urn:ietf:params:oauth:grant-type:device_code"
	// longest is the greatest size of a response that is read.
	longest = 1 << 20
)

// Metadata is the part of the authorization server's metadata that the command line uses (RFC 8414).
type Metadata struct {
	Issuer                      string   `json:"issuer"`
	AuthorizationEndpoint       string   `json:"authorization_endpoint"`
	TokenEndpoint               string   `json:"token_endpoint"`
	RevocationEndpoint          string   `json:"revocation_endpoint"`
	RegistrationEndpoint        string   `json:"registration_endpoint"`
	DeviceAuthorizationEndpoint string   `json:"device_authorization_endpoint"`
	ProtectedResources          []string `json:"protected_resources"`
}

// Tools returns the address of the tool server for AI agents, or "".
func (m Metadata) Tools() string {
	for _, resource := range m.ProtectedResources {
		if resource != m.Issuer {
			return resource
		}
	}
	return ""
}

// Discover reads the metadata of an installation.
func Discover(ctx context.Context, client *http.Client, address string) (Metadata, error) {
	var m Metadata
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+metadataPath, http.NoBody)
	if err != nil {
		return m, err
	}
	if err := exchange(client, request, http.StatusOK, &m); err != nil {
		return m, fmt.Errorf("%s is not the address of an installation: %w", address, err)
	}
	if m.Issuer != address { // RFC 8414, section 3.3
		return m, fmt.Errorf("the installation at %s calls itself %s: use that address", address, m.Issuer)
	}
	return m, nil
}

// exchange sends a request and decodes its response.
func exchange(client *http.Client, request *http.Request, want int, into any) error {
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, longest))
	if err != nil {
		return err
	}
	if response.StatusCode != want {
		var refused struct {
			Description string `json:"error_description"`
			Detail      string `json:"detail"`
		}
		_ = json.Unmarshal(body, &refused) // a page of a proxy
		return fmt.Errorf("status %d %s", response.StatusCode, refused.Description+refused.Detail)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(body, into)
}

// register registers the command line as a client of the installation (RFC 7591).
func register(ctx context.Context, client *http.Client, m Metadata) (id string, err error) {
	body, err := json.Marshal(map[string]any{
		"client_name": clientName, "redirect_uris": []string{"http://127.0.0.1/callback"},
		"token_endpoint_auth_method": "none", "grant_types": []string{"authorization_code", "refresh_token", deviceGrant},
	})
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.RegistrationEndpoint, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	var registered struct {
		ClientID string `json:"client_id"`
	}
	if err := exchange(client, request, http.StatusCreated, &registered); err != nil {
		return "", fmt.Errorf("register this command line: %w", err)
	}
	return registered.ClientID, nil
}

func configOf(m Metadata, id string, scopes []string) *oauth2.Config {
	return &oauth2.Config{ClientID: id, Scopes: scopes, Endpoint: oauth2.Endpoint{
		AuthURL: m.AuthorizationEndpoint, TokenURL: m.TokenEndpoint, DeviceAuthURL: m.DeviceAuthorizationEndpoint,
		AuthStyle: oauth2.AuthStyleInParams,
	}}
}

func tokensOf(id string, token *oauth2.Token) *Tokens {
	scope, _ := token.Extra("scope").(string)
	return &Tokens{
		ClientID: id, Access: token.AccessToken, Refresh: token.RefreshToken, ExpiresAt: token.Expiry.UTC().Truncate(time.Second),
		Scope: scope,
	}
}

// refresh exchanges the refresh token of a profile.
func (s *Store) refresh(ctx context.Context, profile Profile) (*Tokens, error) {
	m, err := Discover(ctx, s.http, profile.URL)
	if err != nil {
		return nil, err
	}
	config := configOf(m, profile.Tokens.ClientID, nil)
	token, err := config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, s.http),
		&oauth2.Token{RefreshToken: profile.Tokens.Refresh}).Token()
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && ended(refused.ErrorCode) {
		return nil, fmt.Errorf("%w: %s", ErrSignedOut, refused.ErrorDescription)
	}
	if err != nil {
		return nil, err
	}
	return tokensOf(profile.Tokens.ClientID, token), nil
}

func ended(code string) bool {
	return slices.Contains([]string{"invalid_grant", "invalid_client"}, code)
}

// Revoke ends the access of a profile at the installation (RFC 7009). Profiles with a key have nothing to revoke.
func (s *Store) Revoke(ctx context.Context, profile Profile) error {
	if profile.Tokens == nil {
		return nil
	}
	m, err := Discover(ctx, s.http, profile.URL)
	if err != nil {
		return err
	}
	form := url.Values{"client_id": {profile.Tokens.ClientID}, "token": {profile.Tokens.Refresh}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.RevocationEndpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return exchange(s.http, request, http.StatusOK, nil)
}

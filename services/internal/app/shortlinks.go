package app

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/snippet"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

const (
	// pathShort is the path of short links on their host.
	pathShort = "/s/"
	// longestTarget is the maximum number of bytes of the target of a short link.
	longestTarget = 2048
	// maxShortened is the maximum number of links of a text that are shortened.
	maxShortened = 50
	// codeLength is the number of characters of a code: 47 bits, so that codes cannot be found by trying.
	codeLength = 8
)

// ShortLinks reports whether links can be shortened: whether their host is configured.
func (a *campaignUseCases) ShortLinks() bool { return a.shortURL != "" }

// ShortenLinks returns the links of a text with their short addresses in the post of a channel. The same link of the same scratch
// and channel has the same address each time. Links that are short already, and those that are no address of the web, are
// left out. The text that is published is the one that a person sees: nothing is shortened later.
func (a *campaignUseCases) ShortenLinks(
	ctx context.Context, p Principal, scratch ident.Scratch, of ident.Channel, text string,
) ([]snippet.Replacement, error) {
	if err := p.Require(credential.PostsWrite); err != nil || !a.ShortLinks() {
		return nil, err
	}
	var list []snippet.Replacement
	for _, address := range snippet.Links(text) {
		target := shortTarget(address)
		if target == "" || strings.HasPrefix(target, a.shortURL+pathShort) || len(list) == maxShortened {
			continue
		}
		code, err := a.codeOf(ctx, postgres.ShortLink{WorkspaceID: p.WorkspaceID, Scratch: scratch, Channel: of, Target: target})
		if err != nil {
			return nil, err
		}
		list = append(list, snippet.Replacement{From: address, To: a.shortURL + pathShort + code})
	}
	return list, nil
}

// shortTarget returns an address as a redirect names it; empty for one to which no redirect leads.
func shortTarget(address string) string {
	parsed, err := plaintext.ParseURL(address)
	if errors.Is(err, plaintext.ErrForeign) {
		var given *url.URL
		if given, err = url.Parse(address); err == nil {
			var host string
			if host, err = idna.Lookup.ToASCII(given.Hostname()); err == nil {
				parsed, err = plaintext.ParseURL(strings.Replace(address, given.Hostname(), host, 1))
			}
		}
	}
	if err != nil || len(parsed.String()) > longestTarget {
		return ""
	}
	return parsed.String()
}

// codeOf returns the code of a link.
func (a *campaignUseCases) codeOf(ctx context.Context, l postgres.ShortLink) (string, error) {
	const tries = 5
	for range tries {
		l.Code = credential.RandomText(codeLength)
		if code, err := a.shorts.Code(ctx, l, a.now()); err != nil || code != "" {
			return code, err
		}
	}
	return "", apperr.New(apperr.Unavailable, "No short address is free. Try again.")
}

// codesIn returns the codes of the short links of texts, each once.
func (a *campaignUseCases) codesIn(texts []string) (codes []string) {
	prefix := a.shortURL + pathShort
	for _, text := range texts {
		for _, address := range snippet.Links(text) {
			code, ours := strings.CutPrefix(address, prefix)
			if ours && len(code) == codeLength && !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	return codes
}

// LinkClicks returns the clicks on the workspace's short links in texts, in their order. A short link that is in several posts
// has the clicks of all of them.
func (a *campaignUseCases) LinkClicks(ctx context.Context, p Principal, texts ...string) (list []postgres.LinkClicks, err error) {
	codes := a.codesIn(texts)
	if len(codes) == 0 || !a.ShortLinks() {
		return nil, nil
	}
	found, err := a.shorts.Clicks(ctx, p.WorkspaceID, codes)
	for _, code := range codes {
		if one, known := found[code]; known {
			list = append(list, one)
		}
	}
	return list, err
}

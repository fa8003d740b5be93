// Package apppages names the pages of the application to which texts of other programs refer. A test of the application
// checks that each exists.
package apppages

import (
	"fmt"
	"strings"
)

// Page is the path of a page, with wildcards.
type Page string

// Pages to which texts refer.
const (
	Channels Page = "/w/{workspace}/channels"
	Channel  Page = "/w/{workspace}/channels/{channel}"
	Keys     Page = "/w/{workspace}/developers/keys"
	Post     Page = "/w/{workspace}/posts/{post}"
	Programs Page = "/programs"
	SignIn   Page = "/sign-in"
)

// All lists every page.
func All() []Page { return []Page{Channels, Channel, Keys, Post, Programs, SignIn} }

// At returns the address of the page with these values of its wildcards. It is empty without the application's URL.
func (p Page) At(appURL string, values ...fmt.Stringer) string {
	if appURL == "" {
		return ""
	}
	parts := strings.Split(string(p), "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") && len(values) > 0 {
			parts[i], values = values[0].String(), values[1:]
		}
	}
	return appURL + strings.Join(parts, "/")
}

// Link returns the address as the end of a sentence about the page: a colon and the address, or only the period.
func (p Page) Link(appURL string, values ...fmt.Stringer) string {
	if address := p.At(appURL, values...); address != "" {
		return ": " + address
	}
	return "."
}

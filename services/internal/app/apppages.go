package app

import (
	"fmt"
	"strings"

	"fencepost.internal/shared/kernel/ident"
)

// AppPage is the path of a page of the application to which texts of other programs refer, with wildcards. A test of the
// application checks that each exists.
type AppPage string

// Pages to which texts refer.
const (
	ChannelsPage AppPage = "/w/{workspace}/channels"
	ChannelPage  AppPage = "/w/{workspace}/channels/{channel}"
	KeysPage     AppPage = "/w/{workspace}/developers/keys"
	LinkPage     AppPage = "/w/{workspace}/linkpages/{linkpage}"
	PostPage     AppPage = "/w/{workspace}/posts/{post}"
	ProgramsPage AppPage = "/programs"
	SignInPage   AppPage = "/sign-in"
)

// AppPages lists every page.
func AppPages() []AppPage {
	return []AppPage{ChannelsPage, ChannelPage, KeysPage, LinkPage, PostPage, ProgramsPage, SignInPage}
}

// At returns the address of the page with these values of its wildcards. It is empty without the application's URL.
func (p AppPage) At(appURL string, values ...fmt.Stringer) string {
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

// PostURL returns a function that returns the address of a post's page.
func PostURL(appURL string) func(ident.Workspace, ident.Post) string {
	return func(workspace ident.Workspace, id ident.Post) string { return PostPage.At(appURL, workspace, id) }
}

// Link returns the address as the end of a sentence about the page: a colon and the address, or only the period.
func (p AppPage) Link(appURL string, values ...fmt.Stringer) string {
	if address := p.At(appURL, values...); address != "" {
		return ": " + address
	}
	return "."
}

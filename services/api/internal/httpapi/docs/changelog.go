package docs

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// release is a section of the changelog.
type release struct {
	Name string
	Date time.Time // zero: not released yet
	text string
}

// heading of a release, such as [1.2.0] - 2026-12-01 or [Unreleased].
var releaseHeading = regexp.MustCompile(`(?m)^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$`)

// readChanges reads the changelog.
func readChanges() ([]release, error) {
	raw, err := sources.ReadFile("pages/" + changelogSource)
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	found := releaseHeading.FindAllSubmatchIndex(raw, -1)
	if len(found) == 0 {
		return nil, fmt.Errorf("docs: %s has no release", changelogSource)
	}
	list := make([]release, len(found))
	for i, at := range found {
		end := len(raw)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		list[i] = release{Name: string(raw[at[2]:at[3]]), text: strings.TrimSpace(string(raw[at[1]:end]))}
		if at[4] < 0 {
			continue
		}
		if list[i].Date, err = time.Parse(time.DateOnly, string(raw[at[4]:at[5]])); err != nil {
			return nil, fmt.Errorf("docs: %s: %w", changelogSource, err)
		}
	}
	return list, nil
}

// Anchor returns the ID of the release's heading.
func (r release) Anchor() string {
	id := "[" + r.Name + "]"
	if !r.Date.IsZero() {
		id += " - " + r.Date.Format(time.DateOnly)
	}
	return string((&anchors{}).Generate([]byte(id), 0))
}

const titleOfChangelog = "Changelog"

func (s *Site) addChangelog() {
	source := func() []byte {
		raw, _ := sources.ReadFile("pages/" + changelogSource) // readChanges has read it
		return raw
	}
	s.add(pathChangelog, func() (File, error) {
		out, err := s.catalogue.convert(changelogSource, source())
		if err != nil {
			return File{}, err
		}
		return s.render(page{
			Title: titleOfChangelog, Description: "Changes of Fencepost for its users, also as a feed.", Path: pathChangelog,
			Text: pathChangelog + suffixText, Contents: out.contents, Body: out.html,
		})
	})
	s.addText(pathChangelog+suffixText, func() string { return s.catalogue.rewritten(changelogSource, source()) })
	s.add(pathFeed, func() (File, error) {
		content, err := s.feed()
		return File{ContentType: typeFeed, Policy: policyOfText, Content: content}, err
	})
}

// Elements of a feed (RFC 4287).
type (
	atomFeed struct {
		XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string      `xml:"id"`
		Title   string      `xml:"title"`
		Updated string      `xml:"updated"`
		Author  atomAuthor  `xml:"author"`
		Links   []atomLink  `xml:"link"`
		Entries []atomEntry `xml:"entry"`
	}
	atomAuthor struct {
		Name string `xml:"name"`
	}
	atomLink struct {
		Rel  string `xml:"rel,attr"`
		Type string `xml:"type,attr"`
		Href string `xml:"href,attr"`
	}
	atomEntry struct {
		ID      string      `xml:"id"`
		Title   string      `xml:"title"`
		Updated string      `xml:"updated"`
		Link    atomLink    `xml:"link"`
		Content atomContent `xml:"content"`
	}
	atomContent struct {
		Type string `xml:"type,attr"`
		HTML string `xml:",chardata"`
	}
)

// feed returns the releases as an Atom feed. Changes that are not released have the time of the build and an ID that changes
// with them.
func (s *Site) feed() ([]byte, error) {
	address := s.cfg.BaseURL + pathChangelog
	out := atomFeed{
		ID: address, Title: "Fencepost " + strings.ToLower(titleOfChangelog), Author: atomAuthor{"Fencepost"},
		Links: []atomLink{{"self", "application/atom+xml", s.cfg.BaseURL + pathFeed}, {"alternate", "text/html", address}},
	}
	for _, r := range s.changes {
		if r.text == "" {
			continue
		}
		html, err := s.catalogue.convert(changelogSource, []byte(r.text))
		if err != nil {
			return nil, err
		}
		entry := atomEntry{
			ID: address + "#" + r.Anchor(), Title: r.Name, Updated: r.Date.Format(time.RFC3339),
			Link: atomLink{"alternate", "text/html", address + "#" + r.Anchor()}, Content: atomContent{"html", absolute(string(html.html), s.cfg.BaseURL)},
		}
		if r.Date.IsZero() {
			entry.ID += "-" + digest([]byte(r.text))
			entry.Updated = s.cfg.Built.UTC().Format(time.RFC3339)
		}
		out.Entries = append(out.Entries, entry)
	}
	out.Updated = s.cfg.Built.UTC().Format(time.RFC3339)
	if len(out.Entries) > 0 {
		out.Updated = slices.MaxFunc(out.Entries, func(a, b atomEntry) int { return strings.Compare(a.Updated, b.Updated) }).Updated
	}
	raw, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	return bytes.Join([][]byte{[]byte(strings.TrimSpace(xml.Header)), raw, nil}, []byte("\n")), nil
}

// absolute completes the addresses of links, because feeds are read on other sites.
func absolute(html, baseURL string) string {
	return strings.ReplaceAll(html, `href="/`, `href="`+baseURL+`/`)
}

package rules

import (
	"fmt"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
)

// Price has the amounts that a network bills the operator's application, in thousandths of a US dollar. The zero Price
// means that posts are free.
type Price struct {
	Post    int
	Linked  int    // of a post with a link in its text, instead of Post
	AltText int    // added for each alternative text
	AsOf    string // the month of these prices, such as 2026-08
}

// Cost is the price of one post.
type Cost struct {
	Thousandths int
	Currency    string // ISO 4217
}

// Cost returns what the network of the channel type bills for a post with this content and all its parts. It returns false if posts are
// free.
func (t Table) Cost(kind channel.Type, content platform.Content) (Cost, bool) {
	row, ok := t.Of(kind)
	if !ok || row.Price == (Price{}) {
		return Cost{}, false
	}
	price := row.Price.Post
	if Links().Count(content.Text) > 0 {
		price = row.Price.Linked
	}
	for _, asset := range content.Media {
		if strings.TrimSpace(asset.AltText) != "" && row.AltText.Takes(asset.Type, content.ContentType) {
			price += row.Price.AltText
		}
	}
	for _, part := range content.Parts {
		cost, _ := t.Cost(kind, part)
		price += cost.Thousandths
	}
	return Cost{Thousandths: price, Currency: "USD"}, true
}

// OfLinks says what a link costs, in a sentence about the named network; empty if it costs nothing.
func (p Price) OfLinks(name string) string {
	if p.Linked == p.Post {
		return ""
	}
	return fmt.Sprintf("%s bills the operator's application more for a post with a link than for one without: %s instead "+
		"of %s (prices of %s).", name, dollars(p.Linked), dollars(p.Post), p.AsOf)
}

// dollars formats thousandths of a dollar: $0.015.
func dollars(thousandths int) string {
	const unit = 1000
	return fmt.Sprintf("$%d.%03d", thousandths/unit, thousandths%unit)
}

// charge warns about a link that costs more.
func (c *checker) charge(text string) {
	if costs := c.row.Price.OfLinks(c.row.Name); costs != "" && Links().Count(text) > 0 {
		c.warn("content", "%s", costs)
	}
}

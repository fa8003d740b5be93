package whatsapp

import (
	"context"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// template is a message that Meta has reviewed
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/overview).
type template struct {
	Name       string      `json:"name"`
	Language   string      `json:"language"`
	Category   string      `json:"category"`
	Status     string      `json:"status"`
	Format     string      `json:"parameter_format"`
	Components []component `json:"components"`
}

type component struct {
	Type    string `json:"type"`
	Format  string `json:"format"` // of a header
	Text    string `json:"text"`
	Buttons []struct {
		Type string `json:"type"`
		Text string `json:"text"`
		URL  string `json:"url"`
	} `json:"buttons"`
}

const (
	templatesPage = "100"
	mostTemplates = 20 // pages; an account has up to 6,000 templates, of which a person chooses one by its name
)

var namePattern = regexp.MustCompile(`^[a-z0-9_]{1,512}$`)

// Templates returns the approved templates of the number's business account that texts can complete.
func (c *Connector) Templates(ctx context.Context, account platform.Account) ([]inbox.Template, error) {
	if account.Credentials.AccessToken == "" || account.Credentials.Business == "" {
		return nil, c.client.Reconnect(errNoBusiness)
	}
	var found []inbox.Template
	query := url.Values{
		"fields": {"name,language,category,status,parameter_format,components"}, "status": {"APPROVED"}, "limit": {templatesPage},
	}
	for range mostTemplates {
		var page struct {
			Data   httpcall.Some[template] `json:"data"`
			Paging struct {
				Next    string `json:"next"`
				Cursors struct {
					After string `json:"after"`
				} `json:"cursors"`
			} `json:"paging"`
		}
		_, err := c.ask(ctx, account.Credentials, httpcall.Request{
			Path: []string{account.Credentials.Business, "message_templates"}, Query: query,
		}, &page)
		if err != nil {
			return nil, err
		}
		for _, t := range page.Data {
			if sendable, ok := t.sendable(); ok {
				found = append(found, sendable)
			}
		}
		if page.Paging.Next == "" || page.Paging.Cursors.After == "" {
			break
		}
		query.Set("after", page.Paging.Cursors.After)
	}
	return found, nil
}

// sendable returns the template, unless it is not approved, or needs more than texts: a file, a code, a product.
func (t template) sendable() (inbox.Template, bool) {
	out := inbox.Template{Name: t.Name, Language: t.Language, Category: t.Category, Named: t.Format == "NAMED"}
	ok := t.Status == "APPROVED" && t.Category != "AUTHENTICATION" && namePattern.MatchString(t.Name) && httpcall.Token(t.Language)
	for _, part := range t.Components {
		switch kind := inbox.PartKind(part.Type); {
		case kind == inbox.PartHeader && part.Format != "" && part.Format != "TEXT":
			ok = false
		case kind == inbox.PartHeader, kind == inbox.PartBody, kind == inbox.PartFooter:
			out.Parts = append(out.Parts, inbox.TemplatePart{Kind: kind, Text: part.Text})
		case part.Type == "BUTTONS":
			for i, b := range part.Buttons {
				ok = ok && (b.Type == "URL" || b.Type == "QUICK_REPLY" || b.Type == "PHONE_NUMBER")
				out.Parts = append(out.Parts, inbox.TemplatePart{Kind: inbox.PartButton, Index: i, Label: b.Text, Text: b.URL})
			}
		default:
			ok = false
		}
	}
	return out, ok && strings.TrimSpace(out.Text()) != ""
}

// outgoingTemplate is a template with the values of its variables.
type outgoingTemplate struct {
	Name     string `json:"name"`
	Language struct {
		Code string `json:"code"`
	} `json:"language"`
	Components []*outgoingPart `json:"components,omitempty"`
}

type outgoingPart struct {
	Type       string          `json:"type"`
	SubType    string          `json:"sub_type,omitempty"`
	Index      string          `json:"index,omitempty"`
	Parameters []outgoingValue `json:"parameters"`
}

type outgoingValue struct {
	Type string `json:"type"`
	Name string `json:"parameter_name,omitempty"`
	Text string `json:"text"`
}

func templateOf(use inbox.TemplateUse) *outgoingTemplate {
	out := &outgoingTemplate{Name: use.Name}
	out.Language.Code = use.Language
	parts := make(map[string]*outgoingPart)
	for _, v := range use.Values {
		part := outgoingPart{Type: strings.ToLower(string(v.Part))}
		if v.Part == inbox.PartButton {
			part.SubType, part.Index, v.Name = "url", strconv.Itoa(v.Index), ""
		}
		at, known := parts[part.Type+part.Index]
		if !known {
			at = &part
			parts[part.Type+part.Index] = at
			out.Components = append(out.Components, at)
		}
		at.Parameters = append(at.Parameters, outgoingValue{Type: "text", Name: v.Name, Text: v.Value})
	}
	return out
}

package whatsappapi

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/chats"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
)

// usedTemplate is a template with its values, in the body of a call.
type usedTemplate struct {
	Name     string `json:"name"`
	Language struct {
		Code string `json:"code"`
	} `json:"language"`
	Components []struct {
		Type       string `json:"type"`
		SubType    string `json:"sub_type"`
		Index      any    `json:"index"`
		Parameters []struct {
			Type string `json:"type"`
			Name string `json:"parameter_name"`
			Text string `json:"text"`
		} `json:"parameters"`
	} `json:"components"`
}

// template is a message that Meta reviewed.
type template struct {
	name, language, category, status string
	header, body, footer             string
	button, url                      string // of a button with an address
	image                            bool   // the header is an image
}

// templates are those of every business account.
func templates() []template {
	return []template{
		{name: "hello_world", language: "en_US", category: "UTILITY", status: "APPROVED", body: "Welcome and congratulations!"},
		{name: "order_update", language: "en", category: "UTILITY", status: "APPROVED", body: "Hello {{1}}, your order {{2}} is ready."},
		{name: "order_update", language: "es", category: "UTILITY", status: "APPROVED", body: "Hola {{1}}, tu pedido {{2}} está listo."},
		{
			name: "delivery", language: "en", category: "MARKETING", status: "APPROVED", header: "Delivery {{order}}",
			body: "Good news, {{first_name}}: it comes on {{day}}.", footer: "Reply STOP to get no offers.", button: "Track",
			url: "https://acme.example/track/{{1}}",
		},
		{name: "lookbook", language: "en", category: "MARKETING", status: "APPROVED", image: true, body: "Our new lookbook."},
		{name: "spring_sale", language: "en", category: "MARKETING", status: "PAUSED", body: "Hello {{1}}, everything is cheaper today."},
		{name: "new_offer", language: "en", category: "MARKETING", status: "PENDING", body: "A new offer."},
		{name: "free_money", language: "en", category: "MARKETING", status: "REJECTED", body: "Free money!"},
	}
}

var variable = regexp.MustCompile(`\{\{(\w+)\}\}`)

// variables returns the variables of a text.
func variables(text string) (names []string) {
	for _, found := range variable.FindAllStringSubmatch(text, -1) {
		names = append(names, found[1])
	}
	return names
}

func (t template) named() bool {
	return slices.ContainsFunc(variables(t.body), func(name string) bool { _, err := strconv.Atoi(name); return err != nil })
}

// parts returns the texts with variables by the key of their component.
func (t template) parts() map[string]string {
	parts := map[string]string{"header": t.header, "body": t.body, "button/url/0": t.url}
	for key, text := range parts {
		if len(variables(text)) == 0 {
			delete(parts, key)
		}
	}
	return parts
}

// fill makes a message of a template with its values. A template that is not approved, and values that do not fit, are refused.
func (a *api) fill(m *chats.Message, use usedTemplate) stage.Check {
	all := templates()
	at := slices.IndexFunc(all, func(t template) bool { return t.name == use.Name && t.language == use.Language.Code })
	if at < 0 || all[at].status == "PENDING" || all[at].status == "REJECTED" {
		return stage.Refused(a.refuse(codeNoTemplate, "Template name does not exist in the translation", "template name ("+use.Name+
			") does not exist in "+use.Language.Code))
	}
	t := all[at]
	if t.status == "PAUSED" {
		return stage.Refused(a.refuse(codePaused, "Template is paused", "The template is paused due to low quality."))
	}
	given, format := make(map[string][]string), stage.Check{}
	texts := map[string]string{"header": t.header, "body": t.body, "button/url/0": t.url}
	for _, c := range use.Components {
		key := c.Type
		if c.Type == "button" {
			key += "/" + c.SubType + "/" + fmt.Sprint(c.Index)
		}
		for i, p := range c.Parameters {
			names := variables(texts[key])
			format = format.Or(p.Type != "text" || p.Text == "" || strings.ContainsAny(p.Text, "\n\t") || strings.Contains(p.Text, "    "),
				a.refuse(codeFormat, "Parameter format does not match format in the created template", key+": the text is empty or has lines")).
				Or(t.named() && !strings.HasPrefix(key, "button") && !slices.Contains(names, p.Name),
					a.refuse(codeFormat, "Parameter format does not match format in the created template", key+": parameter name is missing"))
			given[key] = append(given[key], p.Text)
			name := cmp.Or(p.Name, strconv.Itoa(i+1))
			texts[key] = strings.ReplaceAll(texts[key], "{{"+name+"}}", p.Text)
		}
	}
	for key := range given {
		format = format.Or(t.parts()[key] == "", a.mismatch(key, len(given[key]), 0))
	}
	for key, text := range t.parts() {
		format = format.Or(len(given[key]) != len(variables(text)), a.mismatch(key, len(given[key]), len(variables(text))))
	}
	format = format.Or(t.image, a.refuse(codeFormat, "Parameter format does not match format in the created template", "header: Format "+
		"mismatch, expected IMAGE, received UNKNOWN"))
	m.Text, m.Details["template"], m.Details["category"] = texts["body"], t.name, strings.ToLower(t.category)
	for _, key := range []string{"header", "button/url/0"} {
		if texts[key] != "" {
			m.Details[key] = texts[key]
		}
	}
	return format
}

func (a *api) mismatch(key string, got, want int) stage.Response {
	return a.refuse(codeParameters, "Number of parameters does not match the expected number of params", fmt.Sprintf(
		"%s: number of localizable_params (%d) does not match the expected number of params (%d)", key, got, want))
}

func (t template) show() stage.Object {
	components := []any{}
	if t.header != "" {
		components = append(components, stage.Object{"type": "HEADER", "format": "TEXT", "text": t.header})
	}
	if t.image {
		components = append(components, stage.Object{"type": "HEADER", "format": "IMAGE"})
	}
	components = append(components, stage.Object{"type": "BODY", "text": t.body})
	if t.footer != "" {
		components = append(components, stage.Object{"type": "FOOTER", "text": t.footer})
	}
	if t.button != "" {
		components = append(components, stage.Object{"type": "BUTTONS", "buttons": []any{
			stage.Object{"type": "URL", "text": t.button, "url": t.url},
		}})
	}
	format := "POSITIONAL"
	if t.named() {
		format = "NAMED"
	}
	return stage.Object{
		"id": stable(1e14, t.name+t.language), "name": t.name, "language": t.language, "category": t.category, "status": t.status,
		"parameter_format": format, "components": components,
	}
}

// templates lists the templates of the business account, those of a status if the call names one, page by page.
func (a *api) templates(r stage.Request) stage.Response {
	fields := metaapi.SplitFields("id," + cmp.Or(r.Values.Get("fields"), "name,status,category,language,components"))
	all := slices.DeleteFunc(templates(), func(t template) bool {
		return r.Values.Get("status") != "" && t.status != r.Values.Get("status")
	})
	limit, err := strconv.Atoi(cmp.Or(r.Values.Get("limit"), "25"))
	from, _ := strconv.Atoi(cmp.Or(r.Values.Get("after"), "0"))
	if err != nil || limit < 1 || from < 0 {
		return a.refuse(codeParameter, "Invalid parameter", "limit")
	}
	from = min(from, len(all))
	until := min(from+min(limit, 3), len(all)) // short pages, which readers must follow
	paging := stage.Object{"cursors": stage.Object{"before": strconv.Itoa(from), "after": strconv.Itoa(until)}}
	if until < len(all) {
		paging["next"] = a.Stage.Base(r.Request) + r.URL.Path + "?after=" + strconv.Itoa(until)
	}
	return stage.OK(stage.Object{
		"data": stage.Each(all[from:until], func(t template) stage.Object { return stage.Pick(fields, t.show()) }), "paging": paging,
	})
}

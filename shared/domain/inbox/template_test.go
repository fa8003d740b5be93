package inbox_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/kernel/apperr"
)

// order is a template with variables in all its parts.
func order() inbox.Template {
	return inbox.Template{Name: "order", Language: "en", Category: "UTILITY", Parts: []inbox.TemplatePart{
		{Kind: inbox.PartHeader, Text: "Order {{1}}"},
		{Kind: inbox.PartBody, Text: "{{2}} is ready, {{1}}. Come today, {{ 1 }}!"},
		{Kind: inbox.PartFooter, Text: "Acme"},
		{Kind: inbox.PartButton, Label: "Thanks"},
		{Kind: inbox.PartButton, Index: 1, Label: "Track", Text: "https://acme.test/{{1}}"},
	}}
}

func TestTemplateSlots(t *testing.T) {
	t.Parallel()
	var keys, labels []string
	for _, s := range order().Slots() {
		keys, labels = append(keys, s.Key), append(labels, s.Label)
	}
	require.Equal(t, []string{"header-0-1", "body-0-1", "body-0-2", "button-1-1"}, keys, "each once, in the order of the numbers")
	require.Equal(t, []string{"Variable 1 of the title", "Variable 1", "Variable 2", "End of the address of the button “Track”"}, labels)
	require.Equal(t, []inbox.Piece{
		{Text: "{{2}}", Slot: "body-0-2"},
		{Text: " is ready, "},
		{Text: "{{1}}", Slot: "body-0-1"},
		{Text: ". Come today, "},
		{Text: "{{ 1 }}", Slot: "body-0-1"},
		{Text: "!"},
	}, order().Parts[1].Pieces())
	require.Contains(t, order().Text(), "is ready")
	require.Empty(t, inbox.Template{}.Text())
}

func TestFillTemplate(t *testing.T) {
	t.Parallel()
	values := map[string]string{"header-0-1": "7", "body-0-1": " Bo\n\tLi ", "body-0-2": "A {{1}} lamp", "button-1-1": "7?x"}
	use, text, err := order().Fill(values)
	require.NoError(t, err)
	require.Equal(t, "Order 7\nA {{1}} lamp is ready, Bo Li. Come today, Bo Li!\nAcme\n[Thanks]\n[Track] https://acme.test/7?x", text)
	require.Equal(t, inbox.TemplateUse{Name: "order", Language: "en", Category: "UTILITY", Values: []inbox.TemplateValue{
		{Part: inbox.PartHeader, Value: "7"},
		{Part: inbox.PartBody, Value: "Bo Li"},
		{Part: inbox.PartBody, Value: "A {{1}} lamp"},
		{Part: inbox.PartButton, Index: 1, Value: "7?x"},
	}}, use)

	named := inbox.Template{Name: "hi", Named: true, Parts: []inbox.TemplatePart{{Kind: inbox.PartBody, Text: "Hi {{first_name}}"}}}
	use, text, err = named.Fill(map[string]string{"body-0-first_name": "Bo"})
	require.NoError(t, err)
	require.Equal(t, "Hi Bo", text)
	require.Equal(t, []inbox.TemplateValue{{Part: inbox.PartBody, Name: "first_name", Value: "Bo"}}, use.Values)

	_, _, err = order().Fill(map[string]string{"header-0-1": strings.Repeat("ä", 55), "body-0-1": " \n ", "body-0-2": "x", "button-1-1": "x"})
	require.Equal(t, []apperr.Field{
		{Pointer: "/body-0-1", Message: "Enter a text."},
		{Pointer: "/header-0-1", Message: "With its values, this part is 1 characters too long."},
	}, apperr.FieldsOf(err))
}

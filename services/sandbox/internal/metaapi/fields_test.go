package metaapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/metaapi"
)

// TestUnknownFields checks the fields of a request, also within other fields.
func TestUnknownFields(t *testing.T) {
	t.Parallel()
	page := metaapi.PageNode("")
	for fields, want := range map[string]string{
		"":                     "",
		"id,name,picture{url}": "",
		"picture.width(50){url},instagram_business_account{id,username}": "",
		"id,tasks": "(#100) Tried accessing nonexisting field (tasks) on node type (Page)",
		"instagram_business_account{id,account_type}": "(#100) Tried accessing nonexisting field (account_type) on node type (IGUser)",
		"name{url}": "(#100) Subfields are not supported by name",
	} {
		require.Equal(t, want, page.Refusal(fields), fields)
	}
	require.Empty(t, metaapi.PageNode("tasks").Refusal("id,tasks"), "an edge adds fields")
	require.NotEmpty(t, page.Refusal("tasks"), "to its own result only")
}

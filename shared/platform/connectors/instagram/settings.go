package instagram

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"

	"fencepost.internal/shared/platform"
)

// namePattern matches user names.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9._]{1,30}$`)

// userTag is the tag of an account. In a picture it has a place, from the top left corner.
type userTag struct {
	Username string   `json:"username"`
	X        *float64 `json:"x,omitempty"`
	Y        *float64 `json:"y,omitempty"`
}

// withSettings adds the options to the container of a post that is no story (IG User Media).
func withSettings(form url.Values, content platform.Content) url.Values {
	o := content.Options
	if o.AIGenerated != nil && *o.AIGenerated {
		form.Set("is_ai_generated", "true")
	}
	if len(o.Collaborators) > 0 {
		form.Set("collaborators", encoded(o.Collaborators))
	}
	if o.LocationID != "" {
		form.Set("location_id", o.LocationID)
	}
	if strategy := map[string]string{"manual": "MANUAL", "automatic": "SS_PERFORMANCE"}[o.TrialReel]; strategy != "" {
		form.Set("trial_params", encoded(map[string]string{"graduation_strategy": strategy}))
	}
	return form
}

// tagged adds the tags to the container of a picture or a reel. Those of a picture are in a row across its middle.
func tagged(form url.Values, names []string, picture bool) url.Values {
	if len(names) == 0 {
		return form
	}
	const middle = 0.5
	tags := make([]userTag, len(names))
	for i, name := range names {
		tags[i].Username = name
		if picture {
			tags[i].X, tags[i].Y = new(float64(i+1)/float64(len(names)+1)), new(middle)
		}
	}
	form.Set("user_tags", encoded(tags))
	return form
}

// encoded returns texts and numbers as JSON.
func encoded(value any) string {
	var out strings.Builder
	_ = json.NewEncoder(&out).Encode(value) // cannot fail
	return strings.TrimSpace(out.String())
}

package instagramapi

import (
	"encoding/json"
	"regexp"
	"slices"

	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
)

// userPattern matches user names, numberPattern the ids of places.
var (
	userPattern   = regexp.MustCompile(`^[A-Za-z0-9._]{1,30}$`)
	numberPattern = regexp.MustCompile(`^[0-9]+$`)
)

// set stores the settings of a post. Items of a carousel have only tags, and stories none.
func (a *api) set(r stage.Request, c *metaapi.Container) stage.Check {
	checks := map[string]func(string) bool{
		"collaborators": func(text string) bool {
			const most = 3
			var names []string
			return json.Unmarshal([]byte(text), &names) == nil && len(names) <= most && !slices.ContainsFunc(names, unnamed)
		},
		"user_tags":   func(text string) bool { return validTags(text, c.Kind) },
		"location_id": numberPattern.MatchString,
		"trial_params": func(text string) bool {
			var trial struct {
				Strategy string `json:"graduation_strategy"`
			}
			return json.Unmarshal([]byte(text), &trial) == nil && c.Kind == kindReel && !r.Values.Has("collaborators") &&
				!r.Values.Has("share_to_feed") && (trial.Strategy == "MANUAL" || trial.Strategy == "SS_PERFORMANCE")
		},
		"is_ai_generated": func(text string) bool { return text == "true" || text == "false" },
	}
	for name, valid := range checks {
		value := r.Values.Get(name)
		if !r.Values.Has(name) {
			continue
		}
		if !valid(value) || c.Kind == kindStory || c.Item && name != "user_tags" {
			return stage.Refused(a.Invalid("(#100) Param " + name + " is not valid for this media"))
		}
		c.Details[name] = value
	}
	return stage.Check{}
}

func unnamed(name string) bool { return !userPattern.MatchString(name) }

// validTags reports whether the tags of a picture have places, and those of a reel none.
func validTags(text, kind string) bool {
	var tags []struct {
		Username string
		X, Y     *float64
	}
	if json.Unmarshal([]byte(text), &tags) != nil || kind == kindCarousel {
		return false
	}
	for _, tag := range tags {
		placed := tag.X != nil && tag.Y != nil && *tag.X >= 0 && *tag.X <= 1 && *tag.Y >= 0 && *tag.Y <= 1
		if unnamed(tag.Username) || placed == (kind == kindReel) {
			return false
		}
	}
	return true
}

package apiforms

import (
	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/rules"
)

// PostOptions holds the platform's own settings of a post. Unset options are omitted.
type PostOptions post.Options

// TransformSchema documents the options as the networks' rules declare them. The schema has the widest limits of all
// networks, and the rules check those of one.
func (PostOptions) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	for name, option := range connectors.Rules().Describe() {
		member := s.Properties[name]
		member.Description, member.Examples = option.Text, []any{exampleOf(option)}
		limit(member, option)
		member.PrecomputeMessages()
	}
	return s
}

// Limits of options that the rules check otherwise, in characters.
const (
	longestWord     = 64
	longestNumber   = 10
	longestID       = 100
	longestTime     = 20
	longestLanguage = 35
	leastProse      = 200 // so that the rules say by how much a short text is too long
)

// latestMoment is the last cover frame that the schema accepts, in milliseconds.
const latestMoment = 900_000

// limit sets the limits of an option.
func limit(member *huma.Schema, option rules.Described) {
	switch option.Is {
	case rules.Word:
		member.MaxLength = new(longestWord)
	case rules.Number:
		member.MaxLength = new(longestNumber)
	case rules.ID:
		member.MaxLength = new(longestID)
	case rules.Address, rules.Prose:
		member.MaxLength = new(max(leastProse, option.Max))
	case rules.LocalTime:
		member.MaxLength = new(longestTime)
	case rules.Language:
		member.MaxLength = new(longestLanguage)
	case rules.Moment:
		member.Minimum, member.Maximum = new(0.0), new(float64(latestMoment))
	case rules.Integer:
		member.Minimum, member.Maximum = new(float64(option.Range.Min)), new(float64(option.Range.Max))
	case rules.List:
		member.MinItems, member.MaxItems = new(1), new(option.Range.Max)
		member.Items.MaxLength = new(max(leastProse, option.Max))
		member.Items.PrecomputeMessages()
	case rules.Flag:
	}
}

// exampleOf returns a value of the option.
func exampleOf(option rules.Described) any {
	switch option.Is {
	case rules.Flag:
		return true
	case rules.Word:
		return option.Values[0]
	case rules.Number:
		return "22"
	case rules.ID:
		return "549755885175"
	case rules.Address:
		return "https://example.com/tiles"
	case rules.LocalTime:
		return "2026-03-01T09:00"
	case rules.Language:
		return "en"
	case rules.Moment:
		return 1500
	case rules.Integer:
		return option.Range.Min
	case rules.List:
		return []string{"Blue", "Green"}
	case rules.Prose:
	}
	return "Blue tiles"
}

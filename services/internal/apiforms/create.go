package apiforms

import (
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/kernel/ident"
)

// BulkItemResult is the result of one item of a bulk request (docs/contract.md, Bulk creation).
type BulkItemResult struct {
	Index   int    `json:"index" example:"0" doc:"Zero-based position of the item in the request."`
	Success bool   `json:"success" example:"true" doc:"Whether the posts of the item were created."`
	Posts   []Post `json:"posts" doc:"The created posts; empty if the item failed."`
	Error   string `json:"error,omitempty" example:"CHANNEL_NOT_PUBLISHABLE: Channel 0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59 is of type WHATSAPP_BUSINESS, which cannot be published to." doc:"Reason of the failure: the code of the problem, a colon, and the detail. Omitted if the item succeeded."`
	// Problem is nil if the item succeeded.
	Problem *problem.Problem `json:"problem,omitempty" doc:"The failure as the problem document that the item alone would return. Its pointers are into the item. Omitted if the item succeeded."`
}

// Validation is the response of validate-posts.
type Validation struct {
	Valid    bool                `json:"valid" example:"true" doc:"Whether the post can be published to all channels."`
	Channels []ChannelValidation `json:"channels" doc:"Findings for each channel, in the order of the request."`
}

// ChannelValidation holds the findings for one channel.
type ChannelValidation struct {
	ChannelID ident.Channel `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of the channel."`
	Type      ChannelType   `json:"type" example:"TELEGRAM_CHANNEL" doc:"Type of the channel."`
	Valid     bool          `json:"valid" example:"true" doc:"Whether the post can be published to the channel."`
	Errors    []Finding     `json:"errors" doc:"Findings that prevent publishing."`
	Warnings  []Finding     `json:"warnings" doc:"Findings that do not prevent publishing but are probably unintended."`
}

// Finding is one error or warning.
type Finding struct {
	Code    string `json:"code" example:"VALIDATION_FAILED" doc:"Code of the problem that scheduling or publishing would return."`
	Pointer string `json:"pointer" example:"/content" doc:"Location of the finding: a JSON Pointer (RFC 6901) into the body."`
	Message string `json:"message" example:"The text is 12 characters too long for X: it counts as 292, and 280 are allowed. Shorten it." doc:"Explanation of the finding."`
}

// ToAPIValidation converts findings.
func ToAPIValidation(found []app.ChannelFindings) Validation {
	out := Validation{Valid: true, Channels: make([]ChannelValidation, len(found))}
	for i, f := range found {
		v := ChannelValidation{ChannelID: f.Channel.ID, Type: ChannelType(f.Channel.Type), Valid: f.Valid()}
		v.Errors, v.Warnings = findingsOf(f)
		out.Valid = out.Valid && v.Valid
		out.Channels[i] = v
	}
	return out
}

// findingsOf converts findings, apart by whether they prevent publishing.
func findingsOf(f app.ChannelFindings) (faults, warnings []Finding) {
	faults, warnings = []Finding{}, []Finding{}
	for _, finding := range f.Findings {
		wire := Finding{Code: string(finding.Code), Pointer: "/" + finding.Member, Message: finding.Message}
		if finding.Warning {
			warnings = append(warnings, wire)
		} else {
			faults = append(faults, wire)
		}
	}
	return faults, warnings
}

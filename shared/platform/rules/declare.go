package rules

// Options that several networks have.

const pollOptions = "pollOptions"

// LongText is the option that raises the limit of a form's text from Max to Long.
func LongText(meaning string) Option { return Option{Name: "longText", Is: Flag, Meaning: meaning} }

// Replies is the option who may reply.
func Replies(values ...string) Option {
	return Option{Name: "replies", Is: Word, Values: values, Meaning: "who may reply"}
}

// Sensitive is the option that hides the attachments.
func Sensitive() Option {
	return Option{Name: "sensitive", Is: Flag, Meaning: "whether the attachments are hidden until a reader opens them"}
}

// TextLanguage is the option of the language of the text.
func TextLanguage() Option {
	return Option{Name: "language", Is: Language, Meaning: "language of the text, as a tag like en or pt-BR"}
}

// AIGenerated is the label of posts that AI generated.
func AIGenerated() Option {
	return Option{Name: "aiGenerated", Is: Flag, Meaning: "whether the post is labelled as AI-generated"}
}

// PollOptions are the choices of a poll, of at most longest characters each, in a post without attachments. A post with a
// poll has none of the other options.
func PollOptions(choices Span, longest int, others ...string) Option {
	return Option{
		Name: pollOptions, Is: List, Range: choices, Max: longest, TextOnly: true, Strict: true, Excludes: others,
		Meaning: "answers of a poll below the text",
	}
}

// PollMinutes is the time for which a poll is open.
func PollMinutes(minutes Span, values ...string) Option {
	return Option{
		Name: "pollMinutes", Is: Integer, Range: minutes, Values: values, Needs: pollOptions,
		Meaning: "minutes for which the poll is open, by default a day",
	}
}

// PollMultiple is the option of polls with several choices.
func PollMultiple() Option {
	return Option{Name: "pollMultiple", Is: Flag, Needs: pollOptions, Meaning: "whether a reader may choose several answers"}
}

// Quote is the address of the post that is quoted.
func Quote(meaning string) Option {
	const longest = 500
	return Option{Name: "quote", Is: Address, Max: longest, Meaning: meaning}
}

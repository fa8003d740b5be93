package postgres

import (
	"slices"
	"strings"

	"fencepost.internal/shared/domain/post"
)

// The indexes post_text, media_text, message_text, person_text and person_identity_text have the workspace, the words of texts (function search_words of migration 00054),
// their groups of three letters, the labels, and the period of posts. A search reads nothing of other workspaces.
const (
	inWorkspace = `ARRAY[workspace_id] && ARRAY[CAST(@workspace AS uuid)]`
	wholeWords  = ` @@ plainto_tsquery('pg_catalog.simple', @whole)`
	hasLabel    = `label_keys && CAST(@labels AS text[])`
)

// lookup names the words and labels that a list looks for in an index of texts.
type lookup struct {
	text, words string // the expressions of the index
	search      post.Search
	labels      []string // keys, of which the row has one
}

func inPosts(search post.Search, labels []string) lookup {
	return lookup{
		text: `(content || ' ' || title)`, words: `search_words(content || ' ' || title)`,
		search: search, labels: labels,
	}
}

func inMedia(search post.Search, labels []string) lookup {
	return lookup{
		text: `media_words(name, alt_text, labels)`, words: `search_words(media_words(name, alt_text, labels))`,
		search: search, labels: labels,
	}
}

func inMessages(search post.Search) lookup {
	return lookup{text: `text`, words: `search_words(text)`, search: search}
}

// inIdentities looks for what networks know of people, inPeople for what members wrote about them.
func inIdentities(search post.Search) lookup {
	const text = `name || ' ' || username || ' ' || value || ' ' || phone`
	return lookup{text: `(` + text + `)`, words: `search_words(` + text + `)`, search: search}
}

func inPeople(search post.Search) lookup {
	const text = `name || ' ' || phone || ' ' || mail`
	return lookup{text: `(` + text + `)`, words: `search_words(` + text + `)`, search: search}
}

func (w lookup) indexed() bool { return !w.search.IsZero() || len(w.labels) > 0 }

// conditions returns what each row of the list meets.
func (w lookup) conditions() (conditions []string) {
	for i := range w.search.Words {
		conditions = append(conditions, w.text+` ILIKE `+pattern(i))
	}
	if len(w.search.Whole) > 0 {
		conditions = append(conditions, w.words+wholeWords)
	}
	if len(w.labels) > 0 {
		conditions = append(conditions, hasLabel)
	}
	return conditions
}

// index returns the conditions by which the index finds the rows. Each is one that it can evaluate.
func (w lookup) index() string {
	conditions := []string{inWorkspace}
	if len(w.labels) > 0 {
		conditions = append(conditions, hasLabel)
	}
	if len(w.search.Pairs) > 0 {
		conditions = append(conditions, w.words+` @@ CAST(@pairs AS tsquery)`)
	}
	if len(w.search.Whole) > 0 {
		conditions = append(conditions, w.words+wholeWords)
	}
	for i, word := range w.search.Words {
		if slices.Contains(w.search.Parts, word) {
			conditions = append(conditions, w.text+` ILIKE `+pattern(i))
		}
	}
	return strings.Join(conditions, ` AND `)
}

// into sets the parameters of the conditions.
func (w lookup) into(params map[string]any) {
	if !w.indexed() {
		return
	}
	for i, word := range w.search.Words {
		params[pattern(i)[1:]] = `%` + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(word) + `%`
	}
	pairs := make([]string, len(w.search.Pairs))
	for i, pair := range w.search.Pairs {
		pairs[i] = lexeme(pair)
		if len([]rune(pair)) == 1 { // the text may continue
			pairs[i] += `:*`
		}
	}
	params["pairs"], params["whole"] = strings.Join(pairs, ` & `), strings.Join(w.search.Whole, ` `)
	params["labels"] = textArray(w.labels)
}

// pattern returns the parameter of a word's pattern. Names of parameters have letters only.
func pattern(i int) string { return `@word_` + `abcdefghij`[i:i+1] }

// lexeme returns a quoted lexeme of a tsquery.
func lexeme(text string) string {
	return `'` + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(text) + `'`
}

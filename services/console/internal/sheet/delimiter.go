package sheet

import (
	"encoding/csv"
	"regexp"
	"strings"
)

// delimiters are the separators of cells, with their names.
var delimiters = map[rune]string{',': "commas", ';': "semicolons", '\t': "tabs"}

// declared is the line by which a file declares its separator to Excel.
var declared = regexp.MustCompile(`^"?sep=([,;\t])"?\r?\n`)

// delimiterOf returns the separator of a text, the text without a line that declares it, and the number of such lines: the
// one by which the most cells of the first row are names of columns, and by which the most rows have the same number of
// cells.
func delimiterOf(name, text string) (comma rune, rest string, skipped int) {
	if found := declared.FindStringSubmatch(text); found != nil {
		return rune(found[1][0]), text[len(found[0]):], 1
	}
	best := -1
	for _, candidate := range []rune{',', ';', '\t'} {
		points := score(text, candidate)
		if candidate == '\t' && strings.HasSuffix(strings.ToLower(name), ".tsv") {
			points++
		}
		if points > best {
			best, comma = points, candidate
		}
	}
	return comma, text, 0
}

// score rates a separator by the first rows.
func score(text string, comma rune) (points int) {
	const rows, perName, perRow = 20, 1000, 10
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.FieldsPerRecord, reader.LazyQuotes = comma, -1, true
	first, err := reader.Read()
	if err != nil || len(first) < 2 {
		return 0
	}
	for _, cell := range first {
		if Guess(cell) != "" {
			points += perName
		}
	}
	for range rows {
		cells, err := reader.Read()
		if err != nil {
			break
		}
		if len(cells) == len(first) {
			points += perRow
		}
	}
	return points + min(len(first), perRow-1)
}

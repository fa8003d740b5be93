package linkpages

// Functions that tests call.
var (
	ValuesOf   = valuesOf
	SettingsOf = settingsOf
	Sent       = sent
	Swatch     = swatch
	WordingOf  = wordingOf
)

// Bars draws a chart of the numbers.
func Bars(height int, numbers ...int64) string {
	list := make([]bar, len(numbers))
	for i, n := range numbers {
		list[i] = bar{"<Mon>", n}
	}
	return string(bars(list, height))
}

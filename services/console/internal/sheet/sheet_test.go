package sheet_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/sheet"
	"fencepost.internal/shared/domain/plan"
)

// wide returns a text in UTF-16.
func wide(text string, order binary.AppendByteOrder) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

// cells returns the rows of a file without their lines and keys.
func cells(t *testing.T, name string, raw []byte) [][]string {
	t.Helper()
	table, err := sheet.Read(name, raw)
	require.NoError(t, err)
	var out [][]string
	for _, row := range table.Rows {
		out = append(out, row.Cells)
	}
	return out
}

func TestFilesAreReadInTheirEncodings(t *testing.T) {
	t.Parallel()
	const text = "date;text\r\n2026-12-01;Grüße aus Malmö – 5 €\r\n"
	want := [][]string{{"date", "text"}, {"2026-12-01", "Grüße aus Malmö – 5 €"}}
	for format, raw := range map[string][]byte{
		"semicolons, UTF-8":        []byte(text),
		"semicolons, UTF-8 ":       []byte("\ufeff" + text),
		"semicolons, UTF-16":       wide("\ufeff"+text, binary.LittleEndian),
		"semicolons, UTF-16 ":      wide("\ufeff"+text, binary.BigEndian),
		"semicolons, UTF-16  ":     wide(text, binary.LittleEndian),
		"semicolons, UTF-16   ":    wide(text, binary.BigEndian),
		"semicolons, Windows-1252": []byte("date;text\r\n2026-12-01;Gr\xfc\xdfe aus Malm\xf6 \x96 5 \x80\r\n"),
	} {
		table, err := sheet.Read("plan.csv", raw)
		require.NoError(t, err, format)
		require.Equal(t, strings.TrimSpace(format), table.Format)
		require.Equal(t, want, cells(t, "plan.csv", raw), format)
	}
}

func TestDelimitersAreFound(t *testing.T) {
	t.Parallel()
	want := [][]string{{"date", "text", "channel"}, {"2026-12-01", "One, two; three", "x"}}
	for name, text := range map[string]string{
		"a.csv": "date,text,channel\n2026-12-01,\"One, two; three\",x\n",
		"b.csv": "date;text;channel\n2026-12-01;\"One, two; three\";x\n",
		"c.csv": "date\ttext\tchannel\n2026-12-01\tOne, two; three\tx\n",
		"d.csv": "sep=;\r\ndate;text;channel\r\n2026-12-01;\"One, two; three\";x\r\n",
		"e.csv": "date,text,channel\r2026-12-01,\"One, two; three\",x\r",
		"f.tsv": "date\ttext\tchannel\n\n\t\t\n2026-12-01\tOne, two; three\tx\n",
	} {
		require.Equal(t, want, cells(t, name, []byte(text)), name)
	}
	require.Equal(t, [][]string{{"a b", "c"}, {"1", "2"}}, cells(t, "x.tsv", []byte("a b\tc\n1\t2")), "by the name of the file")
	require.Equal(t, [][]string{{"text"}, {"Only one"}}, cells(t, "x.csv", []byte("text\nOnly one")))
}

func TestLinesOfRowsAreThoseOfTheFile(t *testing.T) {
	t.Parallel()
	table, err := sheet.Read("a.csv", []byte("sep=,\ntext,title\n\"One\ntwo \"\"three\"\"\",a\n\nfour\n"))
	require.NoError(t, err)
	require.Equal(t, []int{2, 3, 6}, []int{table.Rows[0].Line, table.Rows[1].Line, table.Rows[2].Line})
	require.Equal(t, []string{"One\ntwo \"three\"", "a"}, table.Rows[1].Cells)
	require.Equal(t, []string{"four", ""}, table.Rows[2].Cells, "a short row has empty cells")
	again, err := sheet.Read("b.csv", []byte("title,x\n\"One\ntwo \"\"three\"\"\",a,,\n"))
	require.NoError(t, err)
	require.Equal(t, table.Rows[1].Key, again.Rows[1].Key, "empty cells at the end do not count")
	require.NotEqual(t, table.Rows[1].Key, table.Rows[2].Key)
}

func TestWrongFilesAreExplained(t *testing.T) {
	t.Parallel()
	for want, raw := range map[string]string{
		"Line 3 has a quotation mark inside a cell":                      "text,title\na,b\n5\" pipe,c\n",
		"A quotation mark that opens in line 2 is not closed by line 4.": "text,title\n\"a,b\nc,d\ne,f",
		"Line 2 has a quotation mark that is not closed, or text after":  "text,title\n\"a\"b,c\n",
		"This is a workbook, not a text file.":                           "PK\x03\x04rest",
		"This is a workbook, not a text file. ":                          "\xd0\xcf\x11\xe0rest",
		"This is no text file.":                                          "\x89PNG\x00\x01\x02",
		"The file has no rows.":                                          "",
		"The file has no rows. ":                                         "\ufeff \r\n\r\n",
		"The file has no rows.  ":                                        ",,,\n,,,\n",
		"The file has 10000 columns. It may have 100.":                   strings.Repeat(",", 9999) + "\n",
		"The file has more than 2000 rows.":                              "text\n" + strings.Repeat("a\n", 2001),
		"The file is larger than 5 MB.":                                  strings.Repeat("a", plan.MaxFile+1),
	} {
		_, err := sheet.Read("plan.csv", []byte(raw))
		var fault sheet.Fault
		require.ErrorAs(t, err, &fault)
		require.Contains(t, string(fault), strings.TrimSpace(want))
	}
	table, err := sheet.Read("plan.csv", []byte("text\n"+strings.Repeat("a\n", plan.MaxRows)))
	require.NoError(t, err)
	require.Len(t, table.Rows, plan.MaxRows+1)
}

func TestHeadingsAreRecognized(t *testing.T) {
	t.Parallel()
	for heading, want := range map[string]plan.Column{
		"Date": plan.Date, "Publish date": plan.Date, "Date & Time": plan.Date, "Scheduled at": plan.Date, "Date/Time": plan.Date,
		"TIME (24h)": plan.Time, "Time-zone": plan.Zone, "Social network": plan.Channel, "Caption": plan.Text, "Post": plan.Text,
		"Image URL(s)": plan.Media, "Alt text": plan.AltText, "Tags": plan.Labels, "External ID": plan.ExternalID, "external_id": plan.ExternalID,
		"Status": plan.State, "Post ID": plan.PostID, "Notes": "", "": "",
	} {
		require.Equal(t, want, sheet.Guess(heading), heading)
	}
	columns, header := sheet.GuessColumns([]string{"Text", "Caption", "When"})
	require.True(t, header)
	require.Equal(t, []plan.Column{plan.Text, "", plan.Date}, columns, "each once")
	_, header = sheet.GuessColumns([]string{"2026-12-01", "Hello"})
	require.False(t, header)
	for _, c := range plan.Columns() {
		require.Equal(t, c, sheet.Guess(string(c)), "an export is recognized")
	}
}

func TestDatesAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-04-03": "2026-04-03", "2026/4/3": "2026-04-03", "2026-04-03T09:05": "2026-04-03 09:05:00",
		"2026-04-03 9:05:30 pm": "2026-04-03 21:05:30", "2026-04-03T09:05:00.000Z": "2026-04-03 09:05:00+00:00",
		"2026-04-03T09:05:00+0200": "2026-04-03 09:05:00+02:00", "3.4.2026": "2026-04-03", "03.04.2026 18:00": "2026-04-03 18:00:00",
		"25/12/2026": "2026-12-25", "12/25/2026, 6 PM": "2026-12-25 18:00:00", "4/4/2026": "2026-04-04", "13-04-2026": "2026-04-13",
		"3 April 2026": "2026-04-03", "Fri, 3rd Apr 2026 at 09:00": "2026-04-03 09:00:00", "April 3, 2026": "2026-04-03",
		"Sept. 9 2026 12:00 am": "2026-09-09 00:00:00", "9-Dec-2026": "2026-12-09", "Saturday 9 May 2026": "2026-05-09",
		"03/04/2026":   "can be read in two ways; choose above how dates are read",
		"46115":        "is a spreadsheet’s number of a day; give the column the format of a date there, or write 2026-12-24",
		"3/4/26":       "has a year of two digits; write 2026-12-24",
		"2026-02-30":   "is not a day of the calendar",
		"31/31/2026":   "is not a day of the calendar",
		"soon":         "is not a date; write 2026-12-24",
		"3 Foo 2026":   "is not a date; write 2026-12-24",
		"2026-04-03 9": "is not a time; write 09:00 or 9:00 am",
	} {
		require.Equal(t, want, shown(sheet.ParseMoment(text, "")), text)
	}
	require.Equal(t, "2026-04-03", shown(sheet.ParseMoment("03/04/2026", plan.DayFirst)))
	require.Equal(t, "2026-03-04", shown(sheet.ParseMoment("03/04/2026", plan.MonthFirst)))
	require.Equal(t, "2026-12-25", shown(sheet.ParseMoment("25/12/2026", plan.MonthFirst)), "it has one reading")
	for _, wrong := range []string{"25:00", "9:60", "13 pm", "0 am", "9", "09:00:61", "noon", "09:00 +99:00"} {
		_, err := sheet.ParseClock(wrong)
		require.Error(t, err, wrong)
	}
}

func shown(m sheet.Moment, err error) string {
	if err != nil {
		return err.Error()
	}
	if !m.Timed {
		return m.Day.Format(time.DateOnly)
	}
	return m.Day.Add(time.Duration(m.Clock.Seconds)*time.Second).Format(time.DateTime) + m.Clock.Offset
}

func TestOrderOfDatesFollowsFromClearOnes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cells     []string
		order     plan.Order
		ambiguous bool
	}{
		{[]string{"03/04/2026", "25/12/2026"}, plan.DayFirst, true},
		{[]string{"03/04/2026", "Fri 12/25/2026 09:00"}, plan.MonthFirst, true},
		{[]string{"03/04/2026", "12/25/2026", "25/12/2026"}, "", true},
		{[]string{"03/04/2026", "4/4/2026", "2026-12-25", "25.12.2026"}, "", true},
		{[]string{"25/12/2026", "31/31/2026", "x"}, plan.DayFirst, false},
	} {
		order, ambiguous := sheet.Evidence(c.cells)
		require.Equal(t, c.order, order, c.cells)
		require.Equal(t, c.ambiguous, ambiguous, c.cells)
	}
}

// TestExportIsReadBack writes what spreadsheets would compute, and reads the same texts.
func TestExportIsReadBack(t *testing.T) {
	t.Parallel()
	texts := []string{"=1+1", "+46 70", "-5 %", "@name", "'=quoted", "''-x", "'twas", "A \"b\", c;\nd", `=HYPERLINK("https://x")`}
	var out strings.Builder
	w, err := sheet.NewWriter(&out)
	require.NoError(t, err)
	for _, text := range texts {
		require.NoError(t, w.Write(map[plan.Column]string{plan.Text: text, plan.Date: "2026-12-01"}))
	}
	require.NoError(t, w.Flush())
	require.NotRegexp(t, `(?m)(^|,)"?[=+@-]`, out.String(), "no cell is a formula")
	got := cells(t, "plan.csv", []byte(out.String()))
	columns, header := sheet.GuessColumns(got[0])
	require.True(t, header)
	require.Equal(t, plan.Columns(), columns)
	for i, text := range texts {
		require.Equal(t, text, got[i+1][4])
	}
}

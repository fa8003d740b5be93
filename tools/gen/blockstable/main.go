// Command blockstable writes the table of block types in docs/link-pages.md from the descriptors that the service uses:
//
//	go run tools/gen/blockstable/main.go
//
// With -write FILE the table replaces the text between the marks in the file.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	"socialpub.internal/shared/domain/linkpage"
)

const (
	beginMark = "<!-- blocks: begin -->\n"
	endMark   = "<!-- blocks: end -->\n"
)

func main() {
	log.SetFlags(0)
	file := flag.String("write", "", "`FILE` to write the table into, between its marks")
	flag.Parse()
	var err error
	if *file != "" {
		err = replace(*file, table())
	} else {
		_, err = os.Stdout.WriteString(table())
	}
	if err != nil {
		log.Fatal(err)
	}
}

func table() string {
	var text strings.Builder
	text.WriteString("| Type | Settings (required ones in bold) |\n|---|---|\n")
	for _, d := range linkpage.Descriptors() {
		cell := list(d.Fields)
		if d.Remark != "" {
			cell += ". " + d.Remark
		}
		fmt.Fprintf(&text, "| `%s` | %s |\n", d.Type, cell)
	}
	return text.String()
}

func list(fields []linkpage.Field) string {
	texts := make([]string, len(fields))
	for i, f := range fields {
		texts[i] = f.Name
		if f.Required {
			texts[i] = "**" + f.Name + "**"
		}
		if limit := limitOf(f); limit != "" {
			texts[i] += " " + limit
		}
	}
	return strings.Join(texts, ", ")
}

func limitOf(f linkpage.Field) string {
	switch f.Kind {
	case linkpage.KindLine, linkpage.KindText:
		return "(" + thousands(f.Max) + ")"
	case linkpage.KindChoice:
		last := len(f.Values) - 1
		return "`" + strings.Join(f.Values[:last], "`, `") + "` or `" + f.Values[last] + "`"
	case linkpage.KindAmount, linkpage.KindCurrency:
		return fmt.Sprintf("(`%v`)", f.Example)
	case linkpage.KindNumber:
		return fmt.Sprintf("%d to %d", f.Min, f.Max)
	case linkpage.KindList:
		return fmt.Sprintf("(1 to %d of %s)", f.Max, list(f.Items))
	case linkpage.KindAddress, linkpage.KindFlag, linkpage.KindTime, linkpage.KindImage, linkpage.KindPost:
	}
	return ""
}

// thousands groups the digits of a number below one million.
func thousands(n int) string {
	const group = 1000
	if n < group {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/group, n%group)
}

func replace(path, table string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(raw), beginMark)
	_, after, ended := strings.Cut(rest, endMark)
	if !begun || !ended {
		return fmt.Errorf("%s lacks the marks", path)
	}
	return os.WriteFile(path, []byte(before+beginMark+"\n"+table+"\n"+endMark+after), 0o644)
}

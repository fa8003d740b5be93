// Command guides converts the pages about connecting accounts (docs/connect) to HTML for the application. It is of the
// module tools, which has the converter. tools/generate.sh calls it.
package main

import (
	"bytes"
	"flag"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

func main() {
	log.SetFlags(0)
	from := flag.String("from", "../docs/connect", "`FOLDER` of the pages")
	to := flag.String("to", "", "`FOLDER` of the HTML")
	flag.Parse()
	files, err := filepath.Glob(filepath.Join(*from, "*.md"))
	if err != nil || len(files) == 0 {
		log.Fatalf("no pages in %s: %v", *from, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		if name == "README" {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		page, err := convert(source)
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(*to, name+".html"), page, 0o600); err != nil {
			log.Fatal(err)
		}
	}
}

var (
	heading  = regexp.MustCompile(`(?s)^<h1[^>]*>.*?</h1>\n`)
	relative = regexp.MustCompile(`<a href="[^":]*">(.*?)</a>`)
)

// convert returns a page without its heading, which the application writes, and without links to other files.
func convert(source []byte) ([]byte, error) {
	var out bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.Table)).Convert(source, &out); err != nil {
		return nil, err
	}
	page := heading.ReplaceAll(out.Bytes(), nil)
	page = relative.ReplaceAll(page, []byte("$1"))
	page = bytes.ReplaceAll(page, []byte("<th></th>"), []byte("<td></td>")) // a header needs a text
	page = bytes.ReplaceAll(page, []byte("<table>"), []byte(`<div class="scroll" tabindex="0"><table>`))
	return bytes.ReplaceAll(page, []byte("</table>"), []byte("</table></div>")), nil
}

// Command release documents the modules that are linked into built programs:
//
//	release licences PROGRAM…                    checks their licences
//	release notices PROGRAM… >FILE               also prints the licences' texts
//	release sbom VERSION PROGRAM… >FILE          prints a software bill of materials (CycloneDX 1.6, JSON)
//
// It fails for a licence that is unknown, or that is not in the list of licences.go. tools/release.sh and `make verify`
// call it.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	out := bufio.NewWriter(os.Stdout)
	if err := run(os.Args[1:], out); err != nil {
		log.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

func run(args []string, out io.Writer) error {
	usage := errors.New("usage: release licences|notices PROGRAM… | release sbom VERSION PROGRAM…")
	if len(args) < 2 {
		return usage
	}
	command, version, paths := args[0], "", args[1:]
	if command == "sbom" {
		version, paths = args[1], args[2:]
	}
	if len(paths) == 0 {
		return usage
	}
	linked, err := read(paths)
	if err != nil {
		return err
	}
	if err := linked.addLicences(); err != nil {
		return err
	}
	switch command {
	case "licences":
		_, err = fmt.Fprintf(out, "%d modules, licences: %s\n", len(linked.modules), linked.summary())
	case "notices":
		err = linked.writeNotices(out)
	case "sbom":
		err = linked.writeSBOM(out, version)
	default:
		err = usage
	}
	return err
}

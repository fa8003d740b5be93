package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// epoch is the variable with the time of the release (reproducible-builds.org), in seconds since 1970.
const epoch = "SOURCE_DATE_EPOCH"

// writeSBOM writes a software bill of materials: the programs, and the modules that each of them contains. The same
// programs have the same bill.
func (s *set) writeSBOM(out io.Writer, version string) error {
	seconds, err := strconv.ParseInt(os.Getenv(epoch), 10, 64)
	if err != nil {
		return fmt.Errorf("%s: %w", epoch, err)
	}
	product := cdx.Component{
		BOMRef: "fencepost@" + version, Type: cdx.ComponentTypeApplication, Name: "fencepost", Version: version,
		Licenses: licencesOf([]string{"Apache-2.0"}),
	}
	components, dependencies := make([]cdx.Component, 0), make([]cdx.Dependency, 0)
	var contained []string
	identity := sha256.New()
	for _, p := range s.programs {
		ref := p.name + "@" + version
		contained = append(contained, ref)
		_, _ = io.WriteString(identity, p.hash)
		components = append(components, cdx.Component{
			BOMRef: ref, Type: cdx.ComponentTypeApplication, Name: p.name, Version: version,
			Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: p.hash}},
		})
		uses := make([]string, 0, len(p.modules))
		for _, id := range p.modules {
			uses = append(uses, s.modules[id].packageURL())
		}
		dependencies = append(dependencies, cdx.Dependency{Ref: ref, Dependencies: &uses})
	}
	dependencies = append(dependencies, cdx.Dependency{Ref: product.BOMRef, Dependencies: &contained})
	for _, m := range s.sorted() {
		components = append(components, cdx.Component{
			BOMRef: m.packageURL(), Type: cdx.ComponentTypeLibrary, Name: m.path, Version: m.version,
			PackageURL: m.packageURL(), Licenses: licencesOf(m.licences), Scope: cdx.ScopeRequired,
		})
	}
	bill := cdx.NewBOM()
	bill.SerialNumber = serial(identity.Sum(nil))
	bill.Metadata = &cdx.Metadata{Timestamp: time.Unix(seconds, 0).UTC().Format(time.RFC3339), Component: &product}
	bill.Components, bill.Dependencies = &components, &dependencies
	return cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bill, cdx.SpecVersion1_6)
}

// packageURL returns the identifier of a module for vulnerability databases.
func (m *module) packageURL() string { return "pkg:golang/" + m.path + "@" + m.version }

func licencesOf(ids []string) *cdx.Licenses {
	licences := make(cdx.Licenses, 0, len(ids))
	for _, id := range ids {
		licences = append(licences, cdx.LicenseChoice{License: &cdx.License{ID: id}})
	}
	return &licences
}

// serial returns a UUID of version 8 (RFC 9562) from a hash of the content.
func serial(hash []byte) string {
	id := [16]byte(hash)
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

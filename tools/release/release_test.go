package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/require"
)

// build returns the test program, a program with known modules.
func build(t *testing.T) *set {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	found, err := read([]string{path})
	require.NoError(t, err)
	return found
}

func TestEveryModuleHasAnAcceptedLicence(t *testing.T) {
	t.Parallel()
	found := build(t)
	require.NoError(t, found.addLicences())
	byPath := make(map[string]*module)
	for _, m := range found.modules {
		byPath[m.path] = m
		require.NotEmpty(t, m.licences, m.path)
		require.NotEmpty(t, m.texts, m.path)
	}
	require.Equal(t, []string{"Apache-2.0"}, byPath["github.com/CycloneDX/cyclonedx-go"].licences)
	require.Equal(t, []string{"BSD-3-Clause"}, byPath["github.com/google/licensecheck"].licences)
	require.Equal(t, []string{"BSD-3-Clause"}, byPath[standard].licences)
	require.Contains(t, found.summary(), "Apache-2.0 ")
	var notices bytes.Buffer
	require.NoError(t, found.writeNotices(&notices))
	for _, m := range found.modules {
		for _, text := range m.texts {
			require.Contains(t, notices.String(), strings.TrimSpace(text.content), m.path)
		}
	}
}

// licensed returns a module whose folder has these files.
func licensed(t *testing.T, path string, files map[string]string) *module {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	return &module{path: path, version: "v1.0.0", folder: folder}
}

// licenceText returns the licence of a linked module.
func licenceText(t *testing.T, path string) string {
	t.Helper()
	for _, m := range build(t).modules {
		if m.path == path {
			raw, err := os.ReadFile(filepath.Join(m.folder, "LICENSE"))
			require.NoError(t, err)
			return string(raw)
		}
	}
	t.Fatalf("%s is not linked", path)
	return ""
}

func TestOtherLicencesAreRefused(t *testing.T) {
	t.Parallel()
	bsd := licenceText(t, "github.com/google/licensecheck")
	longer := strings.Repeat("And never on Sundays. ", 500)
	const (
		copyleft = "SPDX-License-Identifier: GPL-3.0-only\n\nThis program is free software: you can redistribute it " +
			"and/or modify it under the terms of the GNU General Public License as published by the Free Software Foundation, " +
			"either version 3 of the License, or (at your option) any later version."
		weak = "This Source Code Form is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL " +
			"was not distributed with this file, You can obtain one at https://mozilla.org/MPL/2.0/."
	)
	for name, c := range map[string]struct {
		path  string
		files map[string]string
		want  string
	}{
		"accepted": {"example.com/a", map[string]string{"LICENSE": bsd}, ""},
		"in a subfolder": {
			"example.com/a", map[string]string{"LICENSE": bsd, "vendored/COPYING": copyleft}, "is not an accepted",
		},
		"only in a subfolder": {"example.com/a", map[string]string{"sub/LICENSE": bsd}, "it has no licence"},
		"of test data":        {"example.com/a", map[string]string{"LICENSE": bsd, "testdata/LICENSE": copyleft}, ""},
		"copyleft":            {"example.com/a", map[string]string{"LICENSE.txt": copyleft}, "is not an accepted"},
		"weak copyleft":       {"example.com/a", map[string]string{"LICENSE": weak}, "is not an accepted"},
		"an exception":        {"github.com/hashicorp/golang-lru/v2", map[string]string{"LICENSE": weak}, ""},
		"unknown":             {"example.com/a", map[string]string{"LICENSE": "You may not use this."}, "unknown licence"},
		"known and unknown":   {"example.com/a", map[string]string{"LICENSE": bsd + longer}, "unknown licence"},
		"none":                {"example.com/a", map[string]string{"README.md": "free"}, "it has no licence"},
	} {
		err := licensed(t, c.path, c.files).addLicences()
		if c.want == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.want, name)
		}
	}
}

func TestTheBillOfMaterialsListsTheModulesOfEachProgram(t *testing.T) {
	found := build(t)
	require.NoError(t, found.addLicences())
	var out bytes.Buffer
	require.ErrorContains(t, found.writeSBOM(&out, "1.2.3"), epoch)
	t.Setenv(epoch, "1700000000")
	require.NoError(t, found.writeSBOM(&out, "1.2.3"))
	first := out.String()
	bill := new(cdx.BOM)
	require.NoError(t, cdx.NewBOMDecoder(strings.NewReader(first), cdx.BOMFileFormatJSON).Decode(bill))
	require.Equal(t, cdx.SpecVersion1_6, bill.SpecVersion)
	require.Equal(t, "2023-11-14T22:13:20Z", bill.Metadata.Timestamp)
	require.Regexp(t, `^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, bill.SerialNumber)
	known := []string{bill.Metadata.Component.BOMRef}
	for _, component := range *bill.Components {
		require.NotContains(t, known, component.BOMRef)
		known = append(known, component.BOMRef)
	}
	require.True(t, slices.ContainsFunc(known, func(ref string) bool {
		return strings.HasPrefix(ref, "pkg:golang/github.com/google/licensecheck@v")
	}))
	for _, dependency := range *bill.Dependencies {
		require.Contains(t, known, dependency.Ref)
		require.NotEmpty(t, *dependency.Dependencies)
		require.Subset(t, known, *dependency.Dependencies)
	}
	out.Reset()
	require.NoError(t, build(t).writeSBOM(&out, "1.2.3"), "without licences")
	require.NotEqual(t, first, out.String())
	out.Reset()
	require.NoError(t, found.writeSBOM(&out, "1.2.3"))
	require.Equal(t, first, out.String(), "the same programs have the same bill")
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"licences"}, {"sbom", "1.0.0"}, {"publish", "x"}} {
		require.Error(t, run(args, new(bytes.Buffer)))
	}
}

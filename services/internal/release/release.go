// Package release defines the version of the service.
package release

import "runtime/debug"

// Version is the release of this source tree, or the next one (Semantic Versioning 2.0.0; below 1.0.0 the API is a
// developer preview). The OpenAPI document contains it, and every program reports it.
const Version = "0.9.0"

// The license of the service.
const (
	// License is the SPDX identifier.
	License = "Apache-2.0"
	// LicenseURL is the address of the license text.
	LicenseURL = "https://www.apache.org/licenses/LICENSE-2.0"
)

// shortRevision is the length of the revision in a build's version.
const shortRevision = 12

// Build returns the version of the running program: Version, and the source revision as build metadata when the
// toolchain recorded one.
func Build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Version
	}
	return describe(info.Settings)
}

func describe(settings []debug.BuildSetting) string {
	known := make(map[string]string, len(settings))
	for _, s := range settings {
		known[s.Key] = s.Value
	}
	revision := known["vcs.revision"]
	if revision == "" {
		return Version
	}
	version := Version + "+" + revision[:min(len(revision), shortRevision)]
	if known["vcs.modified"] == "true" {
		version += ".modified"
	}
	return version
}

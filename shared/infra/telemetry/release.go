package telemetry

import (
	"runtime/debug"
	"time"
)

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

// revision is the source revision of builds outside of a repository, such as those of the images:
// -ldflags "-X …/release.revision=…". Otherwise the toolchain records it.
var revision = recordedByToolchain

const recordedByToolchain = ""

// Build returns the version of the running program: Version, and the source revision as build metadata if it is known.
func Build() string {
	commit, modified := source()
	if commit == "" {
		return Version
	}
	version := Version + "+" + commit[:min(len(commit), shortRevision)]
	if modified {
		version += ".modified"
	}
	return version
}

// Revision returns the source revision of the running program, or "" if it is not known.
func Revision() string {
	commit, _ := source()
	return commit
}

// Built returns the time of the source revision of the running program; zero if it is not known.
func Built() time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return time.Time{}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			at, _ := time.Parse(time.RFC3339, s.Value) // zero if it is not a time
			return at
		}
	}
	return time.Time{}
}

func source() (commit string, modified bool) {
	if revision != recordedByToolchain {
		return revision, false
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", false
	}
	return recorded(info.Settings)
}

// recorded returns the revision that the toolchain recorded, and whether the files differed from it.
func recorded(settings []debug.BuildSetting) (commit string, modified bool) {
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	return commit, modified
}

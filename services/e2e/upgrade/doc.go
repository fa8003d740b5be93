// Package upgrade tests the upgrade of an installation with waiting posts from the previous commit.
package upgrade

package egress_test

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/egress"
)

//go:embed testdata/addresses.txt
var addresses string

type addressCase struct{ url, verdict, stage, why string }

func addressCases(t *testing.T) []addressCase {
	t.Helper()

	var cases []addressCase
	for line := range strings.Lines(addresses) {
		if strings.HasPrefix(line, "#") {
			continue
		}

		parts := strings.Split(strings.TrimSuffix(line, "\n"), " | ")
		require.GreaterOrEqual(t, len(parts), 3, line)
		parts = append(parts, "")
		cases = append(cases, addressCase{
			strings.TrimRight(parts[0], " "), parts[1], strings.TrimSpace(parts[2]), parts[3],
		})
	}

	require.Greater(t, len(cases), 170)

	return cases
}

func internet() map[string][][]string {
	const public = "93.184.216.34"

	return map[string][][]string{
		"ok.test.":               {{public}},
		"sub.api.service.test.":  {{public}},
		"r3---sn-abc.ok.test.":   {{public}},
		"my_bucket.ok.test.":     {{public}},
		"xn--bcher-kva.ok.test.": {{public}},
		"dual.test.":             {{"2606:4700:4700::1111", public}},
		"loop.test.":             {{"127.0.0.1"}},
		"rfc1918.test.":          {{"10.0.0.5"}},
		"meta.test.":             {{"169.254.169.254"}},
		"mixed.test.":            {{public, "127.0.0.1"}},
		"several.test.":          {{"10.0.0.5", "10.0.0.6"}},
		"v6loop.test.":           {{"::1"}},
		"mapped.test.":           {{"::ffff:127.0.0.1"}},
		"six.test.":              {{"::127.0.0.1"}},
		"nat64.test.":            {{"64:ff9b::7f00:1"}},
		"ula.test.":              {{"fd00:ec2::254"}},
		"azure.test.":            {{"168.63.129.16"}},
		"zone.test.":             {{"2606:4700:4700::1111%eth0"}},
		"none.test.":             {{}},
		"rebind.test.":           {{public}, {"127.0.0.1"}},
	}
}

func ownURLs() []string {
	return []string{
		"https://api.service.test", "https://mcp.service.test/mcp", "https://pages.service.test",
		"http://media.service.test:9000",
	}
}

// TestAddresses sends a request to every address of the table, through both gates and with each profile.
func TestAddresses(t *testing.T) {
	t.Parallel()

	policy := newPolicy(t, egress.PolicyConfig{OwnURLs: ownURLs()})

	for _, profile := range []egress.Profile{egress.Import, egress.Webhook} {
		for _, test := range addressCases(t) {
			if profile == egress.Webhook && (strings.HasPrefix(test.url, "http:") ||
				strings.Contains(test.why, "of an import")) {
				test.verdict, test.stage = "BLOCK", "parse"
			}

			t.Run(profile.String()+" "+test.url, func(t *testing.T) {
				t.Parallel()

				destinations := &reached{}
				client := newClient(t, egress.Config{Policy: policy, Profile: profile, Resolver: newFakeDNS(internet())})
				egress.SetConnect(client, destinations.connect)

				request := egress.Request{URL: test.url}
				_, err := client.Do(t.Context(), request)

				if strings.HasSuffix(test.why, "first look-up only") && test.stage == "dial" {
					require.ErrorIs(t, err, errReached)
					require.Len(t, destinations.list(), 1)
					destinations = &reached{}
					egress.SetConnect(client, destinations.connect)
					_, err = client.Do(t.Context(), request)
				}

				if test.verdict == "ALLOW" {
					require.ErrorIs(t, err, errReached)
					require.NotEmpty(t, destinations.list())

					return
				}

				failure := new(egress.Error)
				require.ErrorAs(t, err, &failure)
				require.Equal(t, egress.Stage(test.stage), failure.Stage)
				require.Zero(t, destinations.attempts.Load(), "not even a socket")
				require.NotRegexp(t, `\d+\.\d+\.\d+|::`, err.Error())

				if test.stage == "parse" {
					_, err := policy.ParseGate(profile, test.url)
					require.Equal(t, failure, err, "both ways to the parse gate agree")
				} else {
					_, err := policy.ParseGate(profile, test.url)
					require.NoError(t, err, "the parse gate resolves nothing")
				}
			})
		}
	}
}

func TestEveryAddressIsTried(t *testing.T) {
	t.Parallel()

	destinations := &reached{}
	client := newClient(t, egress.Config{Resolver: newFakeDNS(internet())})
	egress.SetConnect(client, destinations.connect)

	_, err := client.Do(t.Context(), egress.Request{URL: "https://dual.test/"})
	requireFailure(t, err, egress.ClassConnectionRefused)
	require.Equal(t, []string{"[2606:4700:4700::1111]:443", "93.184.216.34:443"}, destinations.list())
}

func TestNumberOfTriedAddressesIsLimited(t *testing.T) {
	t.Parallel()

	const public = "93.184.216.34"
	many := slices.Repeat([]string{public}, 100)

	destinations := &reached{}
	client := newClient(t, egress.Config{Resolver: newFakeDNS(map[string][][]string{
		"many.test.":     {many},
		"many-bad.test.": {slices.Concat(many, []string{"127.0.0.1"})},
	})})
	egress.SetConnect(client, destinations.connect)

	_, err := client.Do(t.Context(), egress.Request{URL: "https://many.test/"})
	requireFailure(t, err, egress.ClassConnectionRefused)
	require.Len(t, destinations.list(), 8)

	_, err = client.Do(t.Context(), egress.Request{URL: "https://many-bad.test/"})
	requireFailure(t, err, egress.ClassBlockedAddress)
	require.Len(t, destinations.list(), 8, "all answers are judged")
}

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// The attacks on the application, and the tests of each:
//
//	forged requests (CSRF)       TestCrossSiteFormsAreRefused, TestCrossSiteConsentIsRefused, TestGetRequestsChangeNothing,
//	                             TestFormsBehindProxy
//	clickjacking                 TestEveryResponseHasSecurityHeaders, TestConsentShowsRedirectTarget
//	session fixation             TestSessionFixationIsPrevented, TestSignInEndsPreviousSession,
//	                             TestSecondFactorCookies, TestSigningInThroughProvider
//	stored scripts (XSS)         TestHostileTextsAreEscaped, TestNetworkErrorsAreEscaped, TestFeeds,
//	                             TestPicturesAreUploaded, TestMessagesAreShownAsText, TestIdeaForms; in Chromium: tools/browser ("hostile texts are texts", "who asks")
//	open redirects               TestRedirectsStayOnSite, TestEveryPageRequiresSession; short links: tests of
//	                             services/pages
//	logs of other keys           TestRequestsOfKeysAndPrograms
//	IDs of other workspaces,     TestEveryRouteByRole, TestCampaignPages, TestMembersOfSomeChannels
//	and of channels of others
//	swapped states and codes     TestSwappedStateIsRefused, TestResponseOfAnotherNetworkIsRefused,
//	                             TestResponseOfAnotherServerIsRefused, TestProviderCallbackIsBoundToBrowser, TestInvalidProviderTokens,
//	                             TestProviderAccountRequiresLink
//	servers inside our network   TestConnectPageRequestsServer, TestFeedsOfPrivateAddresses; the addresses that are called: tests of
//	                             shared/platform/connectors/internal/servers
//	invitations used twice,      TestInvitations, TestInvitationIsAcceptedOnce, TestInvitationsEnd,
//	or by others                 TestJoiningRequiresInvitedProviderAccount
//	too many mails               TestInvitationsAreLimited, TestResetRequestsAreLimited,
//	                             TestAddressChangesAreLimited
//	many expensive forms         TestSigningUpIsLimited; in shared/infra/password: computations wait for each other
//	guessing                     TestPasswordGuessesAreCounted, TestCodeGuessesAreLimited, TestUnfinishedSignInsAreLimited,
//	                             TestDeviceCodesCannotBeGuessed
//	codes that were sent to      TestDevicePage, TestDeviceRefusals
//	a person (phishing)
//	which addresses have a user  TestSignInHidesWhichUsersExist, TestResetDoesNotRevealAddresses
//	forged Host                  TestOtherHostsAreRefused, TestLinksIgnoreHost
//	files that attack            TestWrongFilesAreRefused; formulas in exports: TestExportIsImported
//	imports of other people      TestImportsArePrivate
//	addresses of calendars       TestCalendarFeed, TestCalendarFeedsAreLimited
//	deleting a workspace         TestWorkspaceIsDeleted
//	client links                 TestClientLinksAreSeparate, TestClientLinksEnd, TestClientPasswordGuessesAreLimited,
//	                             TestGuestsOpenNoOtherPage, TestGuestTextsAreEscaped, TestStaleDecisionsOfGuests
//	previews of link pages       TestHostileBlocks
//	domains of link pages        TestOwnDomain; hosts and certificates: tests of services/pages
//	decisions from mails         TestDecidingFromMail
//	notifications                TestPlacesOfNotifications, TestTelegramIsConnected, TestDevicesOfNotifications; texts in chats: tests of activities/mailing

// TestAttacksNameTests checks that the tests named above exist.
func TestAttacksNameTests(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../*/*_test.go")
	require.NoError(t, err)
	var all strings.Builder
	var tests []string
	for _, name := range files {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		all.Write(raw)
		for _, found := range regexp.MustCompile(`(?m)^func (Test[A-Za-z]+)\(`).FindAllStringSubmatch(string(raw), -1) {
			tests = append(tests, found[1])
		}
	}
	_, table, _ := strings.Cut(all.String(), "// The attacks on the application")
	table, _, _ = strings.Cut(table, "// TestAttacksNameTests")
	names := regexp.MustCompile(`Test[A-Za-z]+`).FindAllString(table, -1)
	require.Greater(t, len(names), 20)
	require.Subset(t, tests, names)
}

// hostile returns the text of a record as an attacker writes it: HTML that leaves an attribute or an element.
func hostile(of string) string { return `"'><x-evil id=` + of + ` onload=alert(1)>` }

// spoil replaces every text that another person, a program or a network has written, and returns their names.
func (b *bundle) spoil(t *testing.T) []string {
	t.Helper()
	texts := map[string]string{
		"workspace": "workspace SET name = $1", "person": "app_user SET name = $1", "channel": "channel SET name = $1",
		"username": "channel SET username = $1", "content": "post SET content = $1",
		"failure":  "post SET status = 'FAILED', error_code = 'X', error_retryable = false, error_message = $1",
		"comment":  "post SET approval_status = 'REJECTED', approval_comment = $1",
		"timeline": "post_timeline SET detail = $1", "actor": "post_timeline SET actor = $1",
		"key": "api_key SET name = $1", "description": "webhook SET description = $1", "response": "delivery_attempt SET response = $1",
		"link":    "client_link SET name = $1",
		"message": "message SET text = $1", "preview": "conversation SET preview = $1", "writer": "person_identity SET name = $1",
		"human": "person SET name = $1", "notes": "person SET note = $1",
		"handle": "person_identity SET username = $1", "reader": "conversation_entry SET detail = $1",
		"linkpage": "link_page SET changed_by = $1, draft = jsonb_set(draft, '{title}', to_jsonb(CAST($1 AS text)))",
		"campaign": "campaign SET name = $1", "feed": "source SET title = $1", "fault": "source SET fault = $1",
		"idea": "idea_card SET title = $1", "thought": "idea_card SET content = $1", "board": "idea_board SET name = $1",
		"column": "idea_column SET name = $1", "label": "idea_label SET name = $1",
		"caller": "request_log SET agent = $1", "address": "request_log SET path = $1", "search": "request_log SET query = $1",
		"code": "request_log SET code = $1", "request": "request_log SET request_id = $1", "tool": "request_log SET operation = $1",
		"picture": "media SET name = $1", "subject": "audit_entry SET subject = $1", "detail": "audit_entry SET detail = $1",
	}
	names := make([]string, 0, len(texts))
	for name, change := range texts {
		postgrestest.Exec(t, b.dsn, `UPDATE `+change, hostile(name))
		names = append(names, name)
	}
	postgrestest.Exec(t, b.dsn, `UPDATE webhook SET url = 'javascript:alert(1)'`)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET post_url = 'javascript:alert(1)'`)
	postgrestest.Exec(t, b.dsn, `UPDATE idea_card SET link = 'javascript:alert(1)'`)
	slices.Sort(names)
	return names
}

// TestHostileTextsAreEscaped opens every page of a workspace whose texts all come from an attacker.
func TestHostileTextsAreEscaped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	owner := b.membership(t, ours.workspace, member.Owner)
	postgrestest.Asset(t, b.db, media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: ours.workspace.ID, Name: "a.png", Type: media.Image, ContentType: "image/png",
		Size: 5, CreatedAt: b.clock.Now(),
	})
	postgrestest.Exec(t, b.dsn, `INSERT INTO delivery_attempt (delivery_id, n, trigger, started_at, duration_ms, status_code, response, error_class)
		SELECT id, 1, 'AUTOMATIC', now(), 12, 500, 'x', 'http_status' FROM delivery`)
	postgrestest.Exec(t, b.dsn, `UPDATE delivery SET attempts = 1`)
	postgrestest.Exec(t, b.dsn, `INSERT INTO audit_entry (id, workspace_id, at, user_id, actor, action, subject, detail)
		VALUES (gen_random_uuid(), $1, now(), $2, 'x', 'member.joined', 'x', 'x')`, ours.workspace.ID.String(), owner.ID.String())
	postgrestest.Exec(t, b.dsn, `INSERT INTO conversation_entry (id, conversation_id, user_id, kind, detail, at)
		VALUES (gen_random_uuid(), $1, $2, 'ASSIGNED', 'x', now())`, ours.wildcards["conversation"], owner.ID.String())
	br := b.browser(t)
	br.signInAs(t, owner.Email)
	b.attempts(t, br, ours)
	names := b.spoil(t)
	seen := make(map[string]bool)
	for _, route := range b.routes(t) {
		if route.Method() != http.MethodGet || route.Stream || route.Access == frame.Anyone {
			continue
		}
		got := br.get(t, filled(route.Path(), ours.wildcards))
		if got.status != http.StatusOK || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
			continue
		}
		require.NotContains(t, got.body, "<x-evil", route.Pattern)
		require.NotContains(t, got.body, `href="javascript:`, route.Pattern)
		for _, name := range names {
			seen[name] = seen[name] || strings.Contains(got.body, "&lt;x-evil id="+name)
		}
	}
	for _, name := range names {
		require.True(t, seen[name], "no page shows the text of %s, so that nothing was tested", name)
	}
}

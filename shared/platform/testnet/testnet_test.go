package testnet_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
	"fencepost.internal/shared/platform/testnet"
)

var start = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

// live is a live connector. Every call to its network ends the test.
type live struct {
	platform.Connector

	strength platform.ReconcileStrength
}

func (live) Types() []channel.Type                    { return []channel.Type{channel.Twitter} }
func (l live) Strength() platform.ReconcileStrength   { return l.strength }
func (live) Gaps(platform.Content) []platform.Finding { return []platform.Finding{{Member: "content"}} }

type bundle struct {
	clock   *clocktest.Fake
	memory  *platformtest.Memory
	network platform.Reviewer
	account platform.Account
	content platform.Content
}

func setup(t *testing.T, script string, strength platform.ReconcileStrength) *bundle {
	t.Helper()
	b := &bundle{clock: clocktest.New(start)}
	b.memory = &platformtest.Memory{Clock: b.clock}
	links, err := testnet.Links(testnet.Config{
		Memory: b.memory, Clock: b.clock, Scale: 0.01,
		PostURL: func(_ ident.Workspace, id ident.Post) string { return "https://app.test/" + id.String() },
	})
	require.NoError(t, err)
	network, ok := links(live{strength: strength}).(platform.Reviewer)
	require.True(t, ok)
	b.network, b.account = network, platform.Account{Type: channel.Twitter}
	b.content = platform.Content{PostID: ident.New[ident.Post](), Script: script}
	return b
}

// send prepares the post anew and makes the irrevocable call.
func (b *bundle) send(t *testing.T) (platform.Handle, platform.Publication, *platform.Failure) {
	t.Helper()
	prepared, err := b.network.Prepare(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.True(t, prepared.Ready)
	pub, err := b.network.Commit(t.Context(), b.account, b.content, prepared.Handle)
	if err == nil {
		return prepared.Handle, pub, nil
	}
	return prepared.Handle, pub, platform.FailureOf(err)
}

func TestScriptsDecideOnFirstAndSecondCall(t *testing.T) {
	t.Parallel()
	const accepted = platform.Class("")
	for script, want := range map[string][2]platform.Class{
		"":                               {accepted, accepted},
		testnet.ScriptAccept:             {accepted, accepted},
		testnet.ScriptSlow:               {accepted, accepted},
		testnet.ScriptReviewAccepted:     {accepted, accepted},
		testnet.ScriptReviewRefused:      {accepted, accepted},
		testnet.ScriptRemovedLater:       {accepted, accepted},
		testnet.ScriptRefuse:             {platform.ClassRejected, platform.ClassRejected},
		testnet.ScriptUnavailable:        {platform.ClassTransient, platform.ClassTransient},
		testnet.ScriptUnavailableOnce:    {platform.ClassTransient, accepted},
		testnet.ScriptRateLimited:        {platform.ClassRateLimited, accepted},
		testnet.ScriptTokenExpired:       {platform.ClassRefresh, accepted},
		testnet.ScriptTokenRevoked:       {platform.ClassReconnect, accepted},
		testnet.ScriptTimeoutAfterAccept: {platform.ClassUnknown, accepted},
		testnet.ScriptTimeoutLost:        {platform.ClassUnknown, accepted},
		testnet.ScriptLostForGood:        {platform.ClassUnknown, platform.ClassUnknown},
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			b := setup(t, script, platform.ReconcileMatch)
			for i, class := range want {
				_, pub, failure := b.send(t)
				if class != accepted {
					require.NotNil(t, failure, "call %d", i)
					require.Equal(t, class, failure.Class, "call %d", i)
					require.NotContains(t, failure.Message, "{")
					continue
				}
				require.Nil(t, failure, "call %d", i)
				require.Equal(t, "https://app.test/"+b.content.PostID.String(), pub.URL)
				require.NotEmpty(t, pub.ExternalID)
			}
		})
	}
}

func TestLostResponsesAreReconciledByScript(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]platform.Evidence{
		testnet.ScriptTimeoutAfterAccept: platform.EvidenceFound,
		testnet.ScriptTimeoutLost:        platform.EvidenceAbsent,
		testnet.ScriptLostForGood:        platform.EvidenceUnclear,
	} {
		b := setup(t, script, platform.ReconcileMatch)
		handle, _, failure := b.send(t)
		require.NotNil(t, failure)
		for range 2 { // a reading changes nothing
			got, pub, err := b.network.Reconcile(t.Context(), b.account, b.content, platform.Sent{Handle: handle})
			require.Equal(t, want, got, script)
			require.Equal(t, want == platform.EvidenceUnclear, err != nil, script)
			require.Equal(t, want == platform.EvidenceFound, pub.ExternalID == string(handle), script)
		}
		got, _, err := b.network.Reconcile(t.Context(), b.account, b.content, platform.Sent{})
		require.NoError(t, err)
		require.Equal(t, want == platform.EvidenceFound, got == platform.EvidenceFound, "without a handle, after a restore")
	}
}

func TestReviewsAndRemovalsTakeTime(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]struct{ reviewed, refused bool }{
		testnet.ScriptAccept:         {},
		testnet.ScriptReviewAccepted: {reviewed: true},
		testnet.ScriptReviewRefused:  {reviewed: true, refused: true},
		testnet.ScriptRemovedLater:   {refused: true},
	} {
		b := setup(t, script, platform.ReconcileMatch)
		_, pub, failure := b.send(t)
		require.Nil(t, failure)
		require.Equal(t, want.reviewed, pub.InReview, script)
		seen, err := b.network.Review(t.Context(), b.account, pub.ExternalID)
		require.NoError(t, err)
		require.Equal(t, want.reviewed, seen.InReview, script)
		b.clock.Advance(time.Second)
		seen, err = b.network.Review(t.Context(), b.account, pub.ExternalID)
		require.False(t, seen.InReview, script)
		require.Equal(t, want.refused, err != nil, script)
		if want.refused {
			require.Equal(t, platform.ClassRejected, platform.FailureOf(err).Class)
		}
		require.Equal(t, script == testnet.ScriptRemovedLater, len(b.memory.Collected) == 1, script)
	}
}

func TestProcessingTakesTime(t *testing.T) {
	t.Parallel()
	b := setup(t, testnet.ScriptProcessing, platform.ReconcileMatch)
	first, err := b.network.Prepare(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.False(t, first.Ready)
	require.Positive(t, first.Wait)
	b.clock.Advance(time.Second)
	second, err := b.network.Prepare(t.Context(), b.account, b.content, first.Handle)
	require.NoError(t, err)
	require.True(t, second.Ready)
	require.Equal(t, first.Handle, second.Handle)
}

func TestLateCallSendsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, "", platform.ReconcileMatch)
	prepared, err := b.network.Prepare(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	_, err = b.network.Commit(platform.WithSendBy(t.Context(), start), b.account, b.content, prepared.Handle)
	require.Equal(t, platform.CodeSendWindowClosed, platform.FailureOf(err).Code)
	require.Equal(t, platform.ClassTransient, platform.FailureOf(err).Class)
	got, _, err := b.network.Reconcile(t.Context(), b.account, b.content, platform.Sent{Handle: prepared.Handle})
	require.NoError(t, err)
	require.Equal(t, platform.EvidenceAbsent, got)
}

func TestForgottenHandleIsPreparedAnew(t *testing.T) {
	t.Parallel()
	b := setup(t, "", platform.ReconcileMatch)
	_, err := b.network.Prepare(t.Context(), b.account, b.content, "gone")
	require.Equal(t, platform.CodePreparationLost, platform.FailureOf(err).Code)
	_, err = b.network.Commit(t.Context(), b.account, b.content, "gone")
	require.Equal(t, platform.CodePreparationLost, platform.FailureOf(err).Code)
}

// TestTestNetworkIsAsReadableAsLiveOne checks that reconciling and confirmation follow the live connector.
func TestTestNetworkIsAsReadableAsLiveOne(t *testing.T) {
	t.Parallel()
	for _, strength := range []platform.ReconcileStrength{
		platform.ReconcileNone, platform.ReconcileMatch, platform.ReconcileExact,
	} {
		b := setup(t, "", strength)
		require.Equal(t, strength, b.network.Strength())
		_, pub, failure := b.send(t)
		require.Nil(t, failure)
		require.Equal(t, strength == platform.ReconcileNone, pub.Unconfirmed)
		restricter, ok := b.network.(platform.Restricter)
		require.True(t, ok)
		require.Len(t, restricter.Gaps(b.content), 1)
	}
}

func TestUnknownScriptIsFaultThatListsScripts(t *testing.T) {
	t.Parallel()
	for _, s := range testnet.Scripts() {
		require.Empty(t, testnet.ScriptFault(s.Name))
		require.NotEmpty(t, s.Does)
		require.Contains(t, testnet.ScriptFault("Timeout"), s.Name)
	}
	require.NotEmpty(t, testnet.ScriptFault(""))
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	_, err := testnet.Links(testnet.Config{})
	require.Error(t, err)
}

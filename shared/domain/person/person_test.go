package person_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/person"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

func TestPhonesThatReachTheSamePerson(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"+55 11 98765-4321": "5511987654321", "551187654321": "5511987654321", // the ninth digit
		"+55 11 3456-7890":   "551134567890", // a landline has none
		"+54 9 11 2345 6789": "541123456789", "541123456789": "541123456789",
		"5215512345678": "525512345678", "+52 55 1234 5678": "525512345678",
		"+49 (171) 234.56/78": "491712345678", "0049 171 2345678": "491712345678",
		"": "", "Ada": "", "+49 171 Ada": "", "0171 2345678": "", "12": "", "1234567890123456": "",
	} {
		got, ok := person.Phone(text)
		require.Equal(t, want, got, text)
		require.Equal(t, want != "", ok, text)
	}
	for text, want := range map[string]string{
		"0171 234": "171234", "+55 11 8765-4321": "5511987654321", "+49": "", "Ada": "", "2345": "2345",
	} {
		got, ok := person.Dialed(text)
		require.Equal(t, want != "", ok, text)
		if ok {
			require.Equal(t, want, got, text)
		}
	}
}

func TestNameByMemberWins(t *testing.T) {
	t.Parallel()
	var p person.Person
	require.Equal(t, "Someone", p.Called())
	p.Identities = []person.Identity{{Username: "ada", Phone: "491712345678"}, {Name: "Ada L."}}
	require.Equal(t, "@ada", p.Called(), "of the identity that was seen last")
	p.Identities[0].Name = "Countess"
	require.Equal(t, "Countess", p.Called())
	p.Name, p.Phone = "Ada Lovelace", "4930123456"
	require.Equal(t, "Ada Lovelace", p.Called())
	require.Equal(t, []string{"4930123456", "491712345678"}, p.Phones())
	p.ErasedAt = time.Now()
	require.Equal(t, "Erased person", p.Called())
}

func TestDescribing(t *testing.T) {
	t.Parallel()
	p, err := person.Person{}.Describe(person.Facts{Name: " Ada ", Phone: "+49 171 2345678", Mail: "ada@example.com", Note: "VIP\nfriend"})
	require.NoError(t, err)
	require.Equal(t, person.Person{Name: "Ada", Phone: "491712345678", Mail: "ada@example.com", Note: "VIP\nfriend"}, p)
	p, err = p.Describe(person.Facts{})
	require.NoError(t, err)
	require.Zero(t, p)
	_, err = p.Describe(person.Facts{Name: strings.Repeat("x", 201), Phone: "0171", Mail: "ada", Note: strings.Repeat("x", 4001)})
	require.True(t, apperr.Is(err, apperr.ValidationFailed))
	for _, field := range []string{"/name", "/phone", "/mail", "/note"} {
		require.Contains(t, fields(err), field)
	}
}

func fields(err error) (list []string) {
	for _, f := range apperr.FieldsOf(err) {
		list = append(list, f.Pointer)
	}
	return list
}

func TestOptOutEndsWhenThePersonWrites(t *testing.T) {
	t.Parallel()
	at := time.Now()
	require.False(t, person.Silent(time.Time{}, time.Time{}))
	require.True(t, person.Silent(at, at.Add(-time.Hour)))
	require.False(t, person.Silent(at, at.Add(time.Hour)))
}

func TestMergeAndItsUndo(t *testing.T) {
	t.Parallel()
	at := time.Now()
	into := person.Person{ID: ident.New[ident.Person](), Name: "Ada", Note: "First"}
	from := person.Person{ID: ident.New[ident.Person](), Name: "A.", Phone: "491712345678", Mail: "a@example.com", Note: "Second", OptedOutAt: at}
	merged, err := into.With(from)
	require.NoError(t, err)
	require.Equal(t, person.Person{
		ID: into.ID, Name: "Ada", Phone: from.Phone, Mail: from.Mail, Note: "First\n\nSecond", OptedOutAt: at,
	}, merged)
	require.Equal(t, into, merged.Without(into, merged))
	merged.Note = "Written since"
	apart := merged.Without(into, person.Person{Name: "Ada", Phone: from.Phone, Mail: from.Mail, Note: "First\n\nSecond", OptedOutAt: at})
	require.Equal(t, "Written since", apart.Note)
	require.Empty(t, apart.Phone)

	_, err = into.With(into)
	require.True(t, apperr.Is(err, apperr.InvalidState))
	from.MergedInto = into.ID
	_, err = into.With(from)
	require.True(t, apperr.Is(err, apperr.InvalidState))

	m := person.Merge{At: at}
	require.NoError(t, m.Undo(at.Add(29*24*time.Hour)))
	require.ErrorContains(t, m.Undo(at.Add(31*24*time.Hour)), "30 days")
	m.UndoneAt = at
	require.ErrorContains(t, m.Undo(at), "already")
}

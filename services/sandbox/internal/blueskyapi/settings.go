package blueskyapi

import (
	"encoding/json"
	"slices"
	"strings"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
)

// gates is the collection of the records who may reply to a post.
const gates = "app.bsky.feed.threadgate"

// gate says who may reply. Without rules in Allow, only the author may.
type gate struct {
	Type            string `json:"$type"`
	Post, CreatedAt string
	Allow           []struct {
		Type string `json:"$type"`
	}
}

// labels are those that the author gives to a post.
type labels struct {
	Type   string `json:"$type"`
	Values []struct{ Val string }
}

// quoted is a reference to a record: to the post, or beside media to an embed with that reference.
type quoted struct {
	Type     string `json:"$type"`
	URI, CID string
	Record   *quoted
}

// apply creates a post and the record who may reply to it, or neither. The sandbox takes no other writes.
func (a *api) apply(r stage.Request) stage.Response {
	const create, most = "com.atproto.repo.applyWrites#create", 2
	var given struct {
		Repo   string
		Writes []struct {
			Type             string `json:"$type"`
			Collection, RKey string
			Value            json.RawMessage
		}
	}
	err := json.Unmarshal(r.Body, &given)
	if err != nil || len(given.Writes) != most || given.Writes[0].Type != create || given.Writes[1].Type != create ||
		given.Writes[1].Collection != gates || given.Writes[1].RKey != given.Writes[0].RKey {
		return invalid("The sandbox takes a post with its threadgate")
	}
	post, limit := body{Repo: given.Repo, Collection: given.Writes[0].Collection, RKey: given.Writes[0].RKey}, gate{}
	err = json.Unmarshal(given.Writes[0].Value, &post.Record)
	if err == nil {
		err = json.Unmarshal(given.Writes[1].Value, &limit)
	}
	return a.publish(r, post, err, &limit)
}

// set adds the settings of a record to the post.
func (b body) set(draft *ledger.Draft, limit *gate) (bad stage.Check) {
	const mostLanguages = 3
	draft.Detail("langs", strings.Join(b.Record.Langs, ", "))
	bad = stage.If(len(b.Record.Langs) > mostLanguages, faulty("array too big (maximum 3) at $.record.langs"))
	if given := b.Record.Labels; given != nil {
		values := make([]string, len(given.Values))
		for i, one := range given.Values {
			values[i] = one.Val
		}
		draft.Detail("labels", strings.Join(values, ", "))
		bad = bad.Or(given.Type != "com.atproto.label.defs#selfLabels" || len(values) == 0 || slices.Contains(values, ""),
			faulty("Expected labels at $.record.labels"))
	}
	if limit == nil {
		return bad
	}
	rules := []string{}
	for _, rule := range limit.Allow {
		name, known := strings.CutPrefix(rule.Type, gates+"#")
		bad = bad.Or(!known || !slices.Contains([]string{"mentionRule", "followerRule", "followingRule"}, name),
			invalid("Invalid "+gates+" record: Expected a rule at $.record.allow"))
		rules = append(rules, name)
	}
	draft.Detail("threadgate", "["+strings.Join(rules, ", ")+"]")
	return bad.Or(limit.Type != gates || limit.Post != uriOf(draft.Account, b.RKey) || limit.CreatedAt == "",
		invalid("Invalid "+gates+" record: Expected the URI of the post at $.record.post"))
}

// quote adds the post that an embed quotes. It returns the rest of the embed; nil if there is none.
func (a *api) quote(draft *ledger.Draft, given *embed) (*embed, stage.Check) {
	const alone = "app.bsky.embed.record"
	ref, rest := given.Record, given.Media
	switch {
	case given.Type == alone && ref != nil:
	case given.Type == "app.bsky.embed.recordWithMedia" && ref != nil && ref.Type == alone && ref.Record != nil && rest != nil:
		ref = ref.Record
	default:
		return given, stage.Check{}
	}
	post, ok := a.find(ref.URI)
	draft.Detail("quote", ref.URI)
	return rest, stage.If(!ok || recordCID(post) != ref.CID, faulty("Expected a record at $.record.embed.record"))
}

// created is the response to a new post, with the record who may reply to it, if there is one.
func created(post ledger.Post, limit *gate) stage.Object {
	result := stage.Object{"uri": post.Origin, "cid": recordCID(post), "validationStatus": "valid"}
	commit := map[string]string{"cid": recordCID(post), "rev": post.ID}
	if limit == nil {
		result["commit"] = commit
		return result
	}
	result["$type"] = "com.atproto.repo.applyWrites#createResult"
	return stage.Object{"commit": commit, "results": []stage.Object{result, {
		"$type": result["$type"], "uri": strings.Replace(post.Origin, collection, gates, 1), "cid": result["cid"],
	}}}
}

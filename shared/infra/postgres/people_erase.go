package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/person"
	"fencepost.internal/shared/kernel/ident"
)

// erasing are the statements that erase what is stored of a person and of those who were merged into it: @people are all of them,
// @talks their conversations. The rows stay, so that counts stay.
func erasing() []string {
	// In public, others write in conversations of the person, and the person in those of others.
	const messages = `(conversation_id = ANY(CAST(@talks AS uuid[])) AND (person_id IS NULL OR person_id = ANY(CAST(@people AS uuid[])))
		OR person_id = ANY(CAST(@people AS uuid[])))`
	return []string{
		`UPDATE reply_attempt SET external_id = NULL, failure_message = NULL WHERE message_id IN (SELECT id FROM message WHERE ` + messages + `)`,
		`DELETE FROM message_file WHERE message_id IN (SELECT id FROM message WHERE ` + messages + `)`,
		`UPDATE message m SET text = '', unsupported = '', reply_to = '', external_id = NULL, edited_at = NULL, version = 0,
			failure_message = '', deleted_at = COALESCE(deleted_at, now()), state = CASE WHEN state = 'QUEUED' AND NOT EXISTS (
				SELECT FROM reply_attempt a WHERE a.message_id = m.id AND a.state IN ('SENT', 'UNKNOWN', 'CONFIRMED')) THEN 'FAILED' ELSE state END
			WHERE ` + messages,
		`UPDATE conversation SET thread = 'erased ' || id, preview = '', state = CASE WHEN state = 'SPAM' THEN 'SPAM' ELSE 'CLOSED' END,
			snoozed_until = NULL, claimed_by = NULL, claimed_until = NULL, revision = revision + 1, changed_at = now()
			WHERE id = ANY(CAST(@talks AS uuid[]))`,
		`UPDATE lead SET name = 'Erased person', handle = NULL, profile_url = NULL, interest = NULL, contact_email = NULL, contact_phone = NULL
			WHERE person_id = ANY(CAST(@people AS uuid[]))`,
		`DELETE FROM lead_suggestion WHERE person_id = ANY(CAST(@people AS uuid[]))`,
		`DELETE FROM person_identity WHERE person_id = ANY(CAST(@people AS uuid[]))`,
		`DELETE FROM person_merge WHERE into_id = ANY(CAST(@people AS uuid[])) OR from_id = ANY(CAST(@people AS uuid[]))`,
		`UPDATE person SET name = '', phone = '', mail = '', note = '', opted_out_at = NULL, erased_at = now()
			WHERE id = ANY(CAST(@people AS uuid[]))`,
	}
}

// Erased counts what was erased of a person.
type Erased struct{ Conversations, Messages, Reports int }

// Erase erases what is stored of a person: texts, names, IDs, and what networks reported. Counts stay. If the person writes again, it
// is a new one. NOT_FOUND if the workspace has no such person.
func (s *People) Erase(ctx context.Context, p person.Person) (erased Erased, err error) {
	err = s.db.WithinTx(ctx, func(ctx context.Context) error {
		if err := s.lockAccounts(ctx, p.WorkspaceID); err != nil {
			return err
		}
		var people, talks, threads []string
		err := s.db.conn(ctx).Raw(family, p.ID).Scan(&people).Error
		if err != nil {
			return classify(err)
		}
		if err := s.lockTalks(ctx, people); err != nil {
			return err
		}
		for column, into := range map[string]*[]string{"id": &talks, "thread": &threads} {
			if err := s.db.conn(ctx).Table("conversation").Where("person_id IN ?", people).Pluck(column, into).Error; err != nil {
				return classify(err)
			}
		}
		var identities []string
		err = s.db.conn(ctx).Table("person_identity").Where("person_id IN ?", people).Pluck("value", &identities).Error
		if err != nil {
			return classify(err)
		}
		if erased.Reports, err = s.eraseReports(ctx, p.WorkspaceID, append(identities, threads...)); err != nil {
			return err
		}
		err = s.db.conn(ctx).Raw(`SELECT count(*) FROM message WHERE conversation_id = ANY(CAST(? AS uuid[]))`, textArray(talks)).
			Row().Scan(&erased.Messages)
		if err != nil {
			return classify(err)
		}
		erased.Conversations = len(talks)
		for _, statement := range erasing() {
			params := map[string]any{"people": textArray(people), "talks": textArray(talks)}
			if err := s.db.conn(ctx).Exec(statement, params).Error; err != nil {
				return classify(err)
			}
		}
		return nil
	})
	return erased, err
}

// eraseReports empties the events of the workspace's accounts that name one of the IDs. Their keys stay, so that a repetition is not a
// new event; those that are not applied yet stay too.
func (s *People) eraseReports(ctx context.Context, of ident.Workspace, ids []string) (int, error) {
	var accounts []struct{ Type, ExternalID string }
	err := s.db.conn(ctx).Table("channel").Select("type, external_id").Where("workspace_id = ?", of).Find(&accounts).Error
	if err != nil || len(ids) == 0 {
		return 0, classify(err)
	}
	var rows []map[string]string
	for _, a := range accounts {
		for _, account := range accountsOf(a.ExternalID) {
			rows = append(rows, map[string]string{"network": string(channel.Type(a.Type).Network()), "account": account})
		}
	}
	raw, err := jsonParam(rows)
	if err != nil {
		return 0, err
	}
	var candidates []struct {
		ID   int64
		Body []byte
	}
	err = s.db.conn(ctx).Raw(`SELECT e.id, e.body FROM inbound_event e
		WHERE (e.network, e.account) IN (SELECT network, account FROM jsonb_to_recordset(CAST(@accounts AS jsonb)) AS g(network text, account text))
			AND e.state <> 'NEW' AND EXISTS (SELECT FROM unnest(CAST(@ids AS text[])) AS i(id) WHERE position(convert_to(i.id, 'UTF8') IN e.body) > 0)`,
		map[string]any{"accounts": raw, "ids": textArray(ids)}).Scan(&candidates).Error
	if err != nil {
		return 0, classify(err)
	}
	var naming []int64
	for _, c := range candidates {
		if mentions(c.Body, ids) {
			naming = append(naming, c.ID)
		}
	}
	if len(naming) == 0 {
		return 0, nil
	}
	return len(naming), classify(s.db.conn(ctx).Table("inbound_event").Where("id IN ?", naming).
		Updates(map[string]any{"body": []byte{}, "state": "SKIPPED", "error": ""}).Error)
}

// mentions reports whether a JSON text has one of the values, as a string or a number. A text that is not JSON does not.
func mentions(body []byte, values []string) bool {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if err != nil {
			return false
		}
		switch v := token.(type) {
		case string:
			if slices.Contains(values, v) {
				return true
			}
		case json.Number:
			if slices.Contains(values, v.String()) {
				return true
			}
		}
	}
}

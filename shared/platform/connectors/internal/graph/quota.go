package graph

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"fencepost.internal/shared/platform"
)

// QuotaReport is the number of an account's posts within a period, and their maximum, as Meta reports them.
type QuotaReport struct {
	Used   int `json:"quota_usage"`
	Config struct {
		Total   int   `json:"quota_total"`
		Seconds int64 `json:"quota_duration"`
	} `json:"config"`
}

// Quota reads the number of posts since the given time, which is at most a day ago, from an edge of the account. Zero
// means the whole period.
func (a API) Quota(ctx context.Context, account platform.Account, edge string, since time.Time) (QuotaReport, error) {
	if err := a.Check(account); err != nil {
		return QuotaReport{}, err
	}
	query := url.Values{"fields": {"quota_usage,config"}}
	if !since.IsZero() {
		query.Set("since", strconv.FormatInt(since.Unix(), 10))
	}
	response, err := a.Get(ctx, "quota", account, query, account.ExternalID, edge)
	if err != nil {
		return QuotaReport{}, err
	}
	if !response.OK() {
		return QuotaReport{}, a.Class(response)
	}
	var result struct {
		Data []QuotaReport `json:"data"`
	}
	if err := response.Decode(&result); err != nil || len(result.Data) != 1 || result.Data[0].Config.Total <= 0 {
		return QuotaReport{}, a.Client.Unclear(response, "no publishing quota")
	}
	return result.Data[0], nil
}

// QuotaUsage reads how much of its quota the account has used, from an edge of the account.
func (a API) QuotaUsage(ctx context.Context, account platform.Account, edge string) (platform.QuotaUsage, error) {
	quota, err := a.Quota(ctx, account, edge, time.Time{})
	return platform.QuotaUsage{Used: quota.Used, Max: quota.Config.Total}, err
}

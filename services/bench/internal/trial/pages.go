package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"fencepost.internal/services/bench/internal/bare"
	"fencepost.internal/services/bench/internal/lab"
	"fencepost.internal/services/bench/internal/load"
	"fencepost.internal/services/bench/internal/result"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
)

const (
	pageHandle = "harbour"
	pageBlocks = 12
)

// asBrowser returns headers with which a request counts as a person's visit.
func asBrowser() map[string]string {
	return map[string]string{
		"User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) " +
			"Chrome/142.0.0.0 Safari/537.36",
		"Accept":          "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
		"Accept-Language": "en-GB,en;q=0.9", "Accept-Encoding": "gzip, deflate, br, zstd",
	}
}

// Pages measures how fast a published link page is served, with its visits counted. The ceiling is a bare handler with
// an identical response.
func Pages(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	page, err := publishedPage(ctx, l)
	if err != nil {
		return nil, err
	}
	ours, err := l.Start(ctx, "pages")
	if err != nil {
		return nil, err
	}
	defer ours.Stop()
	call := load.Call{
		Method: http.MethodGet, URL: l.PagesURL + "/" + pageHandle, Want: http.StatusOK, Headers: asBrowser(),
	}
	plain, bareCall, err := barePage(ctx, l, call)
	if err != nil {
		return nil, err
	}
	defer plain.Stop()
	row, err := inTurn(ctx, l, result.Pages, ours, call, bareCall)
	if err != nil {
		return nil, err
	}
	ours.Stop() // also writes the last counts
	views, err := l.Count(ctx, `SELECT coalesce(sum(views), 0) FROM page_view_day WHERE page_id = $1`, page.ID)
	if err != nil {
		return nil, err
	}
	if served := int(row.Value * httpRound.Seconds() * httpRounds); views < served {
		return nil, fmt.Errorf("%d views were counted, want at least %d", views, served)
	}
	return []result.Row{row}, nil
}

// publishedPage publishes a page of some links and texts.
func publishedPage(ctx context.Context, l *lab.Lab) (linkpage.Page, error) {
	tenant, err := l.Tenant(ctx, "Link pages")
	if err != nil {
		return linkpage.Page{}, err
	}
	now := l.Clock.Now().UTC().Truncate(time.Millisecond)
	page, err := linkpage.Create(linkpage.New{
		WorkspaceID: tenant.ID, Handle: pageHandle, Title: "The harbour", Bio: "What it looks like this morning.",
	}, now)
	if err != nil {
		return linkpage.Page{}, err
	}
	for i := range pageBlocks {
		block := linkpage.NewBlock{Type: "LINK", Settings: json.RawMessage(
			fmt.Sprintf(
				`{"title":"Berth %d","url":"https://example.com/berths/%d","description":"Who lies there, and until when."}`, i,
				i))}
		if i%4 == 0 {
			block = linkpage.NewBlock{
				Type:     "TEXT",
				Settings: json.RawMessage(fmt.Sprintf(`{"text":"Pier %d, from the lighthouse to the old crane."}`, i)),
			}
		}
		if page, _, err = page.AddBlock(block, now); err != nil {
			return linkpage.Page{}, err
		}
	}
	store := postgres.NewLinkPages(l.DB)
	if err := store.Insert(ctx, page); err != nil {
		return linkpage.Page{}, err
	}
	return store.Change(ctx, tenant.ID, page.ID,
		func(_ context.Context, p linkpage.Page) (linkpage.Page, error) { return p.Publish(now), nil })
}

// barePage starts the bare handler with the response of the service to the call.
func barePage(ctx context.Context, l *lab.Lab, call load.Call) (*lab.Process, load.Call, error) {
	answer, err := record(ctx, call)
	if err != nil {
		return nil, call, err
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, call, err
	}
	path := filepath.Join(l.Folder, "page.json")
	const mode = 0o600
	if err := os.WriteFile(path, raw, mode); err != nil {
		return nil, call, err
	}
	address, err := lab.FreeAddress(ctx)
	if err != nil {
		return nil, call, err
	}
	l.Say("pages: %d bytes and %d headers", len(answer.Body), len(answer.Header))
	call.URL = "http://" + address + "/" + pageHandle
	plain, err := l.StartSelf(ctx, "bare-page", address, "bare-page", "-address", address, "-file", path)
	return plain, call, err
}

// record makes the call once and returns the response as it was sent.
func record(ctx context.Context, call load.Call) (bare.Answer, error) {
	request, err := http.NewRequestWithContext(ctx, call.Method, call.URL, http.NoBody)
	if err != nil {
		return bare.Answer{}, err
	}
	for name, value := range call.Headers {
		request.Header.Set(name, value)
	}
	got, err := (&http.Client{Timeout: limit, Transport: &http.Transport{DisableCompression: true}}).Do(request)
	if err != nil {
		return bare.Answer{}, err
	}
	defer func() { _ = got.Body.Close() }()
	answer := bare.Answer{Header: map[string]string{}}
	for name := range got.Header {
		if name != "Date" && name != "Content-Length" { // the server writes these itself
			answer.Header[name] = got.Header.Get(name)
		}
	}
	if answer.Body, err = io.ReadAll(got.Body); err != nil {
		return bare.Answer{}, err
	}
	if got.StatusCode != call.Want || got.Header.Get("Content-Encoding") != "br" {
		return bare.Answer{}, fmt.Errorf("the page has status %s and encoding %q", got.Status,
			got.Header.Get("Content-Encoding"))
	}
	return answer, nil
}

// inTurn measures the service and the ceiling, usually a bare handler, in turn.
func inTurn(
	ctx context.Context, l *lab.Lab, name string, process *lab.Process, ours, plain load.Call,
) (result.Row, error) {
	for _, c := range []load.Call{ours, plain} {
		if _, err := load.Run(ctx, l.Clock, c, httpWarmUp); err != nil {
			return result.Row{}, err
		}
	}
	var rates, ceilings []float64
	for range httpRounds {
		wait := l.Profile(ctx, name, profileFor, process)
		rate, err := round(ctx, l, name+": ours", ours)
		wait()
		if err != nil {
			return result.Row{}, err
		}
		ceiling, err := round(ctx, l, name+": ceiling", plain)
		if err != nil {
			return result.Row{}, err
		}
		rates, ceilings = append(rates, rate), append(ceilings, ceiling)
	}
	return result.Against(name, mean(rates...), "requests/s", mean(ceilings...)), nil
}

func round(ctx context.Context, l *lab.Lab, what string, call load.Call) (float64, error) {
	before := l.CPU()
	rate, err := load.Run(ctx, l.Clock, call, httpRound)
	if err == nil {
		l.Say("%s %.0f requests/s, %s", what, rate, l.PerItem(before, int(rate*httpRound.Seconds())))
	}
	return rate, err
}

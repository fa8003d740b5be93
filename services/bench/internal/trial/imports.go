package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"socialpub.internal/services/bench/internal/lab"
	"socialpub.internal/services/bench/internal/result"
)

const (
	importSize = 1 << 30
	sampleRate = 100 * time.Millisecond
)

// Import measures how much more memory the worker takes while it imports a film of 1 GiB, and how fast that goes.
func Import(ctx context.Context, l *lab.Lab) ([]result.Row, error) {
	tenant, err := l.Tenant(ctx, "Films")
	if err != nil {
		return nil, err
	}
	key, err := l.Key(ctx, tenant)
	if err != nil {
		return nil, err
	}
	worker, err := l.Start(ctx, "worker")
	if err != nil {
		return nil, err
	}
	defer worker.Stop()
	api, err := l.Start(ctx, "api")
	if err != nil {
		return nil, err
	}
	defer api.Stop()
	source, err := serveFilm(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = source.Close() }()
	if err := lab.Pause(ctx, settlingTime); err != nil {
		return nil, err
	}
	before, err := worker.RSS()
	if err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	start := l.Clock.Now()
	go func() { ended <- importFilm(ctx, l.APIURL, key, "http://"+source.Addr+"/film.mp4") }()
	peak, err := watch(worker, ended)
	if err != nil {
		return nil, err
	}
	took := l.Clock.Now().Sub(start)
	const megabyte = 1e6
	return []result.Row{
		result.Plain(result.ImportMemory, max(peak-before, 0), "MB"),
		result.Plain("import_rate", importSize/megabyte/took.Seconds(), "MB/s"),
	}, nil
}

// watch reads the most memory that the process has until the end.
func watch(p *lab.Process, ended <-chan error) (peak float64, err error) {
	ticker := time.NewTicker(sampleRate)
	defer ticker.Stop()
	for {
		now, err := p.RSS()
		if err != nil {
			return 0, err
		}
		peak = max(peak, now)
		select {
		case err := <-ended:
			return peak, err
		case <-ticker.C:
		}
	}
}

func importFilm(ctx context.Context, api, key, address string) error {
	body, err := json.Marshal(map[string]string{"url": address})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, api+"/v1/media", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := (&http.Client{Timeout: limit}).Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusCreated {
		return fmt.Errorf("the import was answered %d %s: %w", answer.StatusCode, raw, err)
	}
	return nil
}

// serveFilm serves bytes that begin as a film does, from nowhere.
func serveFilm(ctx context.Context) (*http.Server, error) {
	address, err := lab.FreeAddress(ctx)
	if err != nil {
		return nil, err
	}
	server := &http.Server{Addr: address, ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		head := []byte("\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp42\x00\x00\x00\x00mdat")
		w.Header().Set("Content-Type", "video/mp4")
		w.Header().Set("Content-Length", strconv.Itoa(importSize))
		_, _ = w.Write(head)
		block := make([]byte, 1<<20)
		for left := importSize - len(head); left > 0; left -= len(block) {
			block = block[:min(left, len(block))]
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})}
	listening := make(chan error, 1)
	go func() { listening <- server.ListenAndServe() }()
	return server, lab.Until(ctx, limit, "the source of the film listens", func(ctx context.Context) (bool, error) {
		select {
		case err := <-listening:
			return false, err
		default:
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodHead, "http://"+address+"/", http.NoBody)
		if err != nil {
			return false, err
		}
		answer, err := (&http.Client{Timeout: time.Second}).Do(request)
		if err != nil {
			return false, nil //nolint:nilerr // not yet
		}
		return true, answer.Body.Close()
	})
}

package bootstrap

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres"
)

const countTimeout = 2 * time.Second

// counts are gauges that the database counts on each scrape.
type counts struct {
	of     string // for the log
	log    *slog.Logger
	gauges []*prometheus.Desc
	read   func(context.Context) ([]float64, error) // the values of the gauges
}

func gauge(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }

// PostMetrics registers the counts of scheduled, due and late posts.
func PostMetrics(reg prometheus.Registerer, posts *postgres.Posts, log *slog.Logger) {
	reg.MustRegister(&counts{of: "posts", log: log, gauges: []*prometheus.Desc{
		gauge("posts_scheduled", "Posts that wait to be published."),
		gauge("posts_due", "Scheduled posts that are due and not yet published."),
		gauge("posts_late", "Scheduled posts that have been due for more than a minute, for any reason but a wait for another post."),
	}, read: func(ctx context.Context) ([]float64, error) {
		found, err := posts.Counts(ctx)
		return []float64{float64(found.Scheduled), float64(found.Due), float64(found.Late)}, err
	}})
}

// MailMetrics registers the number of waiting mails and the age of the oldest.
func MailMetrics(reg prometheus.Registerer, mails *postgres.Mails, log *slog.Logger) {
	reg.MustRegister(&counts{of: "mails", log: log, gauges: []*prometheus.Desc{
		gauge("mails_waiting", "Mails that are not sent yet."),
		gauge("mails_oldest_seconds", "How long the oldest of them has been waiting."),
	}, read: func(ctx context.Context) ([]float64, error) {
		count, oldest, err := mails.Waiting(ctx)
		return []float64{float64(count), oldest.Seconds()}, err
	}})
}

// InboundMetrics registers the number of events of networks that wait to be read, the age of the oldest that is due, and the delay
// of polls.
func InboundMetrics(reg prometheus.Registerer, inbound *postgres.Inbound, polls *postgres.InboxPolls, log *slog.Logger) {
	reg.MustRegister(&counts{of: "events of networks", log: log, gauges: []*prometheus.Desc{
		gauge("inbound_events_waiting", "Events of networks that wait to be read."),
		gauge("inbound_oldest_seconds", "How long the oldest due one has been waiting."),
	}, read: func(ctx context.Context) ([]float64, error) {
		count, oldest, err := inbound.Waiting(ctx)
		return []float64{float64(count), oldest.Seconds()}, err
	}})
	reg.MustRegister(&counts{of: "polls of networks", log: log, gauges: []*prometheus.Desc{
		gauge("inbox_poll_late_seconds", "How long the oldest due poll has been waiting for its call."),
	}, read: func(ctx context.Context) ([]float64, error) {
		late, err := polls.Late(ctx)
		return []float64{late.Seconds()}, err
	}})
}

// Describe lists the metrics.
func (c *counts) Describe(out chan<- *prometheus.Desc) {
	for _, one := range c.gauges {
		out <- one
	}
}

// Collect queries the database.
func (c *counts) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	values, err := c.read(ctx)
	if err != nil {
		c.log.WarnContext(ctx, "counting for metrics failed", slog.String("of", c.of), slog.Any("error", err))
		return
	}
	for i, one := range c.gauges {
		out <- prometheus.MustNewConstMetric(one, prometheus.GaugeValue, values[i])
	}
}

// health is a gauge by network that the database decides on each scrape.
type health struct {
	gauge *prometheus.Desc
	log   *slog.Logger
	read  func(context.Context) (map[channel.Network]bool, error)
}

// SourceMetrics registers whether networks report the conversations of all accounts.
func SourceMetrics(reg prometheus.Registerer, sources *postgres.InboundSources, log *slog.Logger) {
	reg.MustRegister(&health{log: log, read: sources.Healthy, gauge: prometheus.NewDesc("inbound_source_healthy",
		"1 if the network reports the conversations of all accounts, or returns them when it is asked.", []string{"network"}, nil)})
}

// Describe lists the metric.
func (h *health) Describe(out chan<- *prometheus.Desc) { out <- h.gauge }

// Collect queries the database.
func (h *health) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	healthy, err := h.read(ctx)
	if err != nil {
		h.log.WarnContext(ctx, "the accounts of the inbox are not counted for metrics", slog.Any("error", err))
	}
	for network, is := range healthy {
		value := 0.0
		if is {
			value = 1
		}
		out <- prometheus.MustNewConstMetric(h.gauge, prometheus.GaugeValue, value, string(network))
	}
}

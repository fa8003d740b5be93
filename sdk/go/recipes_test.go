package fencepost_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"time"

	fencepost "fencepost.internal/sdk/go"
)

// The functions below are the recipes of README.md; readme_test.go compares and runs them.

func schedule(ctx context.Context, client *fencepost.Client, channel string) (*fencepost.Post, error) {
	at, err := fencepost.At("2026-12-01 09:00", "Europe/Berlin")
	if err != nil {
		return nil, err
	}
	posts, err := client.Posts.Create(ctx, fencepost.CreatePostsRequest{
		ChannelIDs: []string{channel}, Content: "Our spring collection is here.", Schedule: at,
	})
	if err != nil {
		return nil, err
	}
	return &posts[0], nil // one post for each channel
}

func publishPicture(ctx context.Context, client *fencepost.Client, channel, path string) (*fencepost.Post, error) {
	picture, err := client.Media.UploadFile(ctx, path, fencepost.UploadOptions{
		Alt:        "Sunrise over the sea",
		OnProgress: func(sent, total int64) { log.Printf("%d of %d bytes", sent, total) },
	})
	if err != nil {
		return nil, err
	}
	posts, err := client.Posts.Create(ctx, fencepost.CreatePostsRequest{
		ChannelIDs: []string{channel}, Content: "Good morning", MediaIDs: []string{picture.ID}, Schedule: "now",
	})
	if err != nil {
		return nil, err
	}
	return client.Posts.WaitUntilDone(ctx, posts[0].ID, 5*time.Minute)
}

func scheduleVariants(ctx context.Context, client *fencepost.Client, telegram, linkedin string) ([]fencepost.Post, error) {
	at, err := fencepost.At("2026-12-01 09:00", "Europe/Berlin")
	if err != nil {
		return nil, err
	}
	return client.Posts.Create(ctx, fencepost.CreatePostsRequest{
		Variants: []fencepost.Variant{
			{ChannelID: telegram, Content: "New tiles!"},
			{ChannelID: linkedin, Content: "We made new tiles. Read how."},
		},
		Schedule: at,
	})
}

func nextSlot(ctx context.Context, client *fencepost.Client, channel string) ([]fencepost.Post, error) {
	return client.Posts.Create(ctx, fencepost.CreatePostsRequest{
		ChannelIDs: []string{channel}, Content: "See you soon.", Schedule: "next_slot",
	})
}

func approve(ctx context.Context, client *fencepost.Client, channel string) (*fencepost.Post, error) {
	drafts, err := client.Posts.Create(ctx, fencepost.CreatePostsRequest{
		ChannelIDs: []string{channel}, Content: "For your approval",
	})
	if err != nil {
		return nil, err
	}
	pending, err := client.Posts.RequestApproval(ctx, drafts[0].ID)
	if err != nil {
		return nil, err
	}
	return client.Posts.Approve(ctx, pending.ID, fencepost.DecisionRequest{Comment: "Looks good."})
}

func retryFailed(ctx context.Context, client *fencepost.Client) (retried []string, err error) {
	failed := fencepost.ListPostsParams{Status: []fencepost.PostStatus{fencepost.PostStatusFailed}}
	for post, err := range client.Posts.List(ctx, failed) {
		if err != nil {
			return retried, err
		}
		if !post.Error.Retryable {
			fmt.Println(post.ID, post.Error.Message)
			continue
		}
		if _, err := client.Posts.Publish(ctx, post.ID); err != nil {
			return retried, err
		}
		retried = append(retried, post.ID)
	}
	return retried, nil
}

func move(ctx context.Context, client *fencepost.Client, post string) (*fencepost.Post, error) {
	at, err := fencepost.At("2026-12-02 10:00", "Europe/Berlin")
	if err != nil {
		return nil, err
	}
	moved, err := client.Posts.Schedule(ctx, post, fencepost.SchedulePostRequest{ScheduledAt: at})
	var failed *fencepost.Error
	if errors.As(err, &failed) && failed.Code == fencepost.ProblemCodeInvalidState {
		return nil, fmt.Errorf("the post is already %s", failed.CurrentStatus)
	}
	return moved, err
}

func register(ctx context.Context, client *fencepost.Client) (secret string, err error) {
	webhook, err := client.Webhooks.Create(ctx, fencepost.CreateWebhookRequest{
		URL:    "https://hooks.example.com/social",
		Events: []fencepost.EventType{fencepost.EventTypePostPublished, fencepost.EventTypePostFailed},
	})
	if err != nil {
		return "", err
	}
	return webhook.Secret, nil // returned once: store it
}

func receiver(secret string, handle func(*fencepost.Event)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			return
		}
		event, err := fencepost.VerifyWebhook(r.Header, body, secret)
		if err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handle(event) // deduplicate by event.ID
		w.WriteHeader(http.StatusNoContent)
	}
}

func follow(ctx context.Context, client *fencepost.Client, cursor string, store func(cursor string)) error {
	for followed, err := range client.Events.Follow(ctx, cursor) {
		if err != nil {
			return err // the end of ctx, or a fault that waiting does not remove
		}
		event, err := followed.Event.Decode()
		if err != nil {
			return err
		}
		switch event := event.(type) {
		case fencepost.PostPublishedEvent:
			fmt.Println(event.Data.PostID, "is published")
		case fencepost.PostFailedEvent:
			fmt.Println(event.Data.PostID, event.Data.Error.Message)
		}
		store(followed.Cursor) // after the work, so that a crash repeats rather than skips
	}
	return nil
}

func figures(ctx context.Context, client *fencepost.Client, post string) (*fencepost.PostDay, error) {
	analytics, err := client.Analytics.GetPost(ctx, post, fencepost.GetPostAnalyticsParams{})
	if err != nil {
		return nil, err
	}
	return analytics.Latest, nil // nil before the first figures; a figure that the network does not report is nil
}

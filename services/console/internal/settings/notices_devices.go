package settings

import (
	"net/http"
	"strconv"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/mail"
)

// hour is an hour of the day in a list.
type hour struct {
	Value    int
	Text     string
	Selected bool
}

func hoursOfDay(chosen int) []hour {
	const day = 24
	list := make([]hour, day)
	for i := range list {
		list[i] = hour{i, clockOf(i * 60), i == chosen} //nolint:mnd // minutes of an hour
	}
	return list
}

// hourOf reads an hour. A text that is no number is no hour either.
func hourOf(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// connecting is a chat on Telegram that is being connected.
type connecting struct{ Code, Address string }

// startTelegram shows where the visitor starts the bot.
func (s *settings) startTelegram(v *frame.Visit) error {
	page := noticesPage{Shared: v.Form("shared") != ""}
	code, address, err := s.app.StartTelegram(v.Request.Context(), v.Principal, page.Shared)
	if err != nil {
		return s.doneNotices(v, err, page, "")
	}
	page.Telegram = connecting{code, address}
	return s.noticesPage(v, http.StatusOK, page)
}

// finishTelegram adds the chat in which the visitor has started the bot.
func (s *settings) finishTelegram(v *frame.Visit) error {
	ctx, page := v.Request.Context(), noticesPage{Shared: v.Form("shared") != ""}
	err := s.app.FinishTelegram(ctx, v.Principal, v.Form("code"), page.Shared)
	if _, ok := frame.Faults(err); ok {
		if address, known := s.app.TelegramAddress(ctx, v.Form("code"), page.Shared); known == nil {
			page.Telegram = connecting{v.Form("code"), address}
		}
	}
	return s.doneNotices(v, err, page, "Telegram connected. Send a test to see that it arrives.")
}

// addDevice adds the browser that sends the form.
func (s *settings) addDevice(v *frame.Visit) error {
	err := s.app.AddDevice(v.Request.Context(), v.Principal, v.Form("name"), mail.Subscription{
		Endpoint: v.Form("endpoint"), Key: v.Form("key"), Auth: v.Form("auth"),
	})
	return s.doneNotices(v, err, noticesPage{}, "This device gets notifications now. Send a test to see that it arrives.")
}

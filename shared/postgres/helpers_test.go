package postgres_test

import (
	"github.com/google/uuid"

	"socialpub.internal/shared/postgres"
)

func intent(n int, handle string) postgres.Intent {
	return postgres.Intent{N: n, Handle: handle, Marker: "m", Owner: uuid.New()}
}

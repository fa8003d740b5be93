package app

import (
	"context"
	"strings"

	"fencepost.internal/services/internal/authn"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/kernel/apperr"
)

// CheckSecondFactor checks a code of the authenticator app, or a recovery code, and uses it up. It returns the kind of
// code, and the number of recovery codes that are left. Errors: VALIDATION_FAILED for a code that is wrong or used,
// RATE_LIMITED after too many.
func (s *Security) CheckSecondFactor(ctx context.Context, u user.User, code string) (user.Method, int, error) {
	hash, recovery := user.HashRecoveryCode(code)
	if !recovery {
		return user.Code, 0, s.checkCode(ctx, u, code, true)
	}
	if err := s.mayGuess(ctx, u); err != nil {
		return "", 0, err
	}
	remaining := 0
	err := s.db.WithinTx(ctx, func(ctx context.Context) error {
		used, err := s.factors.UseRecoveryCode(ctx, u.ID, hash, s.clock.Now())
		if err != nil {
			return err
		}
		if !used {
			return wrongCode("The recovery code is incorrect or was used.")
		}
		if remaining, err = s.factors.RecoveryCodes(ctx, u.ID); err != nil {
			return err
		}
		return s.record(ctx, u, audit.RecoveryCodeUsed, "")
	})
	return user.RecoveryCode, remaining, err
}

func wrongCode(message string) error {
	return apperr.Invalid([]apperr.Field{{Pointer: "/code", Message: message}})
}

// mayGuess takes a guess from the person's limit.
func (s *Security) mayGuess(ctx context.Context, u user.User) error {
	if s.limiter.Take(ctx, "second-factor:"+u.ID.String(), guesses()).Allowed {
		return nil
	}
	return apperr.New(apperr.RateLimited, "Too many attempts. Wait a minute, then try again.")
}

// checkCode checks a code of the authenticator app and uses its time step up. On selects the app that is on, or
// the one that waits for its first code, which is no second factor yet.
func (s *Security) checkCode(ctx context.Context, u user.User, code string, on bool) error {
	if err := s.mayGuess(ctx, u); err != nil {
		return err
	}
	found, err := s.factors.TOTP(ctx, u.ID)
	if apperr.Is(err, apperr.NotFound) || err == nil && found.ConfirmedAt.IsZero() == on {
		return wrongCode("The code is incorrect.")
	}
	if err != nil {
		return err
	}
	if found.Locked() {
		return wrongCode("Codes of the app are locked after too many wrong ones. Use a recovery code or a passkey.")
	}
	step, right := authn.CodeStep(found.Secret, strings.TrimSpace(code), s.clock.Now())
	if !right {
		if err := s.factors.CountFailure(ctx, u.ID); err != nil {
			return err
		}
		return wrongCode("The code is incorrect.")
	}
	accepted := found.Accepts(step)
	if accepted {
		accepted, err = s.factors.UseStep(ctx, u.ID, step)
	}
	if err == nil && !accepted {
		err = wrongCode("The code was used. Wait for the next one.")
	}
	return err
}

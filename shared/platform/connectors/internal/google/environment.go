package google

import "fencepost.internal/shared/infra/config"

// Environment identifies the service to Google. All networks of Google share it.
type Environment struct {
	TokenURL     string        `env:"GOOGLE_TOKEN_URL" envDefault:"https://oauth2.googleapis.com/token" format:"http-url" desc:"Address at which Google exchanges refresh tokens." example:"http://127.0.0.1:8090/googlebusiness/token"`
	ClientID     string        `env:"GOOGLE_CLIENT_ID" desc:"Client id of the application registered at Google." example:"1234-abc.apps.googleusercontent.com"`
	ClientSecret config.Secret `env:"GOOGLE_CLIENT_SECRET" desc:"Client secret of the application registered at Google." example:"from the cloud console"`
}

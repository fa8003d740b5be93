package httpapi_test
import ("testing";"os";"socialpub.internal/services/api/internal/httpapi")
func TestZZ(t *testing.T){ b,err:=httpapi.OpenAPI(); if err!=nil{t.Fatal(err)}; os.WriteFile("/tmp/gen/openapi.yaml",b,0o644)}

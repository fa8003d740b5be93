package player

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
)

// Player arms cases and reports on their runs.
//
//	POST /_case/NAME        arms a case: {"run": "1", "baseUrl": "http://127.0.0.1:40000"}
//	POST /_run/ID/wait      the SDK waits before another try; ends a refusal of connections
//	GET  /_run/ID/report    {"ok", "failures", "requests"}, and ends the run
type Player struct {
	cases map[string]Case

	mu   sync.Mutex
	runs map[string]*run
}

// New returns a player of the table's cases.
func New(table Table) *Player {
	p := &Player{cases: map[string]Case{}, runs: map[string]*run{}}
	for _, c := range table.Cases {
		p.cases[c.Name] = c
	}
	return p
}

// Handler serves the control of the player.
func (p *Player) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /_case/{name}", p.arm)
	mux.HandleFunc("POST /_run/{id}/wait", p.wait)
	mux.HandleFunc("GET /_run/{id}/report", p.report)
	return mux
}

func (p *Player) arm(w http.ResponseWriter, r *http.Request) {
	c, ok := p.cases[r.PathValue("name")]
	if !ok {
		http.Error(w, "no such case", http.StatusNotFound)
		return
	}
	run, err := start(r.Context(), c.Exchanges)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	id := strconv.Itoa(len(p.runs) + 1)
	p.runs[id] = run
	respond(w, map[string]string{"run": id, "baseUrl": "http://" + run.address})
}

func (p *Player) run(w http.ResponseWriter, r *http.Request) (*run, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	run, ok := p.runs[r.PathValue("id")]
	if !ok {
		http.Error(w, "no such run", http.StatusNotFound)
		return nil, false
	}
	return run, true
}

func (p *Player) wait(w http.ResponseWriter, r *http.Request) {
	run, ok := p.run(w, r)
	if !ok {
		return
	}
	if err := run.waited(r.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	respond(w, struct{}{})
}

func (p *Player) report(w http.ResponseWriter, r *http.Request) {
	if run, ok := p.run(w, r); ok {
		respond(w, run.report())
		run.close()
	}
}

func respond(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // the runner fails without it
}

package render

// data returns the page's structured data for machines, as JSON-LD (schema.org). The template writes it as JSON within
// a script element, where every character that could end the element is escaped.
func data(v pageView) any {
	about := map[string]any{"@type": "Organization", "name": v.Title, "url": v.Head.URL}
	if v.Head.Description != "" {
		about["description"] = v.Head.Description
	}
	if v.Head.Image != "" {
		about["image"] = v.Head.Image
	}
	graph := []any{map[string]any{"@type": "ProfilePage", "name": v.Head.Title, "url": v.Head.URL, "mainEntity": about}}
	var questions []any
	for _, b := range v.Blocks {
		for _, item := range b.S.Traits().Questions {
			questions = append(questions, map[string]any{
				"@type": "Question", "name": item.Question,
				"acceptedAnswer": map[string]any{"@type": "Answer", "text": item.Answer},
			})
		}
	}
	if len(questions) > 0 {
		graph = append(graph, map[string]any{"@type": "FAQPage", "mainEntity": questions})
	}
	return map[string]any{"@context": "https://schema.org", "@graph": graph}
}

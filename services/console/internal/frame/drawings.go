package frame

import "html/template"

// Icon returns an icon for the templates of a package without a feature, as the function icon of every page does.
func Icon(name string) (template.HTML, error) { return icon(name) }

// Mark returns the mark of a network, as the function mark of every page does.
func Mark(network any) template.HTML { return mark(network) }

// Initial returns the letter that replaces a missing picture of an account.
func Initial(name string) string { return initial(name) }

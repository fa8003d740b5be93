package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Names looks up the records of domains. A net.Resolver implements it.
type Names interface {
	LookupCNAME(ctx context.Context, host string) (string, error)
	LookupHost(ctx context.Context, host string) ([]string, error)
	LookupTXT(ctx context.Context, host string) ([]string, error)
}

// lookupTimeout bounds the lookups of one domain.
const lookupTimeout = 6 * time.Second

// PagesHost returns the name to which domains of link pages have to lead; empty if the address of link pages has no name that
// others can reach.
func (a *pageUseCases) PagesHost() string {
	parsed, err := url.Parse(a.pagesURL)
	if err != nil || net.ParseIP(parsed.Hostname()) != nil || !strings.Contains(parsed.Hostname(), ".") ||
		strings.HasSuffix(parsed.Hostname(), ".localhost") {
		return ""
	}
	return parsed.Hostname()
}

// LinkDomain returns the domain of a page; NOT_FOUND if it has none.
func (a *pageUseCases) LinkDomain(ctx context.Context, p Principal, id ident.LinkPage) (linkpage.Domain, error) {
	return a.domains.Get(ctx, p.WorkspaceID, id)
}

// ClaimLinkDomain gives a page a domain, instead of the one that it has. Visitors get the page there once a check has verified
// it. Errors: NOT_FOUND; VALIDATION_FAILED for text that is no domain; INVALID_STATE where link pages have no public address.
func (a *pageUseCases) ClaimLinkDomain(ctx context.Context, p Principal, id ident.LinkPage, host string) error {
	if err := a.mayChangeDomain(ctx, p, id); err != nil {
		return err
	}
	own := a.PagesHost()
	if own == "" {
		return apperr.New(apperr.InvalidState, "Link pages of this installation have no public address. Ask the operator to set PAGES_URL.")
	}
	host, err := linkpage.ReadHost(host, own)
	if err != nil {
		return err
	}
	return a.domains.Claim(ctx, linkpage.Domain{PageID: id, WorkspaceID: p.WorkspaceID, Host: host, CreatedAt: a.now()})
}

// RemoveLinkDomain removes the domain of a page. Visitors no longer get the page there. Error: NOT_FOUND.
func (a *pageUseCases) RemoveLinkDomain(ctx context.Context, p Principal, id ident.LinkPage) error {
	if err := a.mayChangeDomain(ctx, p, id); err != nil {
		return err
	}
	return a.domains.Remove(ctx, id)
}

func (a *pageUseCases) mayChangeDomain(ctx context.Context, p Principal, id ident.LinkPage) error {
	if err := p.Require(credential.LinksWrite); err != nil {
		return err
	}
	_, err := a.LinkPage(ctx, p, id)
	return err
}

// CheckLinkDomain looks up the records of a page's domain now. What it finds is in the result. Errors: NOT_FOUND, and UNAVAILABLE
// if the records cannot be read.
func (a *pageUseCases) CheckLinkDomain(ctx context.Context, p Principal, id ident.LinkPage) (linkpage.Domain, error) {
	if err := p.Require(credential.LinksWrite); err != nil {
		return linkpage.Domain{}, err
	}
	d, err := a.LinkDomain(ctx, p, id)
	if err != nil {
		return d, err
	}
	return a.checkDomain(ctx, d)
}

// CheckLinkDomains looks up the records of the domains that are due, of every workspace. A domain that no longer leads here is
// no longer shown; one whose records cannot be read stays as it is.
func (a *pageUseCases) CheckLinkDomains(ctx context.Context) error {
	const most, lookups = 500, 8
	now := a.now()
	due, err := a.domains.Due(ctx, now, now.Add(linkpage.RecheckClaimed), most)
	failed := make([]error, len(due))
	var group errgroup.Group
	group.SetLimit(lookups)
	for i, d := range due {
		group.Go(func() error {
			if _, err := a.checkDomain(ctx, d); !apperr.Is(err, apperr.Unavailable) {
				failed[i] = err
			}
			return nil
		})
	}
	return errors.Join(err, group.Wait(), errors.Join(failed...))
}

func (a *pageUseCases) checkDomain(ctx context.Context, d linkpage.Domain) (linkpage.Domain, error) {
	fault, err := a.domainFault(ctx, d)
	if err != nil {
		return d, apperr.Wrap(err, apperr.Unavailable, "The records of %s cannot be read right now. Try again in a few minutes.", d.Host)
	}
	d = d.Checked(fault, a.now())
	err = a.domains.Checked(ctx, d)
	if errors.Is(err, postgres.ErrNameInUse) {
		d = d.Checked("Another page shows this domain. Remove it there first.", a.now())
		err = a.domains.Checked(ctx, d)
	}
	return d, err
}

// domainFault returns what the records of a domain say instead of what they should; empty if they are right. An error means
// that they could not be read.
func (a *pageUseCases) domainFault(ctx context.Context, d linkpage.Domain) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	if fault, err := a.wrongTarget(ctx, d.Host); fault != "" || err != nil {
		return fault, err
	}
	found, err := a.names.LookupTXT(ctx, d.ProofHost())
	switch {
	case noRecord(err):
		return "There is no TXT record " + d.ProofHost() + " yet.", nil
	case err != nil:
		return "", err
	case slices.Contains(found, d.Proof()):
		return "", nil
	case len(found) == 0:
		return "There is no TXT record " + d.ProofHost() + " yet.", nil
	}
	return fmt.Sprintf("The TXT record %s is %.80q, not %q.", d.ProofHost(), found[0], d.Proof()), nil
}

// wrongTarget returns where a domain leads instead of the host of link pages; empty if it leads there.
func (a *pageUseCases) wrongTarget(ctx context.Context, host string) (string, error) {
	target := a.PagesHost()
	name, err := a.names.LookupCNAME(ctx, host)
	switch {
	case noRecord(err):
		return "There is no record for " + host + " yet.", nil
	case err != nil:
		return "", err
	}
	if name = plainName(name); name == target {
		return "", nil
	}
	addresses, err := a.names.LookupHost(ctx, host)
	if err != nil && !noRecord(err) {
		return "", err
	}
	ours, err := a.names.LookupHost(ctx, target)
	if err != nil {
		return "", err
	}
	foreign := slices.DeleteFunc(slices.Clone(addresses), func(address string) bool { return slices.Contains(ours, address) })
	switch {
	case len(addresses) > 0 && len(foreign) == 0: // a name that leads there by its addresses, or by further names
		return "", nil
	case name != host && name != "":
		return host + " leads to " + name + ", not to " + target + ".", nil
	case len(foreign) == 0:
		return host + " has no address.", nil
	}
	return host + " leads to " + strings.Join(foreign[:min(len(foreign), 3)], ", ") + ", not to " + target + ".", nil //nolint:mnd // enough to recognize them
}

func plainName(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// noRecord reports whether a lookup found that there is no such record.
func noRecord(err error) bool {
	refused, ok := errors.AsType[*net.DNSError](err)
	return ok && refused.IsNotFound
}

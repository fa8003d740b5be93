package cli

import (
	"context"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/lead"
)

func (a *app) leads() *cobra.Command {
	return group("lead", "Add leads, list them, and move them to other stages",
		`A lead is a potential customer. The API cannot read leads; webhooks report them with the events lead.created and
lead.stage_changed. JSON output has the form of these events.`,
		a.leadAdd(), a.leadList(), a.leadStage())
}

const leadAddExample = `  admin lead add --workspace WORKSPACE_ID --name "Mara Lindqvist"

  admin lead add --workspace WORKSPACE_ID --name "Mara Lindqvist" --handle mara.builds --platform INSTAGRAM \
    --profile-url https://www.instagram.com/mara.builds --interest "Asked for prices of the wall tiles" \
    --temperature WARM --value 1200.50 --currency EUR --follow-up-at 2027-03-04T09:00:00+01:00 \
    --contact-email mara@example.com`

func (a *app) leadAdd() *cobra.Command {
	var in operator.NewLead
	cmd := &cobra.Command{
		Use: "add", Short: "Add a lead to a workspace", Example: leadAddExample, Args: cobra.NoArgs,
		Long: "add creates a lead, as if entered by hand, and emits the event lead.created.",
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			l, err := op.AddLead(ctx, in)
			if err != nil {
				return err
			}
			return a.show(l.Object(), func() error { return a.print("Lead %s added: %s, %s.\n", l.ID, l.Name, l.Stage) })
		}),
	}
	flags := ordered(cmd)
	workspaceFlag(cmd, &in.Workspace)
	flags.StringVar(&in.Name, operator.MemberName, "", "`NAME` of the person, 1 to 200 characters (required)")
	flags.StringVar(&in.Handle, "handle", "", "`NAME` of the account on its platform")
	flags.StringVar(&in.ProfileURL, "profile-url", "", "`URL` of the profile")
	flags.StringVar((*string)(&in.Platform), "platform", "", "`PLATFORM` of the profile, such as INSTAGRAM")
	flags.StringVar((*string)(&in.Source), "source", "", "`SOURCE` of the lead (default MANUAL)")
	flags.StringVar((*string)(&in.Temperature), "temperature", "", "likelihood of a purchase: COLD, WARM or HOT `DEGREE`")
	flags.StringVar(&in.Interest, "interest", "", "`TEXT` about what the lead is interested in, up to 2,000 characters")
	flags.StringVar((*string)(&in.Stage), operator.MemberStage, "", "initial `STAGE` (default NEW)")
	flags.StringVar(&in.Value, "value", "",
		"estimated value of the deal, an `AMOUNT` such as 1200.50; requires --currency")
	flags.StringVar(&in.Currency, "currency", "", "currency `CODE` of the value, such as EUR")
	flags.StringVar(&in.FollowUpAt, operator.MemberFollowUpAt, "", "`TIME` to follow up, with an offset (RFC 3339)")
	flags.StringVar(&in.ContactEmail, "contact-email", "", "email `ADDRESS`")
	flags.StringVar(&in.ContactPhone, "contact-phone", "", "phone `NUMBER`")
	flags.StringVar(&in.LostReason, operator.MemberLostReason, "", "reason why a LOST lead was lost, a `TEXT`")
	flags.StringVar(&in.PersonID, operator.MemberPersonID, "", "`ID` of the person in the workspace")
	complete(cmd, "platform", lead.Platforms())
	complete(cmd, "source", lead.Sources())
	complete(cmd, "temperature", lead.Temperatures())
	complete(cmd, operator.MemberStage, lead.Stages())
	return cmd
}

func (a *app) leadList() *cobra.Command {
	var workspaceID, stage string
	var limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List a workspace's leads, newest first",
		Long: "list prints the leads of a workspace, newest first.",
		Example: `  admin lead list --workspace WORKSPACE_ID

  admin lead list --workspace WORKSPACE_ID --stage QUALIFIED --json`,
		Args: cobra.NoArgs,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			found, err := op.Leads(ctx, workspaceID, stage, limit)
			if err != nil {
				return err
			}
			return a.show(convert(found, lead.Lead.Object), func() error { return a.leadTable(found) })
		}),
	}
	flags := ordered(cmd)
	workspaceFlag(cmd, &workspaceID)
	flags.StringVar(&stage, operator.MemberStage, "", "only leads in this `STAGE`")
	const usual = 100
	flags.IntVar(&limit, operator.MemberLimit, usual, "at most this many, up to 1000: `N`")
	complete(cmd, operator.MemberStage, lead.Stages())
	return cmd
}

func (a *app) leadTable(leads []lead.Lead) error {
	rows := convert(leads, func(l lead.Lead) []string {
		return []string{
			l.ID.String(), string(l.Stage), l.Name, l.Handle, string(l.Platform), string(l.Temperature), string(l.Source),
			at(l.FollowUpAt, ""), at(l.CreatedAt, ""),
		}
	})
	return a.list([]string{"ID", "STAGE", "NAME", "HANDLE", "PLATFORM", "TEMPERATURE", "SOURCE", "FOLLOW UP", "CREATED"},
		rows,
		"There are no such leads. Add one with: admin lead add")
}

func (a *app) leadStage() *cobra.Command {
	var workspaceID, lostReason string
	cmd := &cobra.Command{
		Use: "stage LEAD_ID STAGE", Short: "Move a lead to another stage",
		Long: `stage moves a lead to a stage: ` + join(lead.Stages()) + `. It emits the event
lead.stage_changed, unless the lead is already at the stage. A reason is valid only at the stage LOST and is deleted when the
lead leaves it.`,
		Example: `  admin lead stage --workspace WORKSPACE_ID LEAD_ID CONTACTED

  admin lead stage --workspace WORKSPACE_ID LEAD_ID LOST --lost-reason "Chose another supplier"`,
		Args: exactly(operator.MemberLeadID, operator.MemberNewStage),
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, args []string) error {
			l, moved, err := op.MoveLead(ctx, workspaceID, args[0], args[1], lostReason)
			if err != nil {
				return err
			}
			return a.show(l.Object(), func() error {
				if !moved {
					return a.print("Lead %s (%s) was already %s.\n", l.ID, l.Name, l.Stage)
				}
				return a.print("Lead %s (%s) is %s.\n", l.ID, l.Name, l.Stage)
			})
		}),
	}
	flags := ordered(cmd)
	workspaceFlag(cmd, &workspaceID)
	flags.StringVar(&lostReason, operator.MemberLostReason, "",
		"reason why the lead was lost, a `TEXT`; only for the stage LOST")
	return cmd
}

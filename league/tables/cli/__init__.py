"""The commands of live tables."""

from league.cli.entry import LOG, CliPart, CommandEntry

CLI = CliPart(
    {
        "verify-deal": CommandEntry(
            LOG, "Check the deal of a finished hand, without a database.", "tables.cli.verify_deal:verify_deal"
        )
    }
)

"""The commands of live tables."""

from league.cli.entry import LOG, CliPart, Entry

CLI = CliPart(
    {
        "verify-deal": Entry(
            LOG, "Check the deal of a finished hand, without a database.", "tables.cli.verify_deal:verify_deal"
        )
    }
)

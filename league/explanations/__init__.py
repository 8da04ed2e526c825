"""Why a number of the league is what it is: its terms, the rules and facts behind them, and the underlying events."""

"""Languages in which kr speaks with other programs: text over kr.Engine."""

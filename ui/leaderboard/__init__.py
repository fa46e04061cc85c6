"""The page of the leaderboard."""

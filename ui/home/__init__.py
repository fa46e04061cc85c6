"""What Home shows beside the recent runs."""

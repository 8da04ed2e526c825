"""Requests for reviews, their rows, and the job that reviews a hand."""

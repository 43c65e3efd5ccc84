"""Matches of engines that go on without the page."""

"""Adapters for agent frameworks. Each module imports its framework only when it is used."""

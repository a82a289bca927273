"""Runs a command only if the service allows it."""

import subprocess

from safeconduct import ActionDenied, Safeconduct

sc = Safeconduct()  # SAFECONDUCT_URL, SAFECONDUCT_API_KEY, SAFECONDUCT_AGENT_ID


def run(command: str) -> None:
    """Ask, then run."""
    try:
        output = sc.guard(
            lambda: subprocess.check_output(command.split(), text=True),
            policy="system.command.execute.v1",
            context={"command": command},
        )
        print("allowed:", output.strip())
    except ActionDenied as denied:
        print("denied:", denied.code)


run("echo hello")
run("reboot")

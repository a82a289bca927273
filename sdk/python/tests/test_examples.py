"""Runs every program of examples/python against the service of test_service.py."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

from safeconduct import Safeconduct

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "python"


@unittest.skipUnless(os.environ.get("SAFECONDUCT_URL"), "no SAFECONDUCT_URL: sdk/test sets it")
class ExamplesTest(unittest.TestCase):
    """Each prints one allow and one deny."""

    def test_examples(self) -> None:
        with Safeconduct(timeout=20) as client:
            agent = client.issue(
                {
                    "name": "Examples",
                    "description": "An agent of the examples.",
                    "capabilities": [{"id": "system.command.execute"}],
                    "limits": {"system.command.execute": {"allowed_commands": ["echo"]}},
                }
            )
        programs = sorted(FOLDER.glob("*.py"))
        self.assertTrue(programs)
        for program in programs:
            with self.subTest(program.name):
                self.assertLessEqual(len(program.read_text("utf-8").splitlines()), 32)
                run = subprocess.run(
                    [sys.executable, str(program)],
                    env={**os.environ, "SAFECONDUCT_AGENT_ID": agent["agent_id"]},
                    stdout=subprocess.PIPE,
                    timeout=60,
                    check=True,
                )
                first, second = run.stdout.decode().splitlines()
                self.assertRegex(first, "^allowed: hello$")
                self.assertRegex(second, r"^denied: .*oap\.\w+")


if __name__ == "__main__":
    unittest.main()

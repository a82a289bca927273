"""The built wheel and source archive."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


class PackageTest(unittest.TestCase):
    """What is packed is what is needed."""

    def build(self, kind: str, source: Path = HERE) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            code = f"import build_backend; print(build_backend.build_{kind}({folder!r}))"
            made = subprocess.check_output([sys.executable, "-c", code], cwd=source).decode().strip()
            return (Path(folder) / made).read_bytes()

    def test_wheel(self) -> None:
        first, second = self.build("wheel"), self.build("wheel")
        self.assertEqual(first, second)
        with tempfile.NamedTemporaryFile() as file:
            file.write(first)
            file.flush()
            with zipfile.ZipFile(file.name) as wheel:
                names = set(wheel.namelist())
                metadata = next(n for n in names if n.endswith("/METADATA"))
                self.assertNotIn(b"Requires-Dist", wheel.read(metadata))
            self.assertLessEqual({"safeconduct/py.typed", "safeconduct/contexts.py"}, names)
            self.assertFalse([n for n in names if "test" in n or "pycache" in n])
            code = (
                f"import sys; sys.path[:0] = [{file.name!r}]; import safeconduct, safeconduct.contexts as c; "
                "assert 'zip' in str(type(safeconduct.__loader__)); "
                "assert 'command' in c.SystemCommandExecuteV1Context.__required_keys__"
            )
            subprocess.run([sys.executable, "-I", "-c", code], check=True)

    def test_source_archive(self) -> None:
        first = self.build("sdist")
        self.assertEqual(first, self.build("sdist"))
        with tempfile.NamedTemporaryFile() as file:
            file.write(first)
            file.flush()
            with tarfile.open(file.name) as archive:
                places = {name.partition("/")[2] for name in archive.getnames()}
                with tempfile.TemporaryDirectory() as folder:
                    archive.extractall(folder)
                    unpacked = next(Path(folder).iterdir())
                    self.assertEqual(self.build("wheel"), self.build("wheel", unpacked))
        self.assertLessEqual({"pyproject.toml", "PKG-INFO", "src/safeconduct/contexts.py"}, places)


if __name__ == "__main__":
    unittest.main()

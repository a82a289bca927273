"""Builds the wheel and the source archive (PEP 517), with the standard library alone.

`pip wheel .` therefore needs no network. The files have a fixed time, so two builds are equal.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import importlib
import io
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, Optional

HERE = Path(__file__).resolve().parent
TIME = (2026, 1, 1, 0, 0, 0)


def version() -> str:
    """Return the version, which stands in one place."""
    names: Dict[str, Any] = {}
    exec((HERE / "src/safeconduct/_version.py").read_text("utf-8"), names)
    return str(names["VERSION"])


def metadata() -> str:
    """Return the core metadata."""
    return (
        "Metadata-Version: 2.1\nName: safeconduct\n"
        f"Version: {version()}\n"
        "Summary: Client of Safeconduct: ask before an agent acts\n"
        "License: Apache-2.0\nRequires-Python: >=3.9\nClassifier: Typing :: Typed\n"
        "Description-Content-Type: text/markdown\n\n" + (HERE / "README.md").read_text("utf-8")
    )


def sources() -> Dict[str, bytes]:
    """Return the package's files by their place under src; makes the contexts first."""
    shared = HERE.parent / "contexts.py"
    if shared.is_file():  # not so in a source archive, which holds the made file
        sys.path.insert(0, str(shared.parent))
        contexts = importlib.import_module("contexts")
        contexts.write("python", HERE / "src/safeconduct/contexts.py")
    root = HERE / "src"
    files = sorted(p for p in root.rglob("*") if p.suffix == ".py" or p.name == "py.typed")
    return {str(p.relative_to(root)): p.read_bytes() for p in files}


def build_wheel(folder: str, settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    """Write the wheel into the folder and return its name."""
    info = f"safeconduct-{version()}.dist-info"
    files = sources()
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: safeconduct\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{name},sha256={_hash(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"safeconduct-{version()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for place, data in files.items():
            entry = zipfile.ZipInfo(place, TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name


def build_sdist(folder: str, settings: Any = None) -> str:
    """Write the source archive into the folder and return its name."""
    root = f"safeconduct-{version()}"
    files = {f"src/{place}": data for place, data in sources().items()}
    for place in ("README.md", "pyproject.toml", "build_backend.py"):
        files[place] = (HERE / place).read_bytes()
    files["PKG-INFO"] = metadata().encode()
    name = f"{root}.tar.gz"
    with open(Path(folder) / name, "wb") as out, gzip.GzipFile("", "wb", 9, out, 0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for place in sorted(files):
                entry = tarfile.TarInfo(f"{root}/{place}")
                entry.size = len(files[place])
                archive.addfile(entry, io.BytesIO(files[place]))
    return name


def _hash(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()

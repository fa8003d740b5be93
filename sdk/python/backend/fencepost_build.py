"""A build backend (PEP 517) without requirements, for machines without an index of packages.

python3 backend/fencepost_build.py FOLDER builds the wheel and the source archive. Both have the same bytes at every build.
"""
from __future__ import annotations

import base64
import gzip
import hashlib
import io
import re
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, Iterator, Optional, Tuple

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("pyproject.toml", "README.md", "LICENSE", "backend", "conformance", "src", "tests")
EPOCH = 315532800  # 1980, the first year of zip archives


def _value(name: str) -> str:
    """Return a text of pyproject.toml, which Python reads itself from 3.11 on only."""
    found = re.search(rf'^{name} = "(.*)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert found, name
    return found[1]


def _release() -> str:
    text = (ROOT / "src" / "fencepost" / "_version.py").read_text(encoding="utf-8")
    return "fencepost-" + text.split('"')[1]


def _metadata() -> str:
    head = [
        "Metadata-Version: 2.1",
        f"Name: {_value('name')}",
        f"Version: {_release().split('-')[1]}",
        f"Summary: {_value('description')}",
        f"Requires-Python: {_value('requires-python')}",
        "License-File: LICENSE",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(head) + "\n\n" + (ROOT / "README.md").read_text(encoding="utf-8")


def _files(*parts: str) -> Iterator[Tuple[str, bytes]]:
    for part in parts:
        path = ROOT / part
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                yield file.relative_to(ROOT).as_posix(), file.read_bytes()


def build_wheel(
    wheel_directory: str, config_settings: Optional[Dict[str, Any]] = None, metadata_directory: Optional[str] = None
) -> str:
    release = _release()
    contents = {name[len("src/") :]: data for name, data in _files("src")}
    contents[f"{release}.dist-info/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    contents[f"{release}.dist-info/METADATA"] = _metadata().encode()
    wheel = "Wheel-Version: 1.0\nGenerator: fencepost_build\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    contents[f"{release}.dist-info/WHEEL"] = wheel.encode()
    record = f"{release}.dist-info/RECORD"
    contents[record] = "".join([*(_line(name, data) for name, data in contents.items()), f"{record},,\n"]).encode()
    name = f"{release}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in contents.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return name


def _line(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def build_sdist(sdist_directory: str, config_settings: Optional[Dict[str, Any]] = None) -> str:
    release = _release()
    name = f"{release}.tar.gz"
    with open(Path(sdist_directory) / name, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=EPOCH) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path, data in [("PKG-INFO", _metadata().encode()), *_files(*PARTS)]:
                entry = tarfile.TarInfo(f"{release}/{path}")
                entry.size, entry.mtime, entry.mode = len(data), EPOCH, 0o644
                archive.addfile(entry, io.BytesIO(data))
    return name


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    print(folder / build_wheel(str(folder)), folder / build_sdist(str(folder)))

from __future__ import annotations

import ast
import base64
import csv
import hashlib
import inspect
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import typing
import unittest
import zipfile
from pathlib import Path

from fencepost import _async_resources, _resources, types

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT.parents[1] / "docs" / "openapi.yaml"


class TestSource(unittest.TestCase):
    def test_syntax_of_python_3_9(self) -> None:
        files = [file for file in ROOT.rglob("*.py") if "dist" not in file.parts]
        self.assertGreater(len(files), 15)
        for file in files:
            ast.parse(file.read_text(encoding="utf-8"), str(file), feature_version=(3, 9))

    def test_types_exist_at_run_time(self) -> None:
        names = [name for name, value in vars(types).items() if isinstance(value, type(typing.TypedDict("T", {})))]
        self.assertGreater(len(names), 150)
        for name in names:
            typing.get_type_hints(getattr(types, name))

    def test_required_members(self) -> None:
        self.assertEqual(types.CreatePostsRequest.__required_keys__, frozenset())
        self.assertIn("content", types.CreatePostsRequest.__optional_keys__)
        self.assertIn("status", types.Post.__required_keys__)
        self.assertEqual(types.UpdatePost.__required_keys__, {"id"})


class TestOperations(unittest.TestCase):
    def test_every_operation_has_a_method(self) -> None:
        paths = re.search(r"(?ms)^paths:\n(.*?)^\S", DOCUMENT.read_text(encoding="utf-8"))
        assert paths
        operations = re.findall(r"operationId: (\S+)", paths[1])
        source = inspect.getsource(_resources)
        self.assertEqual(len(re.findall(r"call = Call\(\n", source)), len(operations) - 2, "all but get-openapi and the callback")

    def test_both_clients_have_the_same_methods(self) -> None:
        for name, cls in inspect.getmembers(_resources, inspect.isclass):
            if not issubclass(cls, _resources.Resource) or cls is _resources.Resource:
                continue
            other = getattr(_async_resources, "Async" + name)
            for method, function in inspect.getmembers(cls, inspect.isfunction):
                with self.subTest(f"{name}.{method}"):
                    signature, beside = inspect.signature(function), inspect.signature(getattr(other, method))
                    self.assertEqual(signature.parameters, beside.parameters)
                    self.assertEqual("Async" + str(signature.return_annotation) if "Iterator" in str(
                        signature.return_annotation) else signature.return_annotation, beside.return_annotation)


class TestBuild(unittest.TestCase):
    def test_archives(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, str(ROOT / "backend" / "fencepost_build.py")]
            wheel, archive = subprocess.run([*command, folder], check=True, capture_output=True, text=True).stdout.split()
            again = tempfile.mkdtemp(dir=folder)
            subprocess.run([*command, again], check=True, capture_output=True)
            for file in (wheel, archive):
                self.assertEqual(Path(file).read_bytes(), (Path(again) / Path(file).name).read_bytes())
            with zipfile.ZipFile(wheel) as contents:
                record = next(name for name in contents.namelist() if name.endswith("/RECORD"))
                rows = list(csv.reader(io.StringIO(contents.read(record).decode())))
                self.assertEqual(sorted(row[0] for row in rows), sorted(contents.namelist()))
                self.assertIn("fencepost/py.typed", contents.namelist())
                for name, digest, _ in rows:
                    if name != record:
                        want = base64.urlsafe_b64encode(hashlib.sha256(contents.read(name)).digest()).rstrip(b"=").decode()
                        self.assertEqual(digest, "sha256=" + want)
            check = "import fencepost; print(fencepost.__file__, fencepost.__version__)"
            run = subprocess.run(
                [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {wheel!r}); {check}"],
                check=True, capture_output=True, text=True,
            )
            self.assertIn(wheel, run.stdout)

    def test_the_source_archive_builds_the_same_wheel(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, str(ROOT / "backend" / "fencepost_build.py"), folder]
            wheel, archive = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            with tarfile.open(archive) as contents:
                for entry in contents:
                    file = Path(folder) / entry.name
                    file.parent.mkdir(parents=True, exist_ok=True)
                    data = contents.extractfile(entry)
                    assert data
                    file.write_bytes(data.read())
            backend = next(Path(folder).glob("fencepost-*/backend"))
            code = "import os, fencepost_build as b; os.mkdir('out'); print(b.build_wheel('out'))"
            name = subprocess.run(
                [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(backend)!r}); {code}"],
                cwd=folder, check=True, capture_output=True, text=True,
            ).stdout.strip()
            self.assertEqual((Path(folder) / "out" / name).read_bytes(), Path(wheel).read_bytes())


if __name__ == "__main__":
    unittest.main()

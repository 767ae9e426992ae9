"""Puts walguard into a wheel, which has the binary and no Python: `uvx walguard lint`, `pip install walguard`.

    python3 dist/python/backend.py DIRECTORY BINARY PLATFORM    a wheel for a release, for example of manylinux_2_17_x86_64.musllinux_1_1_x86_64

As a build backend (PEP 517) it is what `pip install .` and pre-commit call; the binary is then the one of dist/get: released, or built by cargo.
The same binary gives the same bytes.
"""

import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def _of(pattern, file="Cargo.toml"):
    return re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE).group(1)


def _version():
    return _of(r'^version = "(.*)"').replace("-", "")


def _metadata(version):
    repository = _of(r'^repository = "(.*)"')
    description = _of(r'^description = "(.*)"', "pyproject.toml")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    # What the page of a package registry shows has no files beside it.
    readme = re.sub(r"(\]\()(?!https?:|#)", rf"\g<1>{repository}/blob/v{version}/", readme)
    return (
        f"Metadata-Version: 2.4\nName: walguard\nVersion: {version}\nSummary: {description}\nLicense-Expression: Apache-2.0\n"
        f"License-File: LICENSE\nRequires-Python: >=3.8\nProject-URL: Source, {repository}\nProject-URL: Changelog, {repository}/blob/main/CHANGELOG.md\n"
        "Keywords: postgresql,kubernetes,linter,cloudnative-pg\nClassifier: Environment :: Console\nClassifier: Topic :: Database\n"
        f"Description-Content-Type: text/markdown\n\n{readme}"
    )


def wheel(directory, binary, platform):
    """Writes the wheel and returns its name."""
    version = _version()
    name, tag = f"walguard-{version}", f"py3-none-{platform}"
    tags = "".join(f"Tag: py3-none-{one}\n" for one in platform.split("."))
    files = {
        f"{name}.data/scripts/{pathlib.Path(binary).name}": (0o755, pathlib.Path(binary).read_bytes()),
        f"{name}.dist-info/licenses/LICENSE": (0o644, (ROOT / "LICENSE").read_bytes()),
        f"{name}.dist-info/METADATA": (0o644, _metadata(version).encode()),
        f"{name}.dist-info/WHEEL": (0o644, f"Wheel-Version: 1.0\nGenerator: walguard\nRoot-Is-Purelib: false\n{tags}".encode()),
    }
    record = ""
    for path, (_, content) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    files[f"{name}.dist-info/RECORD"] = (0o644, (record + f"{name}.dist-info/RECORD,,\n").encode())
    file = f"{name}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(directory) / file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, (mode, content) in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            archive.writestr(entry, content)
    return file


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    version = _version()
    name = f"walguard-{version}.dist-info"
    place = pathlib.Path(metadata_directory) / name
    place.mkdir()
    (place / "METADATA").write_text(_metadata(version), encoding="utf-8")
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as place:
        command = ["bash", str(ROOT / "dist/get"), place]
        binary = subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout.strip()
        # Made for this machine, by it.
        platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
        return wheel(wheel_directory, binary, platform)


def build_sdist(sdist_directory, config_settings=None):
    raise RuntimeError("walguard is built from a clone of its repository, not from an sdist")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    print(wheel(*sys.argv[1:]))

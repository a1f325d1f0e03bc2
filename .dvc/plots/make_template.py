"""Makes offline.html, the page that `dvc plots` fills: page.html with the Vega libraries in it.

DVC's own page loads them from the network. `make plots-template` runs this with npm; the
versions are the last of the major versions that DVC's page asks for.
"""

import subprocess
import tarfile
import tempfile
from pathlib import Path

LIBRARIES = {"vega": "5.33.1", "vega-lite": "5.23.0", "vega-embed": "6.29.0"}


def make_template() -> None:
    folder = Path(__file__).parent
    page = (folder / "page.html").read_text(encoding="utf-8")
    scripts = [script(name, version) for name, version in LIBRARIES.items()]
    text = page.replace("<!--LIBRARIES-->", "\n".join(scripts))
    (folder / "offline.html").write_text(text, encoding="utf-8", newline="\n")


def script(name: str, version: str) -> str:
    """Return a library of the npm registry as a script element."""
    code = minified(name, version)
    # Either would end the element early or be filled in by DVC.
    for text in ("</script", "<!--", "{plot_divs}", "{scripts}", "{refresh_tag}"):
        if text in code:
            raise SystemExit(f"{name} {version} contains {text!r} and can't stand in a page.")
    return f"<!-- {name} {version} -->\n<script>\n{code}\n</script>"


def minified(name: str, version: str) -> str:
    """Return the text of a package's minified JavaScript."""
    with tempfile.TemporaryDirectory() as folder:
        pack = ["npm", "pack", "--silent", f"{name}@{version}"]
        subprocess.run(pack, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(Path(folder) / f"{name}-{version}.tgz") as archive:
            member = archive.extractfile(f"package/build/{name}.min.js")
            assert member is not None
            code = member.read().decode("utf-8")
    kept = [line for line in code.splitlines() if not line.startswith("//# sourceMappingURL=")]
    return "\n".join(kept)


if __name__ == "__main__":
    make_template()

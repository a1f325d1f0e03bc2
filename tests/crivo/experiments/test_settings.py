"""The names of experiments are names that git takes."""

from crivo.records.settings import valid_name


def test_no_name_holds_what_git_forbids() -> None:
    assert (valid_name("a b/c"), valid_name("~^:?*[\\")) == ("a_b_c", "experiment")
    assert [len(valid_name("x" * size)) for size in (79, 80, 81)] == [79, 80, 80]
    assert valid_name("x" * 80) == "x" * 80
    letters = [chr(code) for code in (*range(0x300), 0x2028, 0xFFFF, 0x1F600)]
    for text in ("", *(f"{one}{other}a{one}" for one in letters for other in ("", ".", "/", "@{"))):
        name = valid_name(text)
        assert name
        assert not name.startswith((".", "-"))
        assert not name.endswith((".", ".lock"))
        assert not set(name) & set(" ~^:?*[\\/\x7f\n")
        assert ".." not in name
        assert "@{" not in name

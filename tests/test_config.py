from __future__ import annotations

from pathlib import Path

import pytest

from resume_audit.config import Config, ConfigError, DeclaredEffect, load, passed_over

FULL = """
select = ["RA1"]
ignore = ["RA104"]
exclude = ["gen/"]
waits = ["app.ask"]
resumes = ["app.answer"]
recorded = ["app.once"]
claims = ["app.claim"]
frameworks = ["langgraph"]
fail-on = "never"
effects = [{name = "shop.charge", once = true, key = "key"}, {name = "shop.mail"}]
per-path-ignores = {"tests/**" = ["RA602"], "*.ipynb" = []}
boundary = {engine = ["app.engine"], causal-fields = ["id"]}
"""


def complaint(root: Path, explicit: Path | None = None) -> str:
    with pytest.raises(ConfigError) as caught:
        load(root, explicit)
    text = str(caught.value)
    assert "\n" not in text
    return text


def pyproject(root: Path, text: str) -> None:
    (root / "pyproject.toml").write_text("[tool.resume-audit]\n" + text, encoding="utf-8")


def test_defaults_without_a_word(tmp_path: Path) -> None:
    assert load(tmp_path) == Config()
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n[tool.other]\n", encoding="utf-8")
    assert load(tmp_path) == Config()
    assert Config().fail_on == "warning"


def test_reads_every_key(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    pyproject(tmp_path, FULL)
    expected = Config(
        select=("RA1",),
        ignore=("RA104",),
        exclude=("gen/",),
        per_path_ignores=(("tests/**", ("RA602",)), ("*.ipynb", ())),
        effects=(DeclaredEffect("shop.charge", True, "key"), DeclaredEffect("shop.mail")),
        waits=("app.ask",),
        resumes=("app.answer",),
        recorded=("app.once",),
        claims=("app.claim",),
        boundary={"engine": ("app.engine",), "causal-fields": ("id",)},
        frameworks=("langgraph",),
        fail_on="never",
        source=path,
    )
    assert load(tmp_path) == expected


def test_own_file_wins_and_the_other_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("not toml", encoding="utf-8")
    (tmp_path / "resume-audit.toml").write_text(FULL, encoding="utf-8")
    assert load(tmp_path).source == tmp_path / "resume-audit.toml"
    assert load(tmp_path).select == ("RA1",)


def test_an_explicit_file_wins_over_both(tmp_path: Path) -> None:
    (tmp_path / "resume-audit.toml").write_text(FULL, encoding="utf-8")
    other = tmp_path / "other.toml"
    other.write_text('select = ["CO"]', encoding="utf-8")
    assert load(tmp_path, other).select == ("CO",)
    (tmp_path / "x").mkdir()
    pyproject(tmp_path / "x", 'select = ["EO"]')
    assert load(tmp_path, tmp_path / "x/pyproject.toml").select == ("EO",)
    assert complaint(tmp_path, tmp_path / "gone.toml") == f"{tmp_path / 'gone.toml'}: no such file"
    assert complaint(tmp_path, tmp_path / "x").endswith("x: not a regular file")


@pytest.mark.parametrize(
    "text, message",
    [
        ('slect = ["x"]', "unknown key `slect`; did you mean `select`?"),
        ("fail_on = 'note'", "unknown key `fail_on`; did you mean `fail-on`?"),
        ("zzz = 1", "unknown key `zzz`"),
        ('select = "RA1"', "`select` must be a list of strings, not a string"),
        ("waits = [1]", "`waits` must be a list of strings, but holds an integer"),
        ("fail-on = 'all'", "`fail-on` must be one of error, warning, note, never, not `all`"),
        ("fail-on = true", "`fail-on` must be a string, not a boolean"),
        ("effects = {}", "`effects` must be a list of tables, not a table"),
        ("effects = ['x']", "`effects` must be a list of tables, but holds a string"),
        ("boundary = 1.5", "`boundary` must be a table, not a number"),
        ("per-path-ignores = [1979-05-27]", "`per-path-ignores` must be a table of patterns, not a list"),
    ],
)
def test_wrong_keys_and_types_get_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    pyproject(tmp_path, text)
    assert complaint(tmp_path) == f"pyproject.toml: [tool.resume-audit] {message}"
    (tmp_path / "resume-audit.toml").write_text(text, encoding="utf-8")
    assert complaint(tmp_path) == f"resume-audit.toml: {message}"


@pytest.mark.parametrize(
    "text, table, message",
    [
        ("effects = [{}]", "effects", "`name` is missing"),
        ("effects = [{name = 1}]", "effects", "`name` must be a string, not an integer"),
        ("effects = [{name = 'x', once = 'y'}]", "effects", "`once` must be true or false, not a string"),
        ("effects = [{name = 'x', key = []}]", "effects", "`key` must be a string, not a list"),
        ("effects = [{nme = 'x'}]", "effects", "unknown key `nme`; did you mean `name`?"),
        ("boundary.engin = []", "boundary", "unknown key `engin`; did you mean `engine`?"),
        ("boundary.engine = 'x'", "boundary", "`engine` must be a list of strings, not a string"),
        ("per-path-ignores.'a*' = 'x'", "per-path-ignores", "`a*` must be a list of strings, not a string"),
    ],
)
def test_complaints_name_the_inner_table(tmp_path: Path, text: str, table: str, message: str) -> None:
    pyproject(tmp_path, text)
    assert complaint(tmp_path) == f"pyproject.toml: [tool.resume-audit.{table}] {message}"


@pytest.mark.parametrize(
    "data, message",
    [
        (b"[tool", "not valid TOML: "),
        (b"x = '\xff'", "not valid TOML: not UTF-8 text"),
        (b"x = " + b"[" * 50_000, "not valid TOML: nested too deeply"),
        (b"tool = 1", "`tool` must be a table, not an integer"),
        (b"[tool]\nresume-audit = []", "[tool.resume-audit] must be a table, not a list"),
    ],
)
def test_files_that_are_no_configuration(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "pyproject.toml").write_bytes(data)
    assert complaint(tmp_path).startswith(f"pyproject.toml: {message}")


def settings(folder: Path, name: str = "resume-audit.toml", text: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_the_nearest_settings_count(tmp_path: Path) -> None:
    root, one = settings(tmp_path), settings(tmp_path / "one", "pyproject.toml", "[tool.resume-audit]")
    app = settings(tmp_path / "one" / "app", "pyproject.toml", "[project]").parent
    (app / "app.py").touch()
    (tmp_path / "two").mkdir()
    assert load(tmp_path, None, [app / "app.py"]).source == one
    assert load(tmp_path, None, [app, tmp_path / "one"]).source == one
    assert load(tmp_path, None, [app, tmp_path / "two"]).source == root
    assert load(app, None, [app]).source is None
    root.unlink()
    assert load(tmp_path, None, [tmp_path / "two", app]).source == one
    assert load(tmp_path, None, [tmp_path]).source is None


def test_complaints_name_a_nearer_file_by_its_path(tmp_path: Path) -> None:
    settings(tmp_path / "one", text="x = 1")
    with pytest.raises(ConfigError, match=r"^one/resume-audit\.toml: unknown key `x`$"):
        load(tmp_path, None, [tmp_path / "one"])


def test_patterns_are_relative_to_the_folder_of_their_file(tmp_path: Path) -> None:
    text = """
        exclude = ["gen/", "/gen", "a/b", "!keep", "# said", ""]
        per-path-ignores = {"scripts/*" = ["RA1"], "*.ipynb" = ["RA2"], "./x.py" = []}
    """
    settings(tmp_path / "a[b]" / "c", text=text)
    config = load(tmp_path, None, [tmp_path / "a[b]" / "c"])
    assert config.exclude == (
        "/a\\[b]/c/**/gen/",
        "/a\\[b]/c/gen",
        "/a\\[b]/c/a/b",
        "!/a\\[b]/c/**/keep",
        "# said",
        "",
    )
    assert config.per_path_ignores == (
        ("a[[]b]/c/scripts/*", ("RA1",)),
        ("a[[]b]/c/**/*.ipynb", ("RA2",)),
        ("a[[]b]/c/**/x.py", ()),
    )


def test_settings_that_do_not_count_are_told(tmp_path: Path) -> None:
    used = settings(tmp_path / "one")
    beside = settings(tmp_path / "one", "pyproject.toml", "[tool]\nresume-audit = {}")
    settings(tmp_path / "one" / "app", "pyproject.toml", "[ tool.resume-audit ]\nnot toml")
    settings(tmp_path / "two", "pyproject.toml", "[project]\nname = 'resume-audit'")
    settings(tmp_path / "three", "pyproject.toml", "[tool.resume_audit.boundary]")
    folders = [tmp_path / name for name in ("one/app", "one", "two", "three")]
    expected = ["one/app/pyproject.toml", "one/pyproject.toml", "three/pyproject.toml"]
    assert passed_over(tmp_path, folders, used) == expected
    assert passed_over(tmp_path, [tmp_path], used) == []
    assert passed_over(tmp_path / "two", folders, None) == []
    assert beside.exists()


@pytest.mark.parametrize("slip", ["resume_audit", "Resume-Audit"])
def test_a_table_spelled_otherwise_is_a_complaint(tmp_path: Path, slip: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.{slip}]\n", encoding="utf-8")
    assert complaint(tmp_path) == f"pyproject.toml: [tool.{slip}] is not read; did you mean [tool.resume-audit]?"


def test_the_table_in_the_file_of_our_own_is_a_complaint(tmp_path: Path) -> None:
    settings(tmp_path, text="[tool.resume-audit]")
    assert "without [tool.resume-audit]" in complaint(tmp_path)


@pytest.mark.parametrize("name", ["", "a b", " a", "a..b", ".a", "a.", "pay()"])
def test_names_that_nothing_can_have(tmp_path: Path, name: str) -> None:
    settings(tmp_path, text=f"effects = [{{name = '{name}'}}]")
    assert complaint(tmp_path).startswith(f"resume-audit.toml: [effects] `name`: {name!r} is no qualified name")
    for key in ("waits", "resumes", "recorded", "claims"):
        settings(tmp_path, text=f"{key} = ['{name}']")
        assert complaint(tmp_path).startswith(f"resume-audit.toml: `{key}`: {name!r} is no qualified name")


def test_names_with_wildcards_and_alternatives(tmp_path: Path) -> None:
    settings(tmp_path, text="effects = [{name = 'shop.*.{pay,refund}', key = 'id'}, {name = '*.größe_1'}]")
    assert len(load(tmp_path).effects) == 2
    settings(tmp_path, text="effects = [{name = 'pay', key = 'message id'}]")
    assert complaint(tmp_path) == "resume-audit.toml: [effects] `key`: 'message id' is no name of an argument"


def test_a_project_file_under_another_name_is_told_as_such(tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text('[project]\nname = "x"\n\n[tool.resume-audit]\nselect = ["RA1"]\n')
    with pytest.raises(ConfigError, match=r"unknown key `project`; in this file the keys stand at the top"):
        load(tmp_path, file)

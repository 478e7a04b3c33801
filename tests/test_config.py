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


def test_settings_below_the_root_are_told(tmp_path: Path) -> None:
    service = tmp_path / "service" / "app"
    service.mkdir(parents=True)
    (tmp_path / "resume-audit.toml").touch()
    (tmp_path / "service" / "resume-audit.toml").touch()
    (service / "pyproject.toml").write_text("[tool.resume-audit]\n", encoding="utf-8")
    (service / "app.py").touch()
    expected = ["service/app/pyproject.toml", "service/resume-audit.toml"]
    assert passed_over(tmp_path, [service / "app.py"]) == expected
    assert passed_over(tmp_path, [service, tmp_path]) == expected
    assert passed_over(tmp_path, [tmp_path]) == []
    (service / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    assert passed_over(tmp_path, [service]) == ["service/resume-audit.toml"]

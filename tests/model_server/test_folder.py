from pathlib import Path

import pytest

from model_server import Answer, Call, read_folder
from model_server.__main__ import main


def test_answers_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "02.md").write_text("second", encoding="utf-8")
    (tmp_path / "01.toml").write_text('status = 429\nerror = "slow"\n[headers]\nretry-after = "1"\n', encoding="utf-8")
    (tmp_path / "03.toml").write_text(
        'text_file = "long.txt"\nstop = "length"\ntokens = [1, 2, 0]\n[[calls]]\nname = "f"\narguments = { a = 1 }\n',
        encoding="utf-8",
    )
    (tmp_path / "long.txt").write_text("third", encoding="utf-8")
    assert read_folder(tmp_path) == [
        Answer(status=429, error="slow", headers={"retry-after": "1"}),
        Answer("second"),
        Answer("third", (Call("f", {"a": 1}),), stop="length", tokens=(1, 2, 0)),
    ]


def test_help_says_in_which_form_answers_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    said = capsys.readouterr().out
    for words in ("NAME.md or NAME.txt", "NAME.toml", "text_file = ", "[[calls]]", "first answer goes to the request"):
        assert words in said


@pytest.mark.parametrize(("make", "words"), [(False, "no such folder"), (True, "holds no answer")])
def test_a_folder_without_answers_is_a_clear_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], make: bool, words: str
) -> None:
    folder = tmp_path / "answers"
    if make:
        folder.mkdir()
    with pytest.raises(SystemExit, match="2"):
        main([str(folder)])
    assert f"{folder}: {words}" in capsys.readouterr().err

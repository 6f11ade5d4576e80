from pathlib import Path

from model_server import Answer, Call, read_folder


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

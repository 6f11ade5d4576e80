import tomllib
from importlib.resources import files

import pytest

from warpwright.conditions.language import parse_condition
from warpwright.errors import WarpwrightError
from warpwright.knowledge.field_guide.card import Card
from warpwright.knowledge.field_guide.guide import FACTS, STOP, cards
from warpwright.knowledge.field_guide.reader import read_card
from warpwright.profiler.counters import metrics

CLASSES = tomllib.loads((files("warpwright.profiler.diagnosis") / "thresholds.toml").read_text(encoding="utf-8"))
CURABLE_PIPES = ("alu", "fma", "fp64", "xu", "tensor")
GOOD = """
name = "Pad"
classes = ["bank_conflicts"]
when = "shared_conflict_ratio > 0.2"
gain = [1.1, 8.0]
change = "Pad."
risk = "None."
check = "Look."
refs = ["pg#shared-memory-bank-conflicts"]
"""


@pytest.fixture(params=[pytest.param(card, id=card.id) for card in cards().values()])
def card(request: pytest.FixtureRequest) -> Card:
    found = request.param
    assert isinstance(found, Card)
    return found


def test_there_are_the_41_and_our_own_from_100_on() -> None:
    numbers = [int(name.removeprefix("FG-")) for name in cards()]
    assert numbers[:41] == list(range(1, 42))
    assert all(number >= 100 for number in numbers[41:])


def test_what_only_the_host_can_do_is_marked() -> None:
    assert [card.id for card in cards().values() if card.host] == ["FG-01", "FG-03"]


def test_a_card_names_known_counters_only(card: Card) -> None:
    used = {*parse_condition(card.when).names, *card.expects}
    assert used <= {*metrics(), *FACTS}


def test_a_card_names_known_classes_only(card: Card) -> None:
    for name in card.classes:
        kind, _, unit = name.partition(":")
        assert kind in CLASSES
        assert not unit or unit in CLASSES[kind]["units"]


def test_a_card_cures_only_causes_that_it_treats(card: Card) -> None:
    assert set(card.cures) <= set(card.classes)
    assert {CLASSES[name]["rank"] for name in card.cures} <= {"cause"}


def test_every_class_has_a_card() -> None:
    wanted = {*CLASSES, *(f"pipe_bound:{unit}" for unit in CURABLE_PIPES)}
    assert {name for name in wanted if not any(card.treats(name) for card in cards().values())} == set()


def test_the_pipes_that_no_literature_advises_on_are_known() -> None:
    """`docs/bottlenecks.md` lists them."""
    units = CLASSES["pipe_bound"]["units"]
    bare = {unit for unit in units if not any(card.treats(f"pipe_bound:{unit}") for card in cards().values())}
    assert bare == {"tex", "uniform", "adu"}


def test_a_gain_is_a_range_by_experience(card: Card) -> None:
    assert card.gain_basis == "experience"
    if card.id == STOP:
        assert (card.gain_low, card.gain_high) == (None, None)
    else:
        assert card.gain_low is not None
        assert card.gain_low >= 1.0
        assert card.gain_high is None or card.gain_high > card.gain_low


def test_expected_counters_move(card: Card) -> None:
    assert all(ratio > 0 and ratio != 1 for ratio in card.expects.values())


def test_a_card_can_be_acted_on(card: Card) -> None:
    assert card.change.count(".") >= 2
    assert card.risk.endswith(".")
    assert card.check.endswith(".")
    assert card.references
    assert card.citation.id == card.id


def test_a_unit_of_a_class_is_treated_by_cards_for_it_and_for_the_class() -> None:
    found = read_card("FG-900", GOOD.replace('["bank_conflicts"]', '["pipe_bound:xu", "issue_bound"]'))
    assert found.treats("pipe_bound:xu")
    assert found.treats("pipe_bound")
    assert not found.treats("pipe_bound:fma")
    whole = read_card("FG-900", GOOD.replace('["bank_conflicts"]', '["pipe_bound"]'))
    assert whole.treats("pipe_bound:fma")
    assert not whole.treats("barrier")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("shared_conflict_ratio > 0.2", "shared_conflict_ratio >", "FG-900.toml, when: 'shared_conflict_ratio >'"),
        ("pg#shared", "xy#shared", "FG-900.toml, refs: 'xy#shared-memory-bank-conflicts': no book 'xy'"),
        ("#shared-memory-bank-conflicts", "#nowhere", "books.toml lists no section 'nowhere' in [pg]"),
        ('risk = "None."', "", "FG-900.toml: 'risk' is missing"),
        ('risk = "None."', 'risk = "None."\nprice = 1', "FG-900.toml: 'price' is not a key of cards"),
        ("name = ", "name ", "FG-900.toml: "),
        ("gain = [1.1, 8.0]", "gain = [8.0, 1.1]", "FG-900.toml, gain: [8.0, 1.1] is no range"),
        ("gain = [1.1, 8.0]", "gain = [1.1]", "FG-900.toml, gain: [1.1] is no range"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name_and_key(old: str, new: str, complaint: str) -> None:
    assert read_card("FG-900", GOOD).name == "Pad"
    with pytest.raises(WarpwrightError) as caught:
        read_card("FG-900", GOOD.replace(old, new, 1))
    assert complaint in str(caught.value)
